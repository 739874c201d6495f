/**
 * Lets a bounded number of calls run at a time; more wait, up to a bound. Places are shared out between sessions: none
 * gets more than a quarter of them, and of those that wait the one goes next whose session has the fewest running.
 */
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
  take(longestMs: number, signal?: AbortSignal, session?: string): Promise<Slot>;
}

/** Whose a call is; one of nobody's is a party of its own. */
type Party = string | symbol;

interface Waiter {
  readonly session: Party;
  readonly proceed: () => void;
}

/** The part of all places that one session may have: one in so many. */
const SHARE = 4;

export function createCallQueue({ inFlight, waiting, schedule }: CallQueueOptions): CallQueue {
  const mostRunning = Math.max(1, Math.floor(inFlight / SHARE));
  const mostWaiting = Math.max(1, Math.floor(waiting / SHARE));
  const running = new Map<Party, number>();
  // INVARIANT: a set keeps the order in which its members were added.
  const waiters = new Set<Waiter>();
  let total = 0;

  const runningOf = (session: Party): number => running.get(session) ?? 0;
  const mayRun = (session: Party): boolean => total < inFlight && runningOf(session) < mostRunning;

  const takeNow = (session: Party): Slot => {
    total += 1;
    running.set(session, runningOf(session) + 1);
    return { kind: "taken", release: once(() => giveBack(session)) };
  };

  const giveBack = (session: Party): void => {
    total -= 1;
    const left = runningOf(session) - 1;
    if (left > 0) running.set(session, left);
    else running.delete(session);
    let next: Waiter | null = null;
    for (const waiter of waiters) {
      if (!mayRun(waiter.session)) continue;
      if (next === null || runningOf(waiter.session) < runningOf(next.session)) next = waiter;
    }
    next?.proceed();
  };

  const wait = (longestMs: number, signal: AbortSignal | undefined, session: Party): Promise<Slot> =>
    new Promise((resolve) => {
      const leave = (slot: () => Slot): void => {
        if (!waiters.delete(waiter)) return;
        stopTimer();
        signal?.removeEventListener("abort", abort);
        resolve(slot());
      };
      const waiter = { session, proceed: () => leave(() => takeNow(session)) };
      const abort = (): void => leave(() => ({ kind: "aborted" }));
      waiters.add(waiter);
      const stopTimer = schedule(() => leave(() => ({ kind: "late" })), longestMs);
      signal?.addEventListener("abort", abort, { once: true });
    });

  const isFull = (session: Party): boolean => {
    const own = [...waiters].filter((waiter) => waiter.session === session).length;
    return waiters.size >= waiting || own >= mostWaiting;
  };

  return {
    take: async (longestMs, signal, session) => {
      const party = session ?? Symbol("nobody's");
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
