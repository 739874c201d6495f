/**
 * The order of runs: of one session one after the other, as they came; of different sessions side by side. The port,
 * and the one that serves a single process.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** A run's turn. Nobody else of the session runs before it has ended, or was lost. */
export interface RunTurn {
  /** Grows with each turn of a session, so that what comes late from an earlier one can be told. */
  readonly fence: number;
  /** Aborted once the turn is somebody else's, as where a lease wasn't renewed in time. */
  readonly lost: AbortSignal;
  end(): Promise<void>;
}

/** Gives turns. One for several processes needs what they share: leases in their store, each with a fence. */
export interface RunOrder {
  /** Resolves when the session is free. Rejects with the signal's reason where the caller leaves before that. */
  enter(session: string, signal?: AbortSignal): Promise<RunTurn>;
}

/** The order of the runs of one process. */
export function createRunOrder(): RunOrder {
  const last = new Map<string, { readonly over: Promise<unknown>; readonly fence: number }>();
  const never = new AbortController().signal;
  return {
    enter: async (session, signal) => {
      const before = last.get(session);
      const { promise, resolve } = Promise.withResolvers<void>();
      const over = Promise.all([before?.over, promise]);
      const place = { over, fence: (before?.fence ?? 0) + 1 };
      last.set(session, place);
      over.then(() => {
        if (last.get(session) === place) last.delete(session);
      });
      try {
        await unlessAborted(before?.over, signal);
      } catch (cause) {
        resolve();
        throw cause;
      }
      return { fence: place.fence, lost: never, end: async () => resolve() };
    },
  };
}

async function unlessAborted(ready: Promise<unknown> | undefined, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (ready === undefined || signal === undefined) {
    await ready;
    return;
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([ready, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

interface Inside {
  readonly session: string;
  readonly outer: Inside | undefined;
  isOver: boolean;
}

const inside = new AsyncLocalStorage<Inside>();

/** Runs in the session's turn. What a run's own tools start in its session is part of it, and waits for nobody. */
export async function runInOrder<Result>(
  order: RunOrder,
  session: string,
  signal: AbortSignal | undefined,
  run: (lost: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  const outer = inside.getStore();
  if (isWithin(outer, session)) return run(null);
  const turn = await order.enter(session, signal);
  const place: Inside = { session, outer, isOver: false };
  try {
    return await inside.run(place, () => run(turn.lost));
  } finally {
    place.isOver = true;
    await turn.end();
  }
}

function isWithin(place: Inside | undefined, session: string): boolean {
  for (let one = place; one !== undefined; one = one.outer) {
    if (one.session === session && !one.isOver) return true;
  }
  return false;
}
