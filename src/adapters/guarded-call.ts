/**
 * The only path of a call through every adapter: its turn, its decision, its run. Earlier decisions of an SDK don't
 * count.
 */
import { listNames, shape } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { isJsonObject } from "../json/json-object.ts";
import { assertSession, type CallContext, type Outcome, type Session } from "../runtime/index.ts";
import { takeTurn } from "./turns.ts";

/**
 * The session of the calls, or a function that returns it at every call, such as `currentSession`, for an agent that
 * several sessions share.
 */
export type SessionSource = Session | (() => Session);

export interface GuardOptions {
  /** How long a call waits for its approval if its SDK hasn't paused it, in seconds. Left out: it doesn't wait. */
  readonly waitSeconds?: number;
  /** Names of tools that the SDK or its provider runs, and that pass without a decision. */
  readonly ungoverned?: readonly string[];
}

export interface GuardedCall<Result> {
  /** The tool's name, as the model uses it. */
  readonly tool: string;
  readonly input: unknown;
  /** Runs the tool on the copy of its input that was decided on. */
  readonly run: (input: unknown, context: CallContext) => Result | Promise<Result>;
  /** Aborted when the caller has gone; then the call isn't run. */
  readonly signal?: AbortSignal | undefined;
  readonly waitSeconds?: number | undefined;
}

/** The session of a call. @throws SluicegateError `no-current-session`, `invalid-request` */
export function sessionOf(source: SessionSource): Session {
  const session: unknown = typeof source === "function" ? source() : source;
  assertSession(session, "The tools can't be guarded.");
  return session;
}

const OPTIONS = {
  waitSeconds: shape.numberFrom(0),
  ungoverned: shape.listOf(shape.text),
  server: shape.text,
  canUseTool: shape.callable,
};

/**
 * Checks the arguments of `guard` other than the tools; `keys` are the adapter's options.
 * @throws SluicegateError `invalid-request` for anything but a session or a function that returns one, and for
 *   unknown options.
 */
export function assertGuard(
  source: SessionSource,
  options: object,
  keys: readonly (keyof typeof OPTIONS)[] = ["waitSeconds", "ungoverned"],
): void {
  if (typeof source !== "function") sessionOf(source);
  const known = Object.fromEntries(keys.map((key) => [key, OPTIONS[key]]));
  const subject = { code: "invalid-request", message: "The tools can't be guarded.", path: "" } as const;
  shape.assertShape(shape.record(known), options, subject);
}

/**
 * Checks the names of the guarded tools, if the session is known already.
 * @throws SluicegateError `invalid-tool` for a name that is almost certainly misspelt.
 */
export function assertNames(source: SessionSource, names: readonly string[]): void {
  if (typeof source !== "function") source.assertToolNames(names);
}

/**
 * Decides a call and, if it is allowed, runs it. Calls of one session are decided in the order of these calls;
 * admitted ones run in parallel.
 * @throws what the tool throws, and SluicegateError as `Session.call` does.
 */
export async function callGuarded<Result>(
  session: Session,
  { tool, input, run, signal, waitSeconds }: GuardedCall<Result>,
): Promise<Outcome<Result>> {
  const turn = takeTurn(session.id);
  try {
    await turn.ready;
    signal?.throwIfAborted();
    const admitted = (args: Arguments, context: CallContext): Result | Promise<Result> => {
      turn.end();
      return run(fromArguments(input, args), context);
    };
    return await session.call({ tool, arguments: toArguments(input) }, admitted, {
      onWaiting: () => turn.end(),
      ...(signal && { signal }),
      ...(waitSeconds !== undefined && { waitSeconds }),
    });
  } finally {
    turn.end();
  }
}

type Arguments = Readonly<Record<string, unknown>>;

/** A tool with one value that isn't an object gets it as the argument `input`. */
export const toArguments = (input: unknown): Arguments =>
  isJsonObject(input) ? input : { input: input ?? null };

const fromArguments = (input: unknown, args: Arguments): unknown => (isJsonObject(input) ? args : args.input);

/** @throws SluicegateError `invalid-tool` for those not named in `ungoverned`. */
export function assertGoverned(elsewhere: readonly string[], ungoverned: readonly string[] = []): void {
  const found = elsewhere.filter((name) => !ungoverned.includes(name));
  if (found.length === 0) return;
  const [tool, it, runs] = found.length === 1 ? ["Tool", "it", "runs"] : ["Tools", "them", "run"];
  throw new SluicegateError("invalid-tool", `${tool} ${listNames(found)} can't be guarded.`, {
    why: `The SDK, its provider or a client ${runs} ${it} without asking this program, so nothing can be decided first.`,
    fix: "Give the agent a tool with a function of your own, or name what may run undecided in `ungoverned`.",
    details: { tools: found },
  });
}
