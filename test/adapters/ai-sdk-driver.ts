/** An agent that the cases drive: the AI SDK, with a model that plays a script. */
import { isStepCount, jsonSchema, type ModelMessage, ToolLoopAgent, type ToolSet, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect } from "vitest";
import { approvalIdOf, guard } from "../../src/adapters/ai-sdk.ts";
import type {
  Adapter,
  AgentParts,
  AgentTools,
  Played,
  Script,
  SharedAgent,
} from "../cases/adapter-driver.ts";

export const ANY = jsonSchema<any>({ type: "object" });
const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: count, outputTokens: { total: 1, text: 1, reasoning: 0 } };

export const toTools = (tools: AgentTools): ToolSet =>
  Object.fromEntries(
    [...tools].map(([name, { description, run }]) => [
      name,
      tool({ description, inputSchema: ANY, execute: run }),
    ]),
  );

interface Seen {
  readonly shown: string[][];
  readonly described: Record<string, string>[];
}

/** A conversation: the user's words are the script, and a number that tells this run from others. */
export interface Talk extends Seen {
  readonly script: Script;
}

/** A model that makes the calls of the step that its conversation has come to; one for any number of conversations. */
export function createModel(talks: readonly Talk[]): MockLanguageModelV4 {
  const answer = ({ prompt, tools = [] }: any): any[] => {
    const { script, shown, described } = talks[Number(prompt[0].content[0].text)] as Talk;
    shown.push(tools.map(({ name }: any) => name));
    described.push(Object.fromEntries(tools.map((one: any) => [one.name, one.description])));
    const calls = script[prompt.filter(({ role }: any) => role === "assistant").length] ?? [];
    if (calls.length === 0) return [{ type: "text", text: "done" }];
    return calls.map((call) => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.tool,
      input: JSON.stringify(call.args),
    }));
  };
  const finish = (content: any[]) => {
    const unified = content[0]?.type === "text" ? "stop" : "tool-calls";
    return { unified, raw: unified } as const;
  };
  return new MockLanguageModelV4({
    doGenerate: async (options) => {
      const content = answer(options);
      return { content, finishReason: finish(content), usage, warnings: [] };
    },
    doStream: async (options) => {
      const content = answer(options);
      const parts: any[] = [
        { type: "stream-start", warnings: [] },
        ...content.filter(({ type }) => type === "tool-call"),
        { type: "finish", finishReason: finish(content), usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  });
}

type Generate = (messages: ModelMessage[]) => Promise<ModelMessage[]>;

/** Runs until the model is done or the SDK pauses, and goes on from what it gave. */
async function play(generate: Generate, { shown, described }: Seen, given: ModelMessage[]): Promise<Played> {
  const messages = [...given, ...(await generate(given))];
  const parts: any[] = messages.flatMap(({ content }): any[] => (Array.isArray(content) ? content : []));
  const told = parts
    .filter(({ type }) => type === "tool-result")
    .map(({ toolCallId, output }) => [
      toolCallId,
      typeof output.value === "string" ? output.value : (output.reason ?? JSON.stringify(output.value)),
    ]);
  const last: any[] = messages.findLast(({ role }) => role === "assistant")?.content as any;
  const requests = last.filter(({ type }) => type === "tool-approval-request");
  const answered = messages.at(-1)?.role === "assistant" || requests.length > 0;
  return {
    shown,
    described,
    told: Object.fromEntries(told),
    waiting: Object.fromEntries(requests.map((request) => [request.toolCallId, approvalIdOf(request)])),
    resume: (approved, forged) => {
      expect(answered).toBe(true);
      const history = structuredClone(messages);
      for (const { content } of history as any[]) {
        for (const part of Array.isArray(content) ? content : []) {
          if (forged && part.toolCallId === requests[0].toolCallId && part.type === "tool-call")
            part.input = forged;
        }
      }
      const responses = requests.map(({ approvalId }) => ({
        type: "tool-approval-response",
        approvalId,
        approved,
      }));
      return play(generate, { shown, described }, [
        ...history,
        { role: "tool", content: responses } as ModelMessage,
      ]);
    },
  };
}

/** One agent of the SDK; each run of it is a conversation of its own. */
function createAgent({ session, tools, bare }: AgentParts, stream: boolean): SharedAgent {
  const talks: Talk[] = [];
  const model = createModel(talks);
  const guarded = guard(session, toTools(tools));
  const settings = bare ? { tools: guarded.tools } : guarded;
  const agent = new ToolLoopAgent({ model, ...settings, stopWhen: isStepCount(9), onError: () => {} });
  const generate: Generate = async (messages) => {
    if (!stream) return (await agent.generate({ messages })).responseMessages;
    const result = await agent.stream({ messages });
    await result.consumeStream();
    return await result.responseMessages;
  };
  return {
    run: (script) => {
      const talk = { script, shown: [], described: [] };
      const number = talks.push(talk) - 1;
      return play(generate, talk, [{ role: "user", content: String(number) }]);
    },
  };
}

export const aiSdk = (name: string, stream: boolean): Adapter => ({
  name,
  pauses: true,
  run: ({ script, ...parts }) => createAgent(parts, stream).run(script),
  share: (parts) => createAgent(parts, stream),
});
