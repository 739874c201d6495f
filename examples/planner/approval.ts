/** A run that waits for a person, and goes on elsewhere with what it had. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createGate, loadPolicy } from "sluicegate";
import { createPlanner } from "sluicegate/agents";
import { scriptedModel, tools } from "./shop.ts";

const model = scriptedModel({ "Pay order 17 back": [["refund", { order: "17" }]] });
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
await gate.close();
console.log("ok");
