/**
 * A fork for each request: where there is no conversation to keep in order, each request has a session and a planner
 * of its own, and neither can do more than the ones that it came from. Checks itself; run it with Node 24.
 */
import assert from "node:assert/strict";
import { createGate, loadPolicy } from "sluicegate";
import { createPlanner } from "sluicegate/agents";
import { scriptedModel, tools } from "./shop.ts";

const model = scriptedModel({
  read: [["search_email", { query: "order" }]],
  send: [["web_search", { query: "order 17" }]],
  pay: [["refund", { order: "17" }]],
});

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const planner = createPlanner({ model, tools });
const base = await gate.open({ principal: "shop", task: "Answer requests" });

async function handle(prompt: string) {
  const session = await base.fork();
  const request = planner.fork({ toolPolicy: { deniedTools: ["refund"] } });
  const { steps } = await request.run({ session, prompt });
  return { outcome: steps[0]?.calls[0]?.outcome, level: session.label.level };
}

const answers = await Promise.all(["read", "send", "pay"].map(handle));
assert.deepEqual(answers, [
  { outcome: "ran", level: "internal" },
  { outcome: "ran", level: "public" },
  { outcome: "invalid", level: "public" },
]);
assert.equal(base.label.level, "public");

// What the base holds, each of its forks starts with.
await base.addDataset("crm", "confidential");
assert.deepEqual(await handle("send"), { outcome: "refused", level: "confidential" });
await gate.close();
console.log("ok");
