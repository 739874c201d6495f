/**
 * Limits how many calls run at a time; more wait, up to a limit. Places are shared fairly: no label holder gets more
 * than a quarter of them and no principal more than seven eighths, the next place goes to the principal with the
 * fewest running calls and there to the label holder with the fewest, and a label holder without waiting calls may
 * always wait.
 */
import {
  type Member,
  memberOf,
  OwnerCounts,
  SHARE_OF_HOLDER,
  SHARE_OF_PARTY,
  type TurnOwner,
} from "../../../threads/index.ts";
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
  take(longestMs: number, signal?: AbortSignal, owner?: TurnOwner): Promise<Slot>;
}

interface Waiter extends Member {
  readonly proceed: () => void;
}

export function createCallQueue({ inFlight, waiting, schedule }: CallQueueOptions): CallQueue {
  const shareOf = (all: number, share: number): number => Math.max(1, Math.floor(all * share));
  const most = { holder: shareOf(inFlight, SHARE_OF_HOLDER), party: shareOf(inFlight, SHARE_OF_PARTY) };
  const mostWaiting = { holder: shareOf(waiting, SHARE_OF_HOLDER), party: shareOf(waiting, SHARE_OF_PARTY) };
  const running = new OwnerCounts();
  const waitingOf = new OwnerCounts();
  // INVARIANT: a set keeps the order in which its members were added.
  const waiters = new Set<Waiter>();

  const ofParty = ({ party }: Member): number => running.parties.of(party);
  const ofHolder = ({ labelHolder }: Member): number => running.holders.of(labelHolder);
  const mayRun = (member: Member): boolean =>
    running.total < inFlight && ofHolder(member) < most.holder && ofParty(member) < most.party;
  const hasFewer = (one: Member, other: Member): boolean =>
    ofParty(one) < ofParty(other) || (ofParty(one) === ofParty(other) && ofHolder(one) < ofHolder(other));

  const takeNow = (member: Member): Slot => {
    running.add(member, 1);
    return { kind: "taken", release: once(() => giveBack(member)) };
  };

  const giveBack = (member: Member): void => {
    running.add(member, -1);
    let next: Waiter | null = null;
    for (const waiter of waiters)
      if (mayRun(waiter) && (next === null || hasFewer(waiter, next))) next = waiter;
    next?.proceed();
  };

  const wait = (longestMs: number, signal: AbortSignal | undefined, member: Member): Promise<Slot> =>
    new Promise((resolve) => {
      const leave = (slot: () => Slot): void => {
        if (!waiters.delete(waiter)) return;
        waitingOf.add(member, -1);
        stopTimer();
        signal?.removeEventListener("abort", abort);
        resolve(slot());
      };
      const waiter = { ...member, proceed: () => leave(() => takeNow(member)) };
      const abort = (): void => leave(() => ({ kind: "aborted" }));
      waiters.add(waiter);
      waitingOf.add(member, 1);
      const stopTimer = schedule(() => leave(() => ({ kind: "late" })), longestMs);
      signal?.addEventListener("abort", abort, { once: true });
    });

  const isFull = ({ labelHolder, party }: Member, isNamed: boolean): boolean => {
    const own = waitingOf.holders.of(labelHolder);
    if (own >= mostWaiting.holder) return true;
    if (isNamed && own === 0) return false;
    return waitingOf.parties.of(party) >= mostWaiting.party || waiters.size >= waiting;
  };

  let nobodies = 0;
  /** A call of nobody counts separately. */
  const nobody = (): Member => memberOf({ labelHolder: `nobody ${nobodies++}`, principal: null });
  return {
    take: async (longestMs, signal, owner) => {
      const member = owner === undefined ? nobody() : memberOf(owner);
      if (signal?.aborted) return { kind: "aborted" };
      if (mayRun(member)) return takeNow(member);
      return isFull(member, owner !== undefined) ? { kind: "full" } : wait(longestMs, signal, member);
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
