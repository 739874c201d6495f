/** An agent of the OpenAI Agents SDK behind a session, with a scripted model. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { Agent, type Model, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { createGate, loadPolicy } from "sluicegate";
import { approvalIdOf, guard } from "sluicegate/openai-agents";
import { z } from "zod";

setTracingDisabled(true);
const model = scriptedModel([
  [
    { name: "read_mail", args: { query: "Q3" } },
    { name: "web_search", args: { query: "Q3 revenue 4.82" } }, // in the same step, and refused
  ],
  [{ name: "pay", args: { amount: 120 } }],
]);

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada", task: "Pay the invoice in my mail" });

const query = z.object({ query: z.string() });
const tools = [
  tool({
    name: "read_mail",
    description: "",
    parameters: query,
    execute: async () => "Invoice 7: 120 euros",
  }),
  tool({ name: "web_search", description: "", parameters: query, execute: async () => "Hits" }),
  tool({
    name: "pay",
    description: "",
    parameters: z.object({ amount: z.number() }),
    execute: async () => "paid",
  }),
];
const agent = new Agent({ name: "clerk", model, ...guard(session, tools) });

const paused = await run(agent, "Pay the invoice in my mail");
for (const interruption of paused.interruptions) {
  const approval = await approvalIdOf(session, interruption);
  if (approval) await gate.answerApproval(approval, { answer: "approved", by: "grace" });
  paused.state.approve(interruption); // lets the SDK go on; without the gate's answer the call is refused
}
const ended = await run(agent, paused.state);

const told = JSON.stringify(ended.history);
assert.match(told, /Tool `web_search` is blocked in this session/);
assert.match(told, /"paid"/);
assert.equal(session.label.level, "internal");
await gate.close();
console.log("ok");

function scriptedModel(script: readonly (readonly { name: string; args: object }[])[]): Model {
  const steps = script.values();
  return {
    getResponse: async () => {
      const { value: step = [] } = steps.next();
      const calls = step.map(({ name, args }) => ({
        type: "function_call" as const,
        callId: `${name}-1`,
        name,
        arguments: JSON.stringify(args),
        status: "completed" as const,
      }));
      const done = {
        type: "message" as const,
        role: "assistant" as const,
        status: "completed" as const,
        content: [{ type: "output_text" as const, text: "Done." }],
      };
      return { usage: new Usage(), output: calls.length > 0 ? calls : [done] };
    },
    getStreamedResponse: () => {
      throw new Error("This model is not streamed.");
    },
  };
}
