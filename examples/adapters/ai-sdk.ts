/** An agent of the AI SDK behind a session, with a scripted model. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { jsonSchema, type ModelMessage, ToolLoopAgent, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createGate, loadPolicy } from "sluicegate";
import { approvalIdOf, guard } from "sluicegate/ai-sdk";

const model = scriptedModel([
  [
    { toolName: "read_mail", input: { query: "Q3" } },
    { toolName: "web_search", input: { query: "Q3 revenue 4.82" } }, // in the same step, and refused
  ],
  [{ toolName: "pay", input: { amount: 120 } }],
]);
const anything = jsonSchema<{ query: string; amount: number }>({ type: "object" });

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada", task: "Pay the invoice in my mail" });

const tools = {
  read_mail: tool({ inputSchema: anything, execute: async () => "Invoice 7: 120 euros" }),
  web_search: tool({ inputSchema: anything, execute: async ({ query }) => `Hits for ${query}` }),
  pay: tool({ inputSchema: anything, execute: async ({ amount }) => `paid ${amount}` }),
};
const agent = new ToolLoopAgent({
  model,
  instructions: session.planningPrompt(),
  ...guard(session, tools), // tools, toolApproval, prepareStep
});

const messages: ModelMessage[] = [{ role: "user", content: "Pay the invoice in my mail" }];
const paused = await agent.generate({ messages });
messages.push(...paused.responseMessages);

// The agent stands still: a person looks at the approval, and answers it at the gate.
for (const request of paused.content.filter((part) => part.type === "tool-approval-request")) {
  const approval = approvalIdOf(request);
  if (approval) await gate.answerApproval(approval, { answer: "approved", by: "grace" });
  // Then the SDK may go on. Its own yes is no answer: without the gate's, the call is refused.
  messages.push({
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
  });
}
const ended = await agent.generate({ messages });

const told = JSON.stringify([paused.responseMessages, ended.responseMessages]);
assert.match(told, /Tool `web_search` is blocked in this session/);
assert.match(told, /paid 120/);
assert.equal(session.label.level, "internal");
await gate.close();
console.log("ok");

function scriptedModel(script: readonly (readonly { toolName: string; input: unknown }[])[]) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const step = script[prompt.filter(({ role }) => role === "assistant").length] ?? [];
      const finish = step.length === 0 ? "stop" : "tool-calls";
      return {
        content:
          step.length === 0
            ? [{ type: "text", text: "Done." }]
            : step.map(({ toolName, input }) => ({
                type: "tool-call",
                toolCallId: `${toolName}-1`,
                toolName,
                input: JSON.stringify(input),
              })),
        finishReason: { unified: finish, raw: finish },
        usage,
        warnings: [],
      };
    },
  });
}
