/** An agent that the cases drive: the OpenAI Agents SDK, with a model that plays a script. */
import {
  Agent,
  type Model,
  type ModelRequest,
  type RunResult,
  RunState,
  run,
  setTracingDisabled,
  type Tool,
  tool,
  Usage,
} from "@openai/agents";
import { approvalIdOf, guard } from "../../src/adapters/openai-agents.ts";
import type {
  Adapter,
  AgentParts,
  AgentTools,
  Played,
  Script,
  SharedAgent,
} from "../cases/adapter-driver.ts";
import { collect } from "./collect.ts";

setTracingDisabled(true);

export const SCHEMA = { type: "object", properties: {}, required: [], additionalProperties: true } as const;

export const toTools = (tools: AgentTools): Tool[] =>
  [...tools].map(([name, { description, run: execute }]) => {
    const run = async (args: unknown): Promise<string> => collect(execute(args));
    const made = tool({
      name: "named-below",
      description,
      parameters: SCHEMA as any,
      strict: false,
      execute: run,
    });
    // `tool` would change the stranger names that a model may give.
    return { ...made, name };
  });

interface Talk {
  readonly script: Script;
  readonly shown: string[][];
  readonly described: Record<string, string>[];
}

/** A model that makes the calls of the step that its conversation has come to; one for any number of conversations. */
export const createModel = (talks: readonly Talk[]): Model => ({
  getResponse: async ({ input, tools }: ModelRequest) => {
    const items = input as any[];
    const { script, shown, described } = talks[Number(items[0].content)] as Talk;
    shown.push(tools.map(({ name }) => name));
    described.push(Object.fromEntries(tools.map((one: any) => [one.name, one.description])));
    const made = items.filter(({ type }) => type === "function_call").length;
    const calls = script.find((_, index) => script.slice(0, index + 1).flat().length > made) ?? [];
    const output: any[] = calls.map((call) => ({
      type: "function_call",
      callId: call.id,
      name: call.tool,
      arguments: JSON.stringify(call.args),
      status: "completed",
    }));
    const done = {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "done" }],
    };
    return { usage: new Usage(), output: output.length > 0 ? output : [done] };
  },
  getStreamedResponse: () => {
    throw new Error("not played");
  },
});

const toFailed = ({ shown, described }: Talk, cause: Error): Played => ({
  shown,
  described,
  told: {},
  waiting: {},
  failed: cause.message,
  resume: () => Promise.reject(cause),
});

/** One agent of the SDK; each run of it is a conversation of its own. */
function createAgent({ session, tools, bare }: AgentParts): SharedAgent {
  const talks: Talk[] = [];
  const guarded = guard(session, toTools(tools)).tools as any[];
  const ungated = { isEnabled: async () => true, needsApproval: async () => false };
  const agent = new Agent({
    name: "scripted",
    model: createModel(talks),
    tools: bare ? guarded.map((one) => ({ ...one, ...ungated })) : guarded,
  });
  const play = async (talk: Talk, given: string | RunState<any, any>): Promise<Played> => {
    try {
      return await toPlayed(await run(agent, given as any), talk);
    } catch (cause) {
      return toFailed(talk, cause as Error);
    }
  };
  const toPlayed = async (result: RunResult<any, any>, talk: Talk): Promise<Played> => {
    const outputs = result.history.filter((item: any) => item.type === "function_call_result") as any[];
    const { interruptions, state } = result;
    const waiting = interruptions.map(async (item: any) => [
      item.rawItem.callId,
      await approvalIdOf(session, item),
    ]);
    return {
      shown: talk.shown,
      described: talk.described,
      told: Object.fromEntries(outputs.map(({ callId, output }) => [callId, output.text ?? output])),
      waiting: Object.fromEntries(await Promise.all(waiting)),
      resume: async (approved, forged) => {
        // As a host does that keeps the state elsewhere meanwhile.
        let text = state.toString();
        if (forged)
          text = text.replaceAll(
            JSON.stringify(interruptions[0]?.arguments),
            JSON.stringify(JSON.stringify(forged)),
          );
        const restored = await RunState.fromString(agent, text).catch((cause: Error) => cause);
        if (restored instanceof Error) return toFailed(talk, restored);
        for (const item of restored.getInterruptions()) {
          if (approved) restored.approve(item);
          else restored.reject(item);
        }
        return play(talk, restored);
      },
    };
  };
  return {
    run: (script) => {
      const talk = { script, shown: [], described: [] };
      return play(talk, String(talks.push(talk) - 1));
    },
  };
}

export const openaiAgents: Adapter = {
  name: "the OpenAI Agents SDK",
  pauses: true,
  error: "An error occurred while running the tool.",
  run: ({ script, ...parts }) => createAgent(parts).run(script),
  share: createAgent,
};
