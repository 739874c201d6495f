/**
 * A call that the SDK runs itself, as a call of the session: it begins when it is admitted, and lasts until the SDK
 * reports its end. So its result is inspected before the model gets it.
 */
import type { Outcome, Session } from "../../runtime/index.ts";
import { callGuarded } from "../guarded-call.ts";

interface Ending {
  readonly failed: boolean;
  /** The tool's result or error; undefined if it never ran. */
  readonly result: unknown;
}

/** An admitted call that hasn't ended. */
export interface RunningCall {
  /** The identity of the tool as which it was admitted. */
  readonly means: string;
  /** The arguments that were decided on. */
  readonly input: unknown;
  /** Resolves once the end is recorded and findings in the result are durable. */
  end(ending: Ending): Promise<void>;
}

/** The outcome of a call: it runs, or was refused. */
type Begun =
  | { readonly running: RunningCall }
  | { readonly running: null; readonly refused: Outcome<unknown> };

interface OutsideCall {
  /** The name by which it is decided. */
  readonly tool: string;
  /** The identity of the tool that this means; null for none. */
  readonly means: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly waitSeconds?: number | undefined;
}

/** Decides a call, and resolves when the decision is durable. Takes the session's turn at once. */
export async function beginCall(session: Session, { means, ...call }: OutsideCall): Promise<Begun> {
  const started = Promise.withResolvers<Pick<RunningCall, "means" | "input">>();
  const ended = Promise.withResolvers<Ending>();
  const outcome = callGuarded<unknown>(session, {
    ...call,
    run: async (input, { tool, fail }) => {
      // INVARIANT: the admitted tool is the one that the SDK is about to run, even if the policy changed meanwhile.
      if (tool !== means) throw new Error(`The call was admitted as ${tool}.`);
      started.resolve({ means: tool, input });
      const { failed, result } = await ended.promise;
      if (failed) fail();
      return result;
    },
  });
  const begun = await Promise.race([started.promise, outcome]);
  if ("effect" in begun) return { running: null, refused: begun };
  // It is awaited when the call ends; until then nobody handles a rejection.
  outcome.catch(() => {});
  const end = async (ending: Ending): Promise<void> => {
    ended.resolve(ending);
    await outcome;
  };
  return { running: { ...begun, end } };
}

/** The calls of each session that the SDK runs now, by its ids. They are dropped with their session. */
export class RunningCalls {
  readonly #calls = new WeakMap<Session, Map<string, RunningCall>>();

  get(session: Session, id: string): RunningCall | null {
    return this.#calls.get(session)?.get(id) ?? null;
  }

  add(session: Session, id: string, call: RunningCall): void {
    const calls = this.#calls.get(session) ?? new Map<string, RunningCall>();
    this.#calls.set(session, calls.set(id, call));
  }

  /** Removes and returns the call. */
  take(session: Session, id: string): RunningCall | null {
    const call = this.get(session, id);
    this.#calls.get(session)?.delete(id);
    return call;
  }
}
