/**
 * The facts that a call is decided on, gathered just before, at every call: what the host says of it, what its
 * provider finds out about it, what its run is granted. What can't be found out is a fault, and denies.
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
import { assertGiven } from "../option-shapes.ts";
import { toDefinition } from "../pins/definition.ts";
import type { Examination, JsonObject, ToolProvider } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import { findForeignParameter } from "./method-calls.ts";
import { findUnknownArgument, type UnknownArgument } from "./unknown-argument.ts";

/** Where a call comes from, for whoever gathers facts about it. */
export interface CallView {
  readonly session: string;
  /** Who shares its label: all runs of one session, and its forks. */
  readonly labelHolder: string;
  readonly principal: string;
  /** The tools that the run sees which makes the call. */
  readonly tools: readonly Tool[];
  /** The tool that a name means to that run, whichever of its names it is; null if it sees none. */
  tool(name: string): Tool | null;
}

interface ApprovalFacts {
  /** The hash of the tool's definition, where it has one. */
  readonly definition?: string;
  /** What the tool's provider found out about the call. What it asks is asked. */
  readonly examined?: Examination;
}

/** What a host says of one call: what it is decided on besides its session, and what else an approval is bound to. */
export interface CallFacts
  extends Pick<Facts, "source" | "faults" | "asks" | "isProtected" | "unknownArgument" | "signIn">,
    ApprovalFacts {}

/**
 * Gathers the facts of a call. Throwing is a fault, and so is a result of another shape.
 * @param known what the gate's own `facts` have said of the call already
 */
export type GatherFacts = (call: Call, view: CallView, known: CallFacts) => CallFacts | Promise<CallFacts>;

/** All the facts that one call is decided on. */
export interface GatheredFacts extends Facts, ApprovalFacts {}

/**
 * A host's function for facts, whose results are checked: what is misspelt would otherwise be taken for nothing.
 * @throws SluicegateError `invalid-request` from the function that is returned, which `onFault` is told as well.
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

/** Where the calls of a session come from. */
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

/** What is asked at every call. */
interface Sources {
  readonly lattice: Lattice;
  /** Those who know something of the call. */
  readonly ask: readonly ((known: CallFacts) => CallFacts | Promise<CallFacts>)[];
  /** The function that grants permissions, if there is one. */
  readonly grant?: () => Iterable<Permission> | Promise<Iterable<Permission>>;
}

/** The facts of this moment, on top of those that stand. What can't be found out grants nothing, and is a fault. */
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

/** What asks and what protects, in a call's facts and in what its server found out about it. */
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

/** INVARIANT: another's facts take nothing away: what one asks, forbids or couldn't find out counts, and what it brings in. */
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

/** What is said of a call once: the first one's, also where that one has a key without a value. */
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

/** What both examined; what is said once is the first one's. */
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

/** The definitions that people have accepted, by the tool's identity. */
interface AcceptedDefinitions {
  hashOf(tool: string): string | null;
}

/**
 * The `facts` of a gate whose sessions call these providers: each examines its own calls, afresh every time.
 * @param accepted given where these providers are all the servers there are, as a gateway's are: a tool of another
 * server can't be called then, and a tool's definition is the accepted one
 */
export function examineCalls(providers: readonly ToolProvider[], accepted?: AcceptedDefinitions) {
  return async (
    call: Call,
    view: Pick<CallView, "tool"> & Partial<Pick<CallView, "labelHolder" | "principal">>,
  ): Promise<CallFacts> => {
    // INVARIANT: a name means here what it means where the call is decided, so none of a tool's names goes unexamined.
    // THREAT: what a view doesn't see is not examined, so that nothing can be learned by asking for it.
    const tool = view.tool(call.tool);
    if (tool === null || tool.server === null) return {};
    const provider = providers.find(({ id }) => id === tool.server);
    if (provider === undefined) return accepted === undefined ? {} : { faults: [notConnected(tool.server)] };
    const obstacle = await obstacleAt(provider, view.principal);
    if (obstacle !== null) return obstacle;
    const definition = definitionOf(provider, tool, accepted);
    return {
      ...(definition !== undefined && { definition }),
      ...(await examine(provider, tool, call.arguments ?? {}, view.labelHolder)),
    };
  };
}

/** What a call's arguments say. */
async function examine(
  provider: ToolProvider,
  tool: Tool,
  args: JsonObject,
  labelHolder: string | undefined,
): Promise<CallFacts> {
  const unknownArgument = unknownArgumentOf(provider, tool, args);
  if (unknownArgument === "too-large") return { faults: [tooLarge(tool)] };
  if (unknownArgument !== null) return { unknownArgument };
  if (provider.examine === undefined) return {};
  return { examined: await provider.examine(parseToolId(tool.id).tool, args, undefined, labelHolder) };
}

/** Providers of this program check their own arguments, and know better what is wrong with them. */
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

/** The accepted definition's hash; the present one's for a tool that nobody has to accept, or that nobody classified. */
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

/** What stands in the way of all of a principal's calls there. */
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
