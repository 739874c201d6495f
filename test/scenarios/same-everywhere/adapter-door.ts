/** The scenarios as agents of the SDKs play them: each call, or each batch, is one step of a scripted model. */
import { parseToolId } from "../../../src/core/index.ts";
import { SluicegateError } from "../../../src/errors/index.ts";
import type { Session, ToolProvider } from "../../../src/runtime/index.ts";
import type { Adapter, AgentTools } from "../../cases/adapter-driver.ts";
import { type Answer, type Json, type PlannedToolCall, sentencesOf, toResult } from "./door.ts";
import type { Host } from "./library-door.ts";

/** What a tool did, told to the model by a word of ours, so that each answer is known again. */
interface Ran {
  readonly word: string;
  readonly result: Answer["result"];
  readonly failure: SluicegateError | null;
}

/**
 * A host whose agent is one of this adapter's. What the SDK has of its own to hide tools and to pause is left out, so
 * that every call comes to the gate: what is compared is the decision where a tool is executed.
 */
export const createAdapterHost = (adapter: Adapter): Host => ({
  name: adapter.name,
  play: async (providers, session, calls) => {
    const ran: Ran[] = [];
    const tools = new Map(calls.map(({ tool }) => [tool, toTool(providers, session, tool, ran)]));
    const step = calls.map(({ tool, arguments: args = {} }, index) => ({ id: `c-${index}`, tool, args }));
    const { told } = await adapter.run({ session, tools, script: [step], bare: true });
    return step.map(({ id }) => toAnswer(told[id] ?? "", ran, calls));
  },
});

function toTool(
  providers: ReadonlyMap<string, ToolProvider>,
  session: Session,
  name: string,
  ran: Ran[],
): AgentTools extends ReadonlyMap<string, infer Tool> ? Tool : never {
  const run = async (args: Readonly<Record<string, unknown>>): Promise<string> => {
    const { server, tool } = parseToolId(session.tool(name)?.id ?? "");
    // Too short to be a value that the gate would look for later.
    const word = `#${ran.length};`;
    const result = await providers
      .get(server ?? "")
      ?.run(tool, args, {})
      .catch((cause: unknown) => cause);
    const failure = SluicegateError.isInstance(result) ? result : null;
    ran.push({ word, failure, result: failure || !result ? null : toResult(result) });
    // As a host does that tells the model of a tool's error by throwing it.
    if (failure || (result as { readonly isError?: boolean }).isError) throw new Error(word);
    return `${word} ${textOf(result)}`;
  };
  return { description: "", run };
}

/** What the model is told of a result; each SDK puts it in a shape of its own. */
const textOf = ({ content }: Json): string => content.map(({ text }: Json) => text).join("\n");

const WAITS = / The approval is appr_[0-9a-f]{32}; nothing was run\.$/;

function toAnswer(told: string, ran: readonly Ran[], calls: readonly PlannedToolCall[]): Answer {
  // An SDK may keep an error's words from the model.
  const own = ran.find(({ word }) => told.includes(word)) ?? (calls.length === 1 ? ran[0] : undefined);
  if (own) {
    const sentences = own.failure ? sentencesOf(own.failure) : [];
    return { decision: null, effect: "allow", sentences, result: own.result };
  }
  const sentences = told.replace(WAITS, "").split("\n");
  return { decision: null, effect: WAITS.test(told) ? "ask" : "deny", sentences, result: null };
}
