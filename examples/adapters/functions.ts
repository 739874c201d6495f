/** Plain functions behind a session, for an agent of one's own making. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createGate, loadPolicy, SluicegateError } from "sluicegate";
import { guard } from "sluicegate/functions";

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada", task: "Pay the invoice in my mail" });

const office = guard(session, {
  read_mail: async ({ query }: { query: string }) => [`Invoice 7: 120 euros (for ${query})`],
  web_search: async ({ query }: { query: string }) => [`Hits for ${query}`],
  pay: async ({ amount }: { amount: number }) => `paid ${amount}`,
});
await office.read_mail({ query: "Q3" });
const refused = await office.web_search({ query: "Q3 revenue" }).catch((cause: unknown) => cause);
if (SluicegateError.isInstance(refused)) console.log(refused.message); // for the model, in full sentences

// `pay` waits for a person; made again once it was approved, the same call runs.
const asked = await office.pay({ amount: 120 }).catch((cause: unknown) => cause);
if (SluicegateError.isInstance(asked) && asked.code === "approval-needed")
  await gate.answerApproval(String(asked.details.approval), { answer: "approved", by: "grace" });
const paid = await office.pay({ amount: 120 });

assert(SluicegateError.isInstance(refused));
assert.equal(refused.code, "permission-denied");
assert.equal(paid, "paid 120");
await gate.close();
console.log("ok");
