/** A command line that takes one line after the other: one planner, one session. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createGate, loadPolicy } from "sluicegate";
import { createPlanner, type PlannerResult } from "sluicegate/agents";
import { scriptedModel, tools } from "./shop.ts";

const model = scriptedModel({
  "look elsewhere": [["web_search", { query: "broken parcels" }]],
  "look at the mail": [["search_email", { query: "order" }]],
});

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada" });
const planner = createPlanner({ model, tools, maxSteps: 10 });

let messages: PlannerResult["messages"] = [];
const lines = Readable.from(["look elsewhere\nlook at the mail\nlook elsewhere\n"]); // or process.stdin
for await (const prompt of createInterface(lines)) {
  const result = await planner.run({ session, messages, prompt });
  console.log(`> ${prompt}\n${result.text}`);
  messages = result.messages;
}

assert.equal(session.label.level, "internal");
assert.equal(messages.filter(({ role }) => role === "user").length, 3);
assert.match(JSON.stringify(messages.at(-1)), /is blocked in this session/);
await gate.close();
console.log("ok");
