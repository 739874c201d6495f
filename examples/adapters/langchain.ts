/** An agent of LangChain behind a session, with a scripted model. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, fakeModel, type ToolMessage, tool } from "langchain";
import { createGate, loadPolicy } from "sluicegate";
import { approvalIdOf, guard } from "sluicegate/langchain";

const model = fakeModel()
  .respondWithTools([
    { name: "read_mail", args: { query: "Q3" }, id: "1" },
    { name: "web_search", args: { query: "Q3 revenue 4.82" }, id: "2" }, // in the same step, and refused
  ])
  .respondWithTools([{ name: "pay", args: { amount: 120 }, id: "3" }])
  .respondWithTools([]);
const schema = { type: "object", properties: {}, additionalProperties: true } as const;

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada", task: "Pay the invoice in my mail" });

const tools = [
  tool(async () => "Invoice 7: 120 euros", { name: "read_mail", schema }),
  tool(async () => "Hits", { name: "web_search", schema }),
  tool(async () => "paid", { name: "pay", schema }),
];
const agent = createAgent({ model, checkpointer: new MemorySaver(), ...guard(session, tools) });

const thread = { configurable: { thread_id: "1" } };
const paused = await agent.invoke({ messages: ["Pay the invoice in my mail"] }, thread);
for (const interrupted of ("__interrupt__" in paused && (paused.__interrupt__ as object[])) || []) {
  const approval = approvalIdOf(interrupted);
  if (approval) await gate.answerApproval(approval, { answer: "approved", by: "grace" });
}
// Lets the graph go on; without the gate's answer the call is refused.
const resume = { decisions: [{ type: "approve" }] };
const ended = await agent.invoke(new Command({ resume }), thread);

const told = ended.messages.filter((message): message is ToolMessage => message.type === "tool");
assert.deepEqual(
  told.map(({ name, status }) => [name, status ?? "success"]),
  [
    ["read_mail", "success"],
    ["web_search", "error"],
    ["pay", "success"],
  ],
);
assert.match(String(told[1]?.content), /Tool `web_search` is blocked in this session/);
assert.equal(session.label.level, "internal");
await gate.close();
console.log("ok");
