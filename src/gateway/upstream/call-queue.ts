/** Lets a bounded number of calls run at a time; more wait in the order they came, up to a bound. */
import type { Schedule } from "./schedule.ts";

export interface CallQueueOptions {
  readonly inFlight: number;
  readonly waiting: number;
  readonly schedule: Schedule;
}

/** What became of a wait: the slot is the caller's until it gives it back, or it has none. */
export type Slot =
  | { readonly kind: "taken"; readonly release: () => void }
  | { readonly kind: "full" | "late" | "aborted" };

export interface CallQueue {
  /** Waits for a slot, at most `longestMs` and until `signal` aborts. Never rejects. */
  take(longestMs: number, signal?: AbortSignal): Promise<Slot>;
}

export function createCallQueue({ inFlight, waiting, schedule }: CallQueueOptions): CallQueue {
  let running = 0;
  // INVARIANT: a set keeps the order in which its members were added.
  const waiters = new Set<() => void>();

  const takeNow = (): Slot => {
    running += 1;
    return { kind: "taken", release: once(giveBack) };
  };

  const giveBack = (): void => {
    running -= 1;
    const [next] = waiters;
    next?.();
  };

  const wait = (longestMs: number, signal: AbortSignal | undefined): Promise<Slot> =>
    new Promise((resolve) => {
      const leave = (slot: () => Slot): void => {
        if (!waiters.delete(proceed)) return;
        stopTimer();
        signal?.removeEventListener("abort", abort);
        resolve(slot());
      };
      const proceed = (): void => leave(takeNow);
      const abort = (): void => leave(() => ({ kind: "aborted" }));
      waiters.add(proceed);
      const stopTimer = schedule(() => leave(() => ({ kind: "late" })), longestMs);
      signal?.addEventListener("abort", abort, { once: true });
    });

  return {
    take: async (longestMs, signal) => {
      if (signal?.aborted) return { kind: "aborted" };
      if (running < inFlight && waiters.size === 0) return takeNow();
      if (waiters.size >= waiting) return { kind: "full" };
      return wait(longestMs, signal);
    },
  };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
