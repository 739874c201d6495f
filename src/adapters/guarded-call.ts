/**
 * The one way of a call through every adapter: its turn, its decision, its run. What an SDK's own gate has said
 * before counts for nothing here.
 */
import { shape } from "../core/index.ts";
import { isJsonObject } from "../json/json-object.ts";
import { assertSession, type CallContext, type Outcome, type Session } from "../runtime/index.ts";
import { takeTurn } from "./turns.ts";

/**
 * Whose calls are guarded: a session, or a function that says so at every call, such as `currentSession`, for an
 * agent that several sessions share.
 */
export type SessionSource = Session | (() => Session);

export interface GuardOptions {
  /** Seconds that a call which asks is held for a person, where its SDK has not paused for it. Left out: not at all. */
  readonly waitSeconds?: number;
  /** Names of tools that the SDK or its provider runs by itself, and that are let through without any decision. */
  readonly ungoverned?: readonly string[];
}

/** A call as an SDK hands it over. */
export interface GuardedCall<Result> {
  /** The tool's name, as the model knows it. */
  readonly tool: string;
  readonly input: unknown;
  /** Runs the tool on the copy of its input that was decided on. */
  readonly run: (input: unknown, context: CallContext) => Result | Promise<Result>;
  /** The caller; once it is gone the call isn't run. */
  readonly signal?: AbortSignal | undefined;
  readonly waitSeconds?: number | undefined;
}

/** The session that a call belongs to now. @throws SluicegateError `no-current-session`, `invalid-request` */
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
 * Checks what `guard` is given besides the tools; `keys` are the options that an adapter has.
 * @throws SluicegateError `invalid-request` for what is neither a session nor a function that gives one, and for
 * options that there aren't.
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
 * Checks the names of the tools that are guarded, where the session is known by then.
 * @throws SluicegateError `invalid-tool` for a name that is almost certainly misspelt.
 */
export function assertNames(source: SessionSource, names: readonly string[]): void {
  if (typeof source !== "function") source.assertToolNames(names);
}

/**
 * Decides a call and, where it is allowed, runs it. Decisions of one session are made in the order in which this was
 * called; what was admitted runs side by side.
 * @throws whatever the tool throws, and SluicegateError as `Session.call` does.
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

/** Tools that take one value and no object have it as their argument `input`. */
export const toArguments = (input: unknown): Arguments =>
  isJsonObject(input) ? input : { input: input ?? null };

const fromArguments = (input: unknown, args: Arguments): unknown => (isJsonObject(input) ? args : args.input);
