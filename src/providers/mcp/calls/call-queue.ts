/**
 * Limits how many calls run at a time; more wait, up to a limit. Places are shared fairly: no label holder gets more
 * than a quarter of them and no principal more than seven eighths, the next place goes to the principal with the
 * fewest running calls and there to the label holder with the fewest, and a label holder without waiting calls may
 * always wait.
 */
import { partyOf, type TurnOwner } from "../../../threads/index.ts";
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

/** Whose call it is; a call of nobody counts separately. */
interface Owner {
  readonly holder: string | symbol;
  readonly party: string | symbol;
}

interface Waiter extends Owner {
  readonly proceed: () => void;
}

/** The parts of all places that one label holder and one principal may have. */
const SHARE = 1 / 4;
const SHARE_OF_PARTY = 7 / 8;

export function createCallQueue({ inFlight, waiting, schedule }: CallQueueOptions): CallQueue {
  const shareOf = (all: number, share: number): number => Math.max(1, Math.floor(all * share));
  const most = { holder: shareOf(inFlight, SHARE), party: shareOf(inFlight, SHARE_OF_PARTY) };
  const mostWaiting = { holder: shareOf(waiting, SHARE), party: shareOf(waiting, SHARE_OF_PARTY) };
  const running = new Tally();
  const waitingOf = new Tally();
  // INVARIANT: a set keeps the order in which its members were added.
  const waiters = new Set<Waiter>();

  const mayRun = (owner: Owner): boolean => {
    const { holder, party } = running.of(owner);
    return running.all < inFlight && holder < most.holder && party < most.party;
  };

  const takeNow = (owner: Owner): Slot => {
    running.add(owner, 1);
    return { kind: "taken", release: once(() => giveBack(owner)) };
  };

  const giveBack = (owner: Owner): void => {
    running.add(owner, -1);
    let next: { readonly waiter: Waiter; readonly count: Count } | null = null;
    for (const waiter of waiters) {
      if (!mayRun(waiter)) continue;
      const count = running.of(waiter);
      if (next === null || hasFewer(count, next.count)) next = { waiter, count };
    }
    next?.waiter.proceed();
  };

  const wait = (longestMs: number, signal: AbortSignal | undefined, owner: Owner): Promise<Slot> =>
    new Promise((resolve) => {
      const leave = (slot: () => Slot): void => {
        if (!waiters.delete(waiter)) return;
        waitingOf.add(owner, -1);
        stopTimer();
        signal?.removeEventListener("abort", abort);
        resolve(slot());
      };
      const waiter = { ...owner, proceed: () => leave(() => takeNow(owner)) };
      const abort = (): void => leave(() => ({ kind: "aborted" }));
      waiters.add(waiter);
      waitingOf.add(owner, 1);
      const stopTimer = schedule(() => leave(() => ({ kind: "late" })), longestMs);
      signal?.addEventListener("abort", abort, { once: true });
    });

  const isFull = (owner: Owner): boolean => {
    const own = waitingOf.of(owner);
    const hasFloor = typeof owner.holder === "string" && own.holder === 0;
    if (own.holder >= mostWaiting.holder) return true;
    return !hasFloor && (own.party >= mostWaiting.party || waiters.size >= waiting);
  };

  return {
    take: async (longestMs, signal, asked) => {
      const nobody = Symbol("nobody's");
      const owner: Owner =
        asked === undefined
          ? { holder: nobody, party: nobody }
          : { holder: asked.labelHolder, party: partyOf(asked) };
      if (signal?.aborted) return { kind: "aborted" };
      if (mayRun(owner)) return takeNow(owner);
      return isFull(owner) ? { kind: "full" } : wait(longestMs, signal, owner);
    },
  };
}

/** How many are of one label holder, and of one principal. */
interface Count {
  readonly holder: number;
  readonly party: number;
}

class Tally {
  all = 0;
  readonly #holders = new Map<Owner["holder"], number>();
  readonly #parties = new Map<Owner["party"], number>();

  of({ holder, party }: Owner): Count {
    return { holder: this.#holders.get(holder) ?? 0, party: this.#parties.get(party) ?? 0 };
  }

  add(owner: Owner, by: number): void {
    const { holder, party } = this.of(owner);
    this.all += by;
    setCount(this.#holders, owner.holder, holder + by);
    setCount(this.#parties, owner.party, party + by);
  }
}

function setCount<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

const hasFewer = (one: Count, other: Count): boolean =>
  one.party < other.party || (one.party === other.party && one.holder < other.holder);

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
