/**
 * An agent of the Claude Agent SDK behind a session. Checks itself; `npm run test:claude` compiles it against the SDK's
 * own types and runs it, with the SDK's file as its argument and a scripted model.
 */
import assert from "node:assert/strict";
import { z } from "zod";
import { approvalIdOf, guard } from "../../src/adapters/claude-agent.ts";
import { createGate, loadPolicy } from "../../src/index.ts";

const { createSdkMcpServer, query, tool } = await import(String(process.argv[2]));

const policy = await loadPolicy(`${import.meta.dirname}/../../examples/adapters/sluicegate.yaml`);
const gate = createGate({ policy });
const session = await gate.open({ principal: "ada", task: "Pay the invoice in my mail" });
const say = (text: string) => ({ content: [{ type: "text" as const, text }] });

const tools = [
  tool("read_mail", "Searches mail.", { query: z.string() }, async () => say("Invoice 7: 120 euros")),
  tool("web_search", "Searches the web.", { query: z.string() }, async () => say("Hits")),
  tool("pay", "Pays.", { amount: z.number() }, async () => say("paid")),
];
const { server, options } = guard(session, tools, {
  canUseTool: async (_tool, updatedInput, asked) => {
    // The agent stands still: a person looks at the approval, and answers it at the gate.
    const approval = approvalIdOf(asked);
    if (approval) await gate.answerApproval(approval, { answer: "approved", by: "grace" });
    // Then the SDK may go on. Its own yes is no answer: without the gate's, the call is refused.
    return { behavior: "allow", updatedInput };
  },
});
const agent = query({
  prompt: "Pay the invoice in my mail",
  options: {
    ...options, // hooks, canUseTool, tools, disallowedTools
    mcpServers: { [server.name]: createSdkMcpServer(server) },
    settingSources: [], // no hooks and no servers but these
  },
});

for await (const message of agent) if (message.type === "result") assert.equal(message.subtype, "success");
const decided = (await session.journal())
  .filter(({ kind }) => kind === "call-admitted" || kind === "call-refused")
  .map(({ kind, data }) => `${kind} ${data.tool}`);
assert.deepEqual(decided, ["call-admitted read_mail", "call-refused web_search", "call-admitted pay"]);
assert.equal(session.label.level, "internal");
await gate.close();
console.log("ok");
