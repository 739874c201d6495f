/**
 * Limits how many calls run at a time; more wait, up to a limit. Slots are shared fairly: no label holder gets more
 * than a quarter of them, the next slot goes to the holder with the fewest running calls, and a holder without
 * waiting calls may always wait.
 */
import type { Schedule } from "./schedule.ts";

export interface CallQueueOptions {
  readonly inFlight: number;
  readonly waiting: number;
  readonly schedule: Schedule;
}

/** The outcome of a wait: a slot, which the caller must release, or none. */
export type Slot =
  | { readonly kind: "taken"; readonly release: () => void }
  | { readonly kind: "full" | "late" | "aborted" };

export interface CallQueue {
  /** Waits for a slot, at most `longestMs` and until `signal` aborts. Never rejects. */
  take(longestMs: number, signal?: AbortSignal, labelHolder?: string): Promise<Slot>;
}

/** The label holder of a call; a call without one counts separately. */
type Party = string | symbol;

interface Waiter {
  readonly holder: Party;
  readonly proceed: () => void;
}

/** The part of all slots that one label holder may have. */
const SHARE = 4;

export function createCallQueue({ inFlight, waiting, schedule }: CallQueueOptions): CallQueue {
  const mostRunning = Math.max(1, Math.floor(inFlight / SHARE));
  const mostWaiting = Math.max(1, Math.floor(waiting / SHARE));
  const running = new Map<Party, number>();
  // INVARIANT: a set keeps the order in which its members were added.
  const waiters = new Set<Waiter>();
  let total = 0;

  const runningOf = (holder: Party): number => running.get(holder) ?? 0;
  const mayRun = (holder: Party): boolean => total < inFlight && runningOf(holder) < mostRunning;

  const takeNow = (holder: Party): Slot => {
    total += 1;
    running.set(holder, runningOf(holder) + 1);
    return { kind: "taken", release: once(() => giveBack(holder)) };
  };

  const giveBack = (holder: Party): void => {
    total -= 1;
    const left = runningOf(holder) - 1;
    if (left > 0) running.set(holder, left);
    else running.delete(holder);
    let next: Waiter | null = null;
    for (const waiter of waiters) {
      if (!mayRun(waiter.holder)) continue;
      if (next === null || runningOf(waiter.holder) < runningOf(next.holder)) next = waiter;
    }
    next?.proceed();
  };

  const wait = (longestMs: number, signal: AbortSignal | undefined, holder: Party): Promise<Slot> =>
    new Promise((resolve) => {
      const leave = (slot: () => Slot): void => {
        if (!waiters.delete(waiter)) return;
        stopTimer();
        signal?.removeEventListener("abort", abort);
        resolve(slot());
      };
      const waiter = { holder, proceed: () => leave(() => takeNow(holder)) };
      const abort = (): void => leave(() => ({ kind: "aborted" }));
      waiters.add(waiter);
      const stopTimer = schedule(() => leave(() => ({ kind: "late" })), longestMs);
      signal?.addEventListener("abort", abort, { once: true });
    });

  const isFull = (holder: Party): boolean => {
    const own = [...waiters].filter((waiter) => waiter.holder === holder).length;
    const hasFloor = typeof holder === "string" && own === 0;
    return own >= mostWaiting || (!hasFloor && waiters.size >= waiting);
  };

  return {
    take: async (longestMs, signal, labelHolder) => {
      const party = labelHolder ?? Symbol("nobody's");
      if (signal?.aborted) return { kind: "aborted" };
      if (mayRun(party)) return takeNow(party);
      return isFull(party) ? { kind: "full" } : wait(longestMs, signal, party);
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
