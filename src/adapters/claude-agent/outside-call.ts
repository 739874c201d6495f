/**
 * A call that the SDK runs by itself, as a call of the session: it begins once it is admitted, and lasts until the SDK
 * has told how it ended. So its result is inspected like any other, before the model has it.
 */
import type { Outcome, Session } from "../../runtime/index.ts";
import { callGuarded } from "../guarded-call.ts";

/** How the SDK says that a call ended. */
export interface Ending {
  readonly failed: boolean;
  /** What the tool gave back, or its error; undefined if it never ran. */
  readonly result: unknown;
}

/** A call that was admitted and hasn't ended. */
export interface RunningCall {
  /** The identity of the tool that it was admitted as. */
  readonly means: string;
  /** What it was decided on. */
  readonly input: unknown;
  /** Resolves once the end is told and what was found in the result is durable. */
  end(ending: Ending): Promise<void>;
}

/** What came of a call: it runs, or it was refused. */
export type Begun =
  | { readonly running: RunningCall }
  | { readonly running: null; readonly refused: Outcome<unknown> };

export interface OutsideCall {
  /** The name that it is decided by. */
  readonly tool: string;
  /** The identity of the tool that this may mean; null for none. */
  readonly means: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly waitSeconds?: number | undefined;
}

/** Decides a call, and resolves with that: its decision is durable then. Takes the session's turn in this very moment. */
export async function beginCall(session: Session, { means, ...call }: OutsideCall): Promise<Begun> {
  const started = Promise.withResolvers<Pick<RunningCall, "means" | "input">>();
  const ended = Promise.withResolvers<Ending>();
  const outcome = callGuarded<unknown>(session, {
    ...call,
    run: async (input, { tool, fail }) => {
      // INVARIANT: what was admitted is the tool that the SDK is about to run, whatever the policy became meanwhile.
      if (tool !== means) throw new Error(`The call was admitted as ${tool}.`);
      started.resolve({ means: tool, input });
      const { failed, result } = await ended.promise;
      if (failed) fail();
      return result;
    },
  });
  const begun = await Promise.race([started.promise, outcome]);
  if ("effect" in begun) return { running: null, refused: begun };
  // It is awaited where the call ends; until then nobody is there to be told.
  outcome.catch(() => {});
  const end = async (ending: Ending): Promise<void> => {
    ended.resolve(ending);
    await outcome;
  };
  return { running: { ...begun, end } };
}

/** The calls of each session that the SDK runs now, by its own ids; a session that is gone takes them along. */
export class RunningCalls {
  readonly #calls = new WeakMap<Session, Map<string, RunningCall>>();

  get(session: Session, id: string): RunningCall | null {
    return this.#calls.get(session)?.get(id) ?? null;
  }

  add(session: Session, id: string, call: RunningCall): void {
    const calls = this.#calls.get(session) ?? new Map<string, RunningCall>();
    this.#calls.set(session, calls.set(id, call));
  }

  /** Gives the call, which is no longer one of these. */
  take(session: Session, id: string): RunningCall | null {
    const call = this.get(session, id);
    this.#calls.get(session)?.delete(id);
    return call;
  }
}
