/**
 * A run that waits for a person, and goes on elsewhere with what it had; and one whose whole plan waits, once. Checks
 * itself; run it with Node 24.
 */
import assert from "node:assert/strict";
import { createGate, loadPolicy } from "sluicegate";
import { createPlanner } from "sluicegate/agents";
import { scriptedModel, tools } from "./shop.ts";

const orders = ["17", "18"].map((order) => ["refund", { order }] as const);
const plan = orders.map(([tool, args]) => ({ tool, arguments: args }));
const model = scriptedModel({
  "Pay order 17 back": orders.slice(0, 1),
  "Pay both orders back": [["check_plan", { planned_calls: plan }], ...orders],
});
const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const planner = createPlanner({ model, tools });
const session = await gate.open({ principal: "ada" });

const paused = await planner.run({ session, prompt: "Pay order 17 back" });
if (paused.status === "paused") console.log(paused.approval, paused.expiresAt); // keep `token` and `session`

// A person answers: in the console, in a terminal, or here.
await gate.answerApproval(paused.approval ?? "", { answer: "approved", by: "grace" });

const done = await planner.resume(paused.token ?? "", { session });
console.log(done.text); // Order 17 is paid back.

assert.deepEqual([paused.status, done.status, done.text], ["paused", "done", "Order 17 is paid back."]);
await assert.rejects(planner.resume(paused.token ?? "", { session }), { code: "run-not-found" });

const planning = createPlanner({ model, tools, plan: true });
const asking = await planning.run({ session, prompt: "Pay both orders back" });
const [shown] = await gate.pendingApprovals();
console.log(shown?.arguments.steps); // each call with its arguments, and the session's label before and after it

await gate.answerApproval(asking.approval ?? "", { answer: "approved", by: "grace" });
const paid = await planning.resume(asking.token ?? "", { session });

assert.deepEqual([asking.status, shown?.plan, paid.status], ["paused", { steps: 2, asking: 2 }, "done"]);
assert.match(paid.text, /Order 17 is paid back\. Order 18 is paid back\.$/);
await gate.close();
console.log("ok");
