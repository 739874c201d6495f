/** An agent that the cases drive: LangChain, with a model that plays a script. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Command, MemorySaver } from "@langchain/langgraph";
import { AIMessage, createAgent, HumanMessage, ToolMessage, tool } from "langchain";
import { approvalIdOf, guard } from "../../src/adapters/langchain.ts";
import type {
  Adapter,
  AgentParts,
  AgentTools,
  Played,
  Script,
  SharedAgent,
} from "../cases/adapter-driver.ts";
import { collect } from "./collect.ts";

export const SCHEMA = { type: "object", properties: {}, additionalProperties: true } as const;

export const toTools = (tools: AgentTools) =>
  [...tools].map(([name, { description, run }]) =>
    tool(async (args: any) => collect(await run(args)), { name, description, schema: SCHEMA }),
  );

export interface Talk {
  readonly script: Script;
  readonly shown: string[][];
  readonly described: Record<string, string>[];
}

/** A model that makes the calls of the step that its conversation has come to; one for any number of conversations. */
export class ScriptedModel extends BaseChatModel {
  readonly talks: Talk[];

  constructor(talks: Talk[]) {
    super({});
    this.talks = talks;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: any[]): any {
    const bound = tools.map(({ name, description }) => ({ name, description }));
    return this.withConfig({ tools: bound } as any);
  }

  async _generate(messages: any[], options: any): Promise<any> {
    const { script, shown, described } = this.talks[Number(messages[0].content)] as Talk;
    const tools: any[] = options.tools ?? [];
    shown.push(tools.map(({ name }) => name));
    described.push(Object.fromEntries(tools.map(({ name, description }) => [name, description])));
    const step = script[messages.filter((message) => AIMessage.isInstance(message)).length] ?? [];
    const tool_calls = step.map((call) => ({
      id: call.id,
      name: call.tool,
      args: { ...call.args },
      type: "tool_call" as const,
    }));
    const message = new AIMessage({ content: step.length === 0 ? "done" : "", tool_calls });
    return { generations: [{ text: "", message }] };
  }
}

/** One agent; each run of it is a thread of its own. */
function createScripted({ session, tools, bare }: AgentParts): SharedAgent {
  const talks: Talk[] = [];
  const checkpointer = new MemorySaver();
  const guarded = guard(session, toTools(tools));
  const model = new ScriptedModel(talks);
  const agent = bare
    ? createAgent({ model, tools: guarded.tools })
    : createAgent({ model, checkpointer, ...guarded });
  const play = async (thread: string, given: any): Promise<Played> => {
    const { shown, described } = talks[Number(thread)] as Talk;
    const config = { configurable: { thread_id: thread } };
    const result: any = await agent.invoke(given, config);
    const interrupts: any[] = result.__interrupt__ ?? [];
    const messages: any[] = result.messages;
    const told = messages.filter((one): one is ToolMessage => ToolMessage.isInstance(one));
    const calls: any[] = messages.findLast((one) => AIMessage.isInstance(one))?.tool_calls ?? [];
    const idOf = ({ actionRequests }: any): string =>
      calls.find(({ name }) => name === actionRequests[0].name)?.id;
    return {
      shown,
      described,
      told: Object.fromEntries(told.map(({ tool_call_id, content }) => [tool_call_id, String(content)])),
      waiting: Object.fromEntries(interrupts.map((one) => [idOf(one.value), approvalIdOf(one)])),
      resume: (approved, forged) => {
        if (forged) forge(checkpointer, interrupts[0].value.actionRequests[0].args, forged);
        const decisions = [{ type: approved ? "approve" : "reject" }];
        return play(thread, new Command({ resume: { decisions } }));
      },
    };
  };
  return {
    run: (script) => {
      const thread = String(talks.push({ script, shown: [], described: [] }) - 1);
      return play(thread, { messages: [new HumanMessage(thread)] });
    },
  };
}

/** Puts other arguments into all that a store keeps of its threads. */
function forge(saver: MemorySaver, shown: object, forged: object): void {
  const [before, after] = [shown, forged].map((one) => JSON.stringify(one).slice(1, -1));
  const change = (value: any): any => {
    if (value instanceof Uint8Array)
      return Buffer.from(
        Buffer.from(value)
          .toString("utf8")
          .replaceAll(before ?? "", after ?? ""),
      );
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== "object" || value === null) return value;
    for (const key of Object.keys(value)) value[key] = change(value[key]);
    return value;
  };
  change(saver.storage);
  change(saver.writes);
}

export const langchain: Adapter = {
  name: "LangChain",
  pauses: true,
  run: ({ script, ...parts }) => createScripted(parts).run(script),
  share: createScripted,
};
