/**
 * The callers in this process that wait for a person's answer. There is one listener on the store, while anybody
 * waits. Answers from another process aren't announced, so waiters also check periodically.
 */
import { Counts, memberOf, OwnerCounts, SHARE_OF_PARTY, type TurnOwner } from "../../threads/index.ts";
import type { FeedEntry, Store } from "../ports/store.ts";

/** What a call waits for. */
export interface HeldFor extends TurnOwner {
  readonly session: string;
  readonly approval: string;
}

/** One caller that waits for an answer in its session. */
export interface Waiter {
  /** Sets the approval that the call waits for from now on. */
  holdFor(approval: string): void;
  /** Resolves after an answer, after the time, or once the caller has gone; at once if an answer came meanwhile. */
  next(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  end(): void;
}

/** Calls that wait at once. Further calls get their decision without waiting. */
const MAX_HELD = 10_000;
/** Per principal and per label holder, so that the others keep room. */
const MAX_HELD_OF_PARTY = SHARE_OF_PARTY * MAX_HELD;
const MAX_HELD_OF_HOLDER = 100;

/** How long a caller whose call no longer waits keeps its position in the queue. */
const GRACE_MS = 60_000;

/** Approvals whose last contact is remembered. */
const MAX_CONTACTS = 10_000;

const ENDING: ReadonlySet<string> = new Set(["approval-answered", "approval-ended", "session-closed"]);

export class AnswerWatch {
  readonly #store: Pick<Store, "watch">;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** By approval. */
  readonly #held = new Counts();
  readonly #ofOwner = new OwnerCounts();
  /** When the last waiting call of an approval left; the oldest first. */
  readonly #left = new Map<string, number>();
  /** When a caller last asked about an approval; the oldest first. */
  readonly #contacts = new Map<string, number>();
  readonly #now: () => number;
  #stop: (() => void) | null = null;
  #isClosed = false;

  /** @param now a monotonic clock, in milliseconds */
  constructor(store: Pick<Store, "watch">, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Whether a call waits for the approval, or did within the last minute: a client that asks its own user between two
   * calls keeps its position meanwhile.
   */
  isHeld(approval: string): boolean {
    return (
      this.#held.of(approval) > 0 ||
      this.#now() - (this.#left.get(approval) ?? Number.NEGATIVE_INFINITY) < GRACE_MS
    );
  }

  /**
   * Whether its caller was here and hasn't come back for a minute. False if it called another process, or this one
   * before a restart.
   */
  isGone(approval: string): boolean {
    const last = this.#contacts.get(approval);
    return last !== undefined && this.#held.of(approval) === 0 && this.#now() - last >= GRACE_MS;
  }

  /** Records that a caller asked about the approval, or left. */
  noteContact(approval: string): void {
    this.#contacts.delete(approval);
    this.#contacts.set(approval, this.#now());
    if (this.#contacts.size <= MAX_CONTACTS) return;
    for (const oldest of this.#contacts.keys()) {
      this.#contacts.delete(oldest);
      break;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends all waiting, and lets no more calls wait. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) for (const tell of waiting) tell();
  }

  /** Starts listening for answers in a session; null if too many calls wait already. */
  begin({ session, approval: first, ...owner }: HeldFor): Waiter | null {
    const member = memberOf(owner);
    const { holders, parties } = this.#ofOwner;
    if (
      this.#isClosed ||
      this.#ofOwner.total >= MAX_HELD ||
      parties.of(member.party) >= MAX_HELD_OF_PARTY ||
      holders.of(member.labelHolder) >= MAX_HELD_OF_HOLDER
    )
      return null;
    let approval = first;
    let told = false;
    let isOver = false;
    let wake = (): void => {};
    const tell = (): void => {
      told = true;
      wake();
    };
    this.#add(session, tell);
    this.#ofOwner.add(member, 1);
    this.#held.add(approval, 1);
    return {
      holdFor: (next) => {
        this.#release(approval);
        approval = next;
        this.#held.add(approval, 1);
      },
      next: async (milliseconds, signal) => {
        if (!told && !signal?.aborted) {
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          const timer = setTimeout(resolve, milliseconds);
          signal?.addEventListener("abort", tell, { once: true });
          await promise;
          clearTimeout(timer);
          signal?.removeEventListener("abort", tell);
        }
        told = false;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#release(approval);
        this.#ofOwner.add(member, -1);
        this.#remove(session, tell);
      },
    };
  }

  #release(approval: string): void {
    const now = this.#now();
    this.noteContact(approval);
    this.#held.add(approval, -1);
    this.#left.delete(approval);
    this.#left.set(approval, now);
    for (const [known, at] of this.#left) {
      if (now - at < GRACE_MS) break;
      this.#left.delete(known);
    }
  }

  #add(session: string, tell: () => void): void {
    this.#stop ??= this.#store.watch((entries) => this.#tell(entries));
    this.#waiting.set(session, (this.#waiting.get(session) ?? new Set()).add(tell));
  }

  #remove(session: string, tell: () => void): void {
    const waiting = this.#waiting.get(session);
    waiting?.delete(tell);
    if (waiting?.size === 0) this.#waiting.delete(session);
    if (this.#waiting.size > 0) return;
    this.#stop?.();
    this.#stop = null;
  }

  #tell(entries: readonly FeedEntry[]): void {
    for (const { session, entry } of entries) {
      if (!ENDING.has(entry.kind)) continue;
      for (const tell of this.#waiting.get(session) ?? []) tell();
    }
  }
}
