/** One session, two runs at once, each with its own view of the tools. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createGate, loadPolicy, type ToolVisibilityPolicy } from "sluicegate";

/** What a customer's plan includes. It could ask a directory: it may be asynchronous. */
const byPlan: ToolVisibilityPolicy<{ plan: "free" | "paid" }> = {
  visibleTools: (tools, { plan }) =>
    plan === "paid" ? tools : tools.filter(({ name }) => name.startsWith("search_")),
};

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada" });

const free = session.run({ visibility: byPlan, context: { plan: "free" } }, async (view) => {
  const outcome = await view.call({ tool: "slack_post" }, () => "posted");
  return { sees: view.tools.length, outcome: outcome.effect };
});
const paid = session.run({ visibility: byPlan, context: { plan: "paid" } }, async (view) => {
  const outcome = await view.call({ tool: "slack_post" }, () => "posted");
  return { sees: view.tools.length, outcome: outcome.effect };
});

assert.deepEqual(await Promise.all([free, paid]), [
  { sees: 2, outcome: "deny" },
  { sees: 5, outcome: "allow" },
]);
await gate.close();
console.log("ok");
