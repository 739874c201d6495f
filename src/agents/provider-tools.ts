/** Tools of the gate's providers as tools of the AI SDK. */
import type { Tool } from "ai";
import { toToolId } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import {
  type CallContext,
  currentCall,
  type JsonObject,
  type OfferedTool,
  type Session,
  type ToolProvider,
  type ToolResult,
  toDefinition,
} from "../runtime/index.ts";
import { runAtProvider } from "../runtime/internal.ts";

/** Identities of everything that these providers offer now. */
export const idsOf = (providers: readonly ToolProvider[]): readonly string[] =>
  providers.flatMap(({ id, tools }) => [...tools.keys()].map((name) => toToolId(id, name)));

/** The providers' tools that a view sees, by the view's names. */
export async function toAiTools(
  providers: readonly ToolProvider[],
  view: Session,
  isTaken: (name: string) => boolean,
): Promise<readonly (readonly [string, Tool])[]> {
  if (providers.length === 0) return [];
  const { jsonSchema } = await import("ai");
  return providers.flatMap((provider) =>
    [...provider.tools.values()].flatMap((offered) => {
      const id = toToolId(provider.id, offered.name);
      const seen = view.tool(id);
      if (seen === null) return [];
      const inputSchema = jsonSchema(offered.inputSchema);
      const name = isTaken(seen.name) || !CALLABLE.test(seen.name) ? id : seen.name;
      return [[name, { ...toAiTool(provider, offered, id, view), inputSchema } as Tool] as const];
    }),
  );
}

/** Names by which models can call a tool. */
const CALLABLE = /^[a-zA-Z0-9_-]{1,64}$/;

function toAiTool(provider: ToolProvider, offered: OfferedTool, id: string, session: Session) {
  return {
    description: offered.description ?? offered.title ?? "",
    execute: async (args: JsonObject, { abortSignal }: { readonly abortSignal?: AbortSignal }) => {
      const call = currentCall();
      assertDecided(call, id);
      // Without another definition at the gate, the decision was about the one that the model saw.
      const definition = call.definition ?? toDefinition(offered)?.hash ?? null;
      const signal = abortSignal ? AbortSignal.any([call.signal, abortSignal]) : call.signal;
      return runAtProvider({ session, provider, context: { ...call, definition, signal } }, args);
    },
    toModelOutput: ({ output }: { readonly output: ToolResult }) => toModelOutput(output),
  };
}

/** THREAT: a server may have changed its offers since, so a name may have meant another tool in the decision. */
function assertDecided(call: CallContext | null, id: string): asserts call is CallContext {
  if (call === null || call.tool !== id)
    throw new SluicegateError("upstream-unavailable", "The tool was not run.", {
      why: "What was decided on is another tool than this one.",
      fix: "Call it again.",
    });
}

function toModelOutput({ content, structuredContent, isError }: ToolResult) {
  const isText = content.every(({ type, text }) => type === "text" && typeof text === "string");
  const text =
    isText && content.length > 0
      ? content.map((block) => block.text).join("\n")
      : JSON.stringify(structuredContent ?? content);
  return { type: isError ? ("error-text" as const) : ("text" as const), value: text };
}
