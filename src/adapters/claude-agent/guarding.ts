/** The state that hooks, `canUseTool` and tools of one `guard` share. */
import { explain } from "../../core/index.ts";
import { canonicalJson, describeRefusal, type Session } from "../../runtime/index.ts";
import { decidedAs } from "../claude-code/decided-as.ts";
import type { SessionSource } from "../guarded-call.ts";
import type { StepOrder } from "../turns.ts";
import { beginCall, type RunningCall, type RunningCalls } from "./outside-call.ts";
import type { PermissionHost } from "./sdk-shapes.ts";

export interface Guarding {
  readonly source: SessionSource;
  /** The policy's names of the guarded tools, by the SDK's names. */
  readonly own: ReadonlyMap<string, string>;
  readonly ungoverned: ReadonlySet<string>;
  readonly canUseTool: PermissionHost["canUseTool"];
  readonly waitSeconds: number | undefined;
  readonly order: StepOrder;
  readonly running: RunningCalls;
}

/** A call that the SDK is about to run. */
export interface SdkCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The SDK's id of the call. */
  readonly use: string;
  /** The SDK's id of the subagent that calls; null for the agent itself. */
  readonly agent: string | null;
  readonly signal: AbortSignal;
}

/** The outcome; a refusal in the gate's own words. */
type Decided = { readonly effect: "allow" } | { readonly effect: "ask" | "deny"; readonly message: string };

/**
 * Whether it is a guarded tool, according to the SDK's information about the tool's server, which older versions
 * lack. THREAT: a server from a project's settings may have the name of the guarded one.
 */
export const isOwn = ({ own }: Guarding, tool: string, server: unknown): boolean =>
  own.has(tool) && (server === undefined || propertyOf(server, "source") === "sdk");

/** A property of the SDK's data; undefined if there is none. */
export const propertyOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;

/** A subagent's calls may have ids that its parent used. */
export const keyOf = ({ agent, use }: Pick<SdkCall, "agent" | "use">): string => `${agent ?? ""} ${use}`;

/**
 * Decides a call. An allowed call counts as running from now on, and is decided once, however often it is asked
 * about; with other arguments, or for another tool, it is another call.
 */
export async function decideCall(
  guarding: Guarding,
  session: Session,
  call: SdkCall,
  waitSeconds?: number,
): Promise<Decided> {
  const meant = meaningOf(session, call);
  const admitted = guarding.running.get(session, keyOf(call));
  if (admitted !== null) {
    if (isSame(admitted, meant.id, call.input)) return { effect: "allow" };
    await endUnrun(guarding, session, call);
  }
  if (meant.why !== null) return { effect: "deny", message: meant.why };
  const { input, signal } = call;
  const begun = await beginCall(session, { tool: meant.name, means: meant.id, input, signal, waitSeconds });
  if (begun.running === null) {
    const { effect } = begun.refused;
    return { effect: effect === "ask" ? "ask" : "deny", message: describeRefusal(begun.refused) };
  }
  const other = guarding.running.take(session, keyOf(call));
  guarding.running.add(session, keyOf(call), begun.running);
  // Two simultaneous questions admitted it twice; only one will be reported.
  await other?.end({ failed: true, result: undefined });
  return { effect: "allow" };
}

/** THREAT: the ids come from the model's provider, and may be used twice. */
const isSame = (admitted: RunningCall, means: string | null, input: unknown): boolean =>
  admitted.means === means && canonicalJson(admitted.input) === canonicalJson(input);

/** Ends a call that may have been admitted, but was denied elsewhere: it never ran. */
export async function endUnrun(
  { running, order }: Guarding,
  session: Session,
  call: Pick<SdkCall, "agent" | "use">,
  told?: unknown,
): Promise<void> {
  order.leave(session, call.use);
  await running.take(session, keyOf(call))?.end({ failed: true, result: told });
}

interface Meant {
  readonly name: string;
  readonly id: string | null;
  /** Why no name of it can be decided on; null if one can. */
  readonly why: string | null;
}

/**
 * The tool that the SDK's name means to this session. A tool that the session doesn't see is decided under the name
 * as given, so that the refusal is recorded.
 */
export function meaningOf(session: Session, { tool, input }: Pick<SdkCall, "tool" | "input">): Meant {
  const meaning = (name: string) => ({ tool: session.tool(name), candidates: [] });
  const decided = decidedAs(meaning, { tool, arguments: input, cwd: "/" });
  const seen = session.tool(tool);
  if (decided === null) {
    const unknown = explain(session.state.lattice, { code: "unknown-tool", tool });
    return { name: tool, id: null, why: seen === null ? null : unknown };
  }
  if (decided.file !== null) return { name: tool, id: null, why: NO_WORKSPACE };
  return { name: decided.tool, id: session.tool(decided.tool)?.id ?? null, why: null };
}

const NO_WORKSPACE =
  "This is a tool of the policy's workspace, and nothing here can examine which files it touches, so it was not run. " +
  "Tell the operator to start the agent with the hook, or to name the tool under the policy's `tools`.";
