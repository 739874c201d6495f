/**
 * Gathers the facts for a decision, at every call: from the host, from the provider, from the run's grant. What can't
 * be determined is a fault, and denies.
 */
import {
  type Call,
  type Facts,
  type Fault,
  isMethodId,
  join,
  type Label,
  type Lattice,
  PERMISSIONS,
  type Permission,
  parseToolId,
  type Tool,
} from "../../core/index.ts";
import { ownerOf, type TurnOwner } from "../../threads/index.ts";
import { assertGiven } from "../option-shapes.ts";
import { toDefinition } from "../pins/definition.ts";
import type { Examination, JsonObject, ToolProvider } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import { findInvalidArgument } from "./invalid-argument.ts";
import { findForeignParameter } from "./method-calls.ts";
import { findUnknownArgument, type UnknownArgument } from "./unknown-argument.ts";

/** The origin of a call, for functions that gather facts. */
export interface CallView {
  readonly session: string;
  /** The label holder: shared by all runs of a session and by its forks. */
  readonly labelHolder: string;
  readonly principal: string;
  /** The tools that the calling run sees. */
  readonly tools: readonly Tool[];
  /** The tool that a name means to that run, by any of its names; null if it sees none. */
  tool(name: string): Tool | null;
}

interface ApprovalFacts {
  /** The hash of the tool's definition, if it has one. */
  readonly definition?: string;
  /** What the tool's provider found out about the call. Its reasons to ask count. */
  readonly examined?: Examination;
}

/** What a host knows about one call: facts for the decision, and more that an approval is bound to. */
export interface CallFacts
  extends Pick<Facts, "source" | "faults" | "asks" | "isProtected" | "unknownArgument" | "signIn">,
    ApprovalFacts {}

/**
 * Gathers the facts of a call. An exception or any other shape is a fault.
 * @param known what the gate's own `facts` returned about the call
 */
export type GatherFacts = (call: Call, view: CallView, known: CallFacts) => CallFacts | Promise<CallFacts>;

/** All facts for the decision on one call. */
export interface GatheredFacts extends Facts, ApprovalFacts {}

/**
 * Checks the results of a host's function for facts, because a misspelt key would be ignored.
 * @throws SluicegateError `invalid-request` from the returned function; `onFault` gets it too.
 */
export function checkingFacts(facts: GatherFacts, onFault: (cause: unknown) => void): GatherFacts {
  return async (...given) => {
    const found = await facts(...given);
    try {
      assertGiven("facts", found, "facts");
    } catch (cause) {
      onFault(cause);
      throw cause;
    }
    return found;
  };
}

/** The view of a session for gathering facts. */
export function toCallView(session: Session): CallView {
  const tools = (): readonly Tool[] => session.tools;
  return {
    session: session.id,
    labelHolder: session.labelHolder,
    principal: session.principal,
    get tools() {
      return tools();
    },
    tool: (name) => session.tool(name),
  };
}

/** Where facts come from, at every call. */
interface Sources {
  readonly lattice: Lattice;
  /** Functions that return facts about the call. */
  readonly ask: readonly ((known: CallFacts) => CallFacts | Promise<CallFacts>)[];
  /** The function that grants permissions, if there is one. */
  readonly grant?: () => Iterable<Permission> | Promise<Iterable<Permission>>;
}

/** The current facts, added to those that stay the same. What can't be determined grants nothing, and is a fault. */
export async function gatherFacts(standing: Facts, { lattice, ask, grant }: Sources): Promise<GatheredFacts> {
  const faults: Fault[] = [];
  const attempt = async <Value>(code: Fault["code"], message: string, run: () => Value | Promise<Value>) => {
    try {
      return await run();
    } catch {
      faults.push({ code, message });
      return undefined;
    }
  };
  let gathered: CallFacts = {};
  for (const one of ask) {
    const known = gathered;
    gathered = withFacts(
      lattice,
      gathered,
      (await attempt("provider", "A fact about this call could not be found out.", () => one(known))) ?? {},
    );
  }
  const resolved = grant
    ? ((await attempt("permissions", "The function that grants permissions threw.", async () => [
        ...(await grant()),
      ])) ?? [])
    : standing.granted;
  const source = joined(lattice, gathered.examined?.source, gathered.source);
  return {
    ...standing,
    ...gathered,
    ...withExamined(gathered),
    ...(resolved && { granted: resolved.filter((name) => PERMISSIONS.includes(name)) }),
    faults: [...faults, ...(gathered.faults ?? [])],
    ...(source && { source }),
  };
}

/** Combines a call's facts with what its provider found: reasons to ask, and protected targets. */
export function withExamined({
  asks = [],
  isProtected,
  examined,
}: CallFacts): Pick<CallFacts, "asks" | "isProtected"> {
  const asking = [...asks, ...(examined?.asks ?? [])];
  return {
    ...(asking.length > 0 && { asks: asking }),
    ...((isProtected || examined?.isProtected) && { isProtected: true }),
  };
}

/** INVARIANT: combining removes nothing: reasons to ask, denials, faults and sources of both count. */
export function withFacts(lattice: Lattice, one: CallFacts, other: CallFacts): CallFacts {
  const source = joined(lattice, one.source, other.source);
  const examined =
    one.examined && other.examined
      ? bothExamined(lattice, one.examined, other.examined)
      : (one.examined ?? other.examined);
  return {
    ...other,
    ...one,
    faults: [...(one.faults ?? []), ...(other.faults ?? [])],
    asks: [...(one.asks ?? []), ...(other.asks ?? [])],
    ...((one.isProtected || other.isProtected) && { isProtected: true }),
    ...saidOnce(one, other),
    ...(source && { source }),
    ...(examined && { examined }),
  };
}

/** Facts that have one value: the first one's, even if its key has no value. */
function saidOnce(one: CallFacts, other: CallFacts): CallFacts {
  const definition = one.definition ?? other.definition;
  const unknownArgument = one.unknownArgument ?? other.unknownArgument;
  const signIn = one.signIn ?? other.signIn;
  return {
    ...(definition !== undefined && { definition }),
    ...(unknownArgument && { unknownArgument }),
    ...(signIn && { signIn }),
  };
}

/** Combines two examinations; facts with one value are the first one's. */
function bothExamined(lattice: Lattice, one: Examination, other: Examination): Examination {
  const source = joined(lattice, one.source, other.source);
  const told = joined(lattice, one.told, other.told);
  return {
    ...other,
    ...one,
    asks: [...one.asks, ...other.asks],
    targets: [...one.targets, ...other.targets],
    ...(other.isProtected && { isProtected: true }),
    ...(source && { source }),
    ...(told && { told }),
  };
}

const joined = (lattice: Lattice, one: Label | undefined, other: Label | undefined): Label | undefined =>
  one && other ? join(lattice, one, other) : (one ?? other);

interface ExaminedCall extends Call {
  /** Present if a person wrote these arguments. */
  readonly edit?: object;
}

/** The accepted definitions, by the tool's identity. */
interface AcceptedDefinitions {
  hashOf(tool: string): string | null;
}

/**
 * The `facts` of a gate whose sessions call these providers: each provider examines its calls at every decision.
 * @param accepted if these providers are all servers, as in a gateway: tools of other servers can't be called, and
 *   definitions must be the accepted ones
 */
export function examineCalls(providers: readonly ToolProvider[], accepted?: AcceptedDefinitions) {
  return async (
    call: ExaminedCall,
    view: Pick<CallView, "tool"> & Partial<Pick<CallView, "labelHolder" | "principal">>,
  ): Promise<CallFacts> => {
    // INVARIANT: a name means the same tool here as in the decision, so no name avoids the examination.
    // THREAT: hidden tools aren't examined, so that a call reveals nothing about them.
    const tool = view.tool(call.tool);
    if (tool === null || tool.server === null) return {};
    const provider = providers.find(({ id }) => id === tool.server);
    if (provider === undefined) return accepted === undefined ? {} : { faults: [notConnected(tool.server)] };
    const obstacle = await obstacleAt(provider, view.principal);
    if (obstacle !== null) return obstacle;
    const definition = definitionOf(provider, tool, accepted);
    return {
      ...(definition !== undefined && { definition }),
      ...(await examine(provider, tool, call, ownerOf(view))),
    };
  };
}

/** Examines a call's arguments. */
async function examine(
  provider: ToolProvider,
  tool: Tool,
  { arguments: args = {}, edit }: ExaminedCall,
  owner: TurnOwner | undefined,
): Promise<CallFacts> {
  const unknownArgument = unknownArgumentOf(provider, tool, args);
  if (unknownArgument === "too-large") return { faults: [tooLarge(tool)] };
  if (unknownArgument !== null) return { unknownArgument };
  const schema = edit && provider.tools.get(parseToolId(tool.id).tool)?.inputSchema;
  const invalid = schema && findInvalidArgument(schema, args);
  if (invalid) return { faults: [{ code: "provider", message: invalid }] };
  if (provider.examine === undefined) return {};
  return { examined: await provider.examine(parseToolId(tool.id).tool, args, undefined, owner) };
}

/** Providers that are part of this program check their own arguments, with better messages. */
function unknownArgumentOf(
  { isOwn, tools }: ToolProvider,
  tool: Tool,
  args: JsonObject,
): UnknownArgument | "too-large" | null {
  const foreign = isMethodId(tool.id) ? findForeignParameter(tool.id, args) : null;
  if (foreign !== null) return { argument: foreign, near: null };
  const offered = isOwn ? undefined : tools.get(parseToolId(tool.id).tool);
  return offered ? findUnknownArgument(offered.inputSchema, args) : null;
}

/** The accepted definition's hash; the current one's for a tool that is unclassified or needs no acceptance. */
function definitionOf(
  { isOwn, tools }: ToolProvider,
  { id, classified }: Tool,
  accepted: AcceptedDefinitions | undefined,
): string | undefined {
  if (accepted !== undefined && classified && !isOwn) return accepted.hashOf(id) ?? undefined;
  const offered = tools.get(parseToolId(id).tool);
  return offered && toDefinition(offered)?.hash;
}

const tooLarge = ({ name }: Tool): Fault => ({
  code: "provider",
  message: `The arguments of \`${name}\` can't be compared with its input schema: both together are too large. Give fewer at a time.`,
});

/** What prevents all of a principal's calls to a provider. */
async function obstacleAt(provider: ToolProvider, principal = ""): Promise<CallFacts | null> {
  const { id: server, status, problem } = provider;
  const needed = provider.signInNeeded ? await provider.signInNeeded(principal) : null;
  if (needed !== null) return { signIn: { server, ...needed } };
  return status === "ready" ? null : { faults: [unavailable(server, problem)] };
}

const unavailable = (server: string, problem: string | null): Fault => ({
  code: "provider",
  message: `The server \`${server}\` can't be called now: ${problem ?? "it has not answered yet"}.`,
});

const notConnected = (server: string): Fault => ({
  code: "provider",
  message: `The server \`${server}\` is not connected to this gateway.`,
});
