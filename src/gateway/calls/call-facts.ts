/** What must be known of a call before it is decided: whether its server can be called, and what that finds out. */
import {
  type Call,
  type Fault,
  isMethodId,
  lookUp,
  type Policy,
  parseToolId,
  type Tool,
} from "../../core/index.ts";
import type { CallFacts, CallView, Pins, ToolProvider } from "../../runtime/index.ts";
import { toDefinition } from "../../runtime/index.ts";
import { findForeignParameter } from "./offer-call.ts";
import { findUnknownArgument, type UnknownArgument } from "./unknown-argument.ts";

export interface CallFactsSources {
  readonly policy: () => Policy;
  readonly providers: readonly ToolProvider[];
  readonly pins: Pick<Pins, "hashOf">;
}

/** Gathers the facts of calls, afresh for each. */
export function createCallFacts({ policy, providers, pins }: CallFactsSources) {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  return (call: Call, view: CallView): CallFacts | Promise<CallFacts> => {
    const { tool } = lookUp(policy(), call.tool);
    if (tool === null || tool.server === null) return {};
    const provider = byId.get(tool.server);
    if (provider?.status !== "ready") return { faults: [unavailable(tool.server, provider)] };
    const definition = definitionOf(pins, provider, tool);
    const facts: CallFacts = definition === undefined ? {} : { definition };
    // THREAT: what a session doesn't see is not looked at, so that nothing can be learned by asking for it.
    return isSeen(view, tool) ? withArguments({ facts, call, tool, provider, view }) : facts;
  };
}

interface Gathering {
  readonly facts: CallFacts;
  readonly call: Call;
  readonly tool: Tool;
  readonly provider: ToolProvider;
  readonly view: CallView;
}

/** The facts with what the call's arguments say. */
function withArguments({ facts, call, tool, provider, view }: Gathering): CallFacts | Promise<CallFacts> {
  const unknownArgument = unknownArgumentOf(call, tool, provider);
  if (unknownArgument === "too-large") return { ...facts, faults: [tooLarge(tool)] };
  if (unknownArgument !== null) return { ...facts, unknownArgument };
  if (provider.examine === undefined) return facts;
  return provider
    .examine(parseToolId(tool.id).tool, call.arguments ?? {}, undefined, view.labelHolder)
    .then((examined) => ({ ...facts, examined }));
}

const isSeen = ({ tools }: CallView, { id }: Tool): boolean => tools.some((seen) => seen.id === id);

/** Providers of this program check their own arguments, and know better what is wrong with them. */
function unknownArgumentOf(
  call: Call,
  tool: Tool,
  { isOwn, tools }: ToolProvider,
): UnknownArgument | "too-large" | null {
  const foreign = isMethodId(tool.id) ? findForeignParameter(tool.id, call.arguments ?? {}) : null;
  if (foreign !== null) return { argument: foreign, near: null };
  const offered = isOwn ? undefined : tools.get(parseToolId(tool.id).tool);
  return offered ? findUnknownArgument(offered.inputSchema, call.arguments ?? {}) : null;
}

/** The accepted definition's hash; the present one's for a tool that nobody has to accept, or that nobody classified. */
function definitionOf(
  pins: Pick<Pins, "hashOf">,
  provider: ToolProvider,
  { id, classified }: Tool,
): string | undefined {
  if (classified && !provider.isOwn) return pins.hashOf(id) ?? undefined;
  const offered = provider.tools.get(parseToolId(id).tool);
  return offered && toDefinition(offered)?.hash;
}

const tooLarge = ({ name }: Tool): Fault => ({
  code: "provider",
  message: `The arguments of \`${name}\` can't be compared with its input schema: both together are too large. Give fewer at a time.`,
});

function unavailable(server: string, provider: ToolProvider | undefined): Fault {
  const message = provider
    ? `The server \`${server}\` can't be called now: ${provider.problem ?? "it has not answered yet"}.`
    : `The server \`${server}\` is not connected to this gateway.`;
  return { code: "provider", message };
}
