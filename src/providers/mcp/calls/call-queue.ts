/**
 * Limits how many calls run at a time; more wait, up to a limit. Places are shared fairly: no label holder gets more
 * than a quarter of them and no principal more than seven eighths, and the next place goes to the principal with the
 * fewest running calls, and there to the label holder with the fewest.
 * A label holder without waiting calls may always wait, and so may a few calls of each principal.
 */
import {
  FairQueue,
  type Member,
  memberOf,
  OwnerCounts,
  type QueuedItem,
  SHARE_KEPT,
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

interface Waiter extends QueuedItem {
  readonly proceed: () => void;
}

export function createCallQueue({ inFlight, waiting, schedule }: CallQueueOptions): CallQueue {
  const shareOf = (all: number, share: number): number => Math.max(1, Math.floor(all * share));
  const most = { holder: shareOf(inFlight, SHARE_OF_HOLDER), party: shareOf(inFlight, SHARE_OF_PARTY) };
  const mostWaiting = { holder: shareOf(waiting, SHARE_OF_HOLDER), party: shareOf(waiting, SHARE_OF_PARTY) };
  const kept = Math.floor(waiting * SHARE_KEPT);
  const running = new OwnerCounts();
  const waitingOf = new OwnerCounts();
  const waiters = new FairQueue<Waiter>(Number.POSITIVE_INFINITY);
  const takeNow = (owner: TurnOwner, member: Member): Slot => {
    running.add(member, 1);
    return { kind: "taken", release: once(() => giveBack(owner, member)) };
  };

  const giveBack = (owner: TurnOwner, member: Member): void => {
    running.add(member, -1);
    // Whoever came during this call is next.
    waiters.defer(owner);
    if (running.total < inFlight) waiters.take(running, most, "fewest")?.proceed();
  };

  const wait = (longestMs: number, signal: AbortSignal | undefined, owner: TurnOwner): Promise<Slot> =>
    new Promise((resolve) => {
      const member = memberOf(owner);
      const leave = (slot: () => Slot): void => {
        waitingOf.add(member, -1);
        stopTimer();
        signal?.removeEventListener("abort", abort);
        resolve(slot());
      };
      const giveUp = (kind: "late" | "aborted"): void => {
        waiters.remove(waiter);
        leave(() => ({ kind }));
      };
      const waiter: Waiter = {
        ...{ owner, length: 0, drop: () => {} },
        proceed: () => leave(() => takeNow(owner, member)),
      };
      const abort = (): void => giveUp("aborted");
      waiters.add(waiter);
      waitingOf.add(member, 1);
      const stopTimer = schedule(() => giveUp("late"), longestMs);
      signal?.addEventListener("abort", abort, { once: true });
    });

  const isFull = ({ labelHolder, party }: Member, isNamed: boolean): boolean => {
    const own = waitingOf.holders.of(labelHolder);
    const ofParty = waitingOf.parties.of(party);
    if (own >= mostWaiting.holder) return true;
    if (isNamed && (own === 0 || ofParty < kept)) return false;
    return ofParty >= mostWaiting.party || waitingOf.total >= waiting;
  };

  let nobodies = 0;
  /** A call of nobody counts separately. */
  const nobody = (): TurnOwner => ({ labelHolder: `nobody ${nobodies++}`, principal: null });
  return {
    take: async (longestMs, signal, named) => {
      const owner = named ?? nobody();
      const member = memberOf(owner);
      if (signal?.aborted) return { kind: "aborted" };
      const { party, labelHolder } = member;
      const isWithin =
        running.parties.of(party) < most.party && running.holders.of(labelHolder) < most.holder;
      if (running.total < inFlight && isWithin) return takeNow(owner, member);
      return isFull(member, named !== undefined) ? { kind: "full" } : wait(longestMs, signal, owner);
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
