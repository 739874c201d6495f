/**
 * One session's journal in this process: its state as of the last entry, and a queue that turns proposals into
 * durable entries. Waiting proposals are made one after the other on one state and written in one append. If another
 * writer was faster, the state is loaded again and all of them are repeated. So a decision never becomes durable on
 * an outdated state.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { apply, initialState, type Lattice, type SessionEvent, type SessionState } from "../../core/index.ts";
import { isTurnOver, nextTurnOf, TURN_MS, type TurnOwner } from "../../threads/index.ts";
import { type StoreClock, toTimestamp } from "../ports/clock.ts";
import type { AppendResult, JournalEntry, Keep, SessionAppend, Store } from "../ports/store.ts";
import { raiseTo, takenFrom } from "../runs/shared-label.ts";
import {
  CHAIN_START,
  type ChainPoint,
  damaged,
  headAfter,
  isArchived,
  linkProblem,
  ownerProblem,
  sealEntries,
  startOf,
  verifyEnd,
} from "./journal.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { fromEntry, toEntryData } from "./stored-event.ts";

/** What a proposal writes, and its value once that is durable. */
export interface Proposal<Value> {
  readonly events: readonly SessionEvent[];
  readonly keep?: readonly Keep[];
  /** An append to another chain in the same transaction. Later proposals wait for the next transaction. */
  readonly also?: SessionAppend;
  readonly value: Value;
}

/** Makes a proposal from the present state. It may run several times; only the last result counts. */
export type Propose<Value> = (state: SessionState, now: Date) => Proposal<Value>;

export interface LedgerOptions {
  readonly store: Store;
  readonly clock: StoreClock;
  readonly session: string;
  /** The lattice and the version of the policy in force, which may change between two entries. */
  readonly policy: () => { readonly lattice: Lattice; readonly version: string };
  /** The ledger of a session in this process: a fork needs that of its label holder. */
  readonly ledgerOf: (session: string) => Ledger;
}

interface Waiting {
  /** Adds its events to the draft; returns how to settle once they are durable. */
  readonly propose: (draft: Draft) => () => void;
  readonly reject: (cause: unknown) => void;
}

interface Draft {
  readonly ledger: Ledger;
  state: SessionState;
  head: ChainPoint;
  /** The number of entries before it. */
  readonly version: number;
  readonly now: Date;
  readonly sealed: JournalEntry[];
  readonly keep: Keep[];
  also: SessionAppend | null;
}

interface Loaded {
  readonly state: SessionState;
  readonly head: ChainPoint;
  /** When the last entry was written (RFC 3339). */
  readonly at: string;
}

/** Entries that are read and checked in one turn of the event loop: some milliseconds. */
const PAGE = 250;
/** How long a lazy entry may wait for others. */
const LAZY_FLUSH_MS = 50;

export class Ledger {
  readonly session: string;
  readonly #options: LedgerOptions;
  #loaded: Loaded | null = null;
  /** Whose session it is, while nothing is loaded. */
  #opener: string | null = null;
  /** Whether the store may have newer entries than those loaded. */
  #stale = true;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  /** Set while only lazy entries wait. */
  #timer: NodeJS.Timeout | null = null;
  /** Resolves with the last requested refresh. */
  #refreshed: Promise<unknown> = Promise.resolve();
  /** What is being written. */
  #writing: Loaded | null = null;
  /** A refresh that hasn't begun. */
  #asked: Promise<boolean> | null = null;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.session = options.session;
  }

  /** The state as of the last entry known to this process. Clean if nothing was loaded yet. */
  get state(): SessionState {
    return this.#loaded?.state ?? initialState(this.#options.policy().lattice);
  }

  /** The session that holds its label: itself, or the one whose label it shares. Limits count by it. */
  get labelHolder(): string {
    return this.state.shares ?? this.session;
  }

  /** Whether nothing waits, so that it may be dropped from memory. */
  get idle(): boolean {
    return this.#draining === null && this.#timer === null;
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    await this.#draining;
  }

  /** Loads newer entries from the store. False if the store has no such session. */
  refresh(): Promise<boolean> {
    // One refresh at a time: a long journal is read once, and later callers have little left to read. Requests that
    // came in the same turn of the event loop share one, since it begins after all of them asked.
    this.#asked ??= this.#refreshed.then(nextTurn).then(() => {
      this.#asked = null;
      const refreshed = this.#refresh();
      this.#refreshed = refreshed.catch(() => {});
      return refreshed;
    });
    return this.#asked;
  }

  async #refresh(): Promise<boolean> {
    const known = this.#loaded;
    const loaded = await this.#load();
    // INVARIANT: entries written during this read are newer, and stay.
    if (this.#loaded === known || this.#loaded === null || loaded.head.version >= this.#loaded.head.version) {
      this.#loaded = loaded;
      this.#stale = false;
    }
    return this.#loaded.head.version > 0;
  }

  /**
   * Raises the session that holds a fork's label by what only the fork has, as an older store may contain it;
   * durably. Other sessions stay as they are.
   */
  async share(): Promise<void> {
    if (this.state.shares !== null) await this.commit(() => ({ events: [], value: undefined }));
  }

  /**
   * Queues a proposal; resolves when its entries are durable. A `lazy` one waits a moment for others, so that it
   * needs no commit of its own. `opener`: the principal of a session that it opens.
   * @throws SluicegateError `store-failed` if they can't be written; then nothing may be released.
   */
  commit<Value>(
    propose: Propose<Value>,
    { lazy = false, opener = null }: { readonly lazy?: boolean; readonly opener?: string | null } = {},
  ): Promise<Value> {
    this.#opener = opener ?? this.#opener;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.push({
        reject,
        propose: (draft) => {
          const { events, keep = [], also = null, value } = propose(draft.state, draft.now);
          this.#extend(draft, events);
          draft.also = also;
          draft.keep.push(...keep);
          return () => resolve(value);
        },
      });
      if (!lazy) this.#start();
      else if (this.#draining === null) this.#timer ??= setTimeout(() => this.#start(), LAZY_FLUSH_MS);
    });
  }

  #start(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Proposals of this turn are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      // Proposals that write nothing new are decided without leaving this turn of the event loop, however many come.
      // They alternate with the bodies of the same label holder, which may be many.
      if (isTurnOver()) await nextTurnOf(this.#owner());
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const later = await this.#write(batch);
        if (later.length === 0) continue;
        this.#waiting = [...later, ...this.#waiting];
        await nextTurn();
      } catch (cause) {
        // INVARIANT: a failed append may have been written, so the known state is no longer trusted.
        this.#stale = true;
        for (const { reject } of batch) reject(cause);
      }
    }
    this.#draining = null;
  }

  #owner(): TurnOwner {
    const principal = this.#loaded?.state.principal ?? this.#opener;
    return { labelHolder: `journal of ${this.labelHolder}`, principal };
  }

  /** Writes proposals in order; returns those that wait for the next append. */
  #write(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    return retryConflicts("The session's journal could not be written.", async (attempt) => {
      const known = this.#known();
      const loaded = known ?? (await this.#load());
      const holder = await this.#holderOf(loaded.state);
      if (canExpire(loaded.state)) await this.#options.clock.catchUp();
      const draft = this.#draft(loaded);
      if (holder !== null) this.#extend(draft, takenFrom(holder.state, draft.state));
      const settle = attemptInTurn(batch, draft);
      const raised = await this.#raisedHolder(holder, draft.state);
      this.#writing = toLoaded(draft, loaded.at);
      const written = await this.#append(draft, { known, raised, urgent: attempt > 0 });
      if (written.status === "conflict") {
        this.#stale = true;
        return null;
      }
      this.#adopt(draft, loaded.at);
      if (raised !== null) raised.ledger.#adopt(raised);
      this.#stale = false;
      for (const done of settle) done();
      return batch.slice(settle.length);
    });
  }

  /** The loaded state if it may still be current; null if it must be loaded again. */
  #known(): Loaded | null {
    const isCurrent = !this.#stale && this.#loaded?.state.lattice === this.#options.policy().lattice;
    return isCurrent ? this.#loaded : null;
  }

  /** The ledger of the session that holds this one's label, as the store has it now; null if that is itself. */
  async #holderOf({ shares }: SessionState): Promise<Ledger | null> {
    if (shares === null) return null;
    const holder = this.#options.ledgerOf(shares);
    // INVARIANT: read after the proposals were queued, so that a call is decided with everything that was
    // released before it came.
    if (!(await holder.refresh())) throw damaged(shares, "It holds the label of a fork, and it isn't there.");
    return holder;
  }

  /** The append that raises the label holder to this fork's label; null if it isn't needed. */
  async #raisedHolder(known: Ledger | null, fork: SessionState): Promise<Draft | null> {
    // A fork that is being opened has no holder before its first entry.
    const holder = known ?? (await this.#holderOf(fork));
    if (holder === null || holder.#loaded === null) return null;
    const draft = holder.#draft(holder.#loaded);
    holder.#extend(draft, raiseTo(draft.state, fork.label));
    return draft.sealed.length === 0 ? null : draft;
  }

  #draft({ state, head, at }: Loaded): Draft {
    // INVARIANT: a session's time never goes back, whichever process writes, so expired things stay expired.
    this.#options.clock.see(at);
    const now = this.#options.clock.now();
    return { ledger: this, state, head, version: head.version, now, sealed: [], keep: [], also: null };
  }

  #extend(draft: Draft, events: readonly SessionEvent[]): void {
    // INVARIANT: whatever may throw comes before the draft changes, so that only this proposal fails.
    const sealed = this.#seal(draft, events);
    const at = toTimestamp(draft.now);
    draft.state = events.reduce((state, event) => apply(state, event, at), draft.state);
    draft.head = headAfter(draft.head, sealed);
    draft.sealed.push(...sealed);
  }

  /** Adopts the written entries, unless this process knows newer ones. */
  #adopt(draft: Draft, at = ""): void {
    if (this.#loaded !== null && this.#loaded.head.version > draft.head.version) return;
    this.#loaded = toLoaded(draft, at);
  }

  /**
   * INVARIANT: a fork and its label holder are raised by one append, so the fork never has more than the holder's
   * label covers.
   */
  #append(
    { version, sealed, keep, also: other }: Draft,
    { known, raised, urgent }: { known: Loaded | null; raised: Draft | null; urgent: boolean },
  ): Promise<AppendResult> {
    if (sealed.length === 0 && keep.length === 0 && raised === null) return this.#confirm(known);
    const { store } = this.#options;
    const also = [
      ...(raised
        ? [{ session: raised.ledger.session, expectedVersion: raised.version, entries: raised.sealed }]
        : []),
      ...(other ? [other] : []),
    ];
    return store.append(this.session, version, sealed, keep, { urgent, ...(also.length > 0 && { also }) });
  }

  /** A proposal that writes nothing meets no conflict, so check that its state is still current. */
  async #confirm(known: Loaded | null): Promise<AppendResult> {
    if (known === null) return { status: "appended" };
    const end = await this.#options.store.head(this.session);
    return { status: (end?.version ?? 0) === known.head.version ? "appended" : "conflict" };
  }

  #seal({ head, now }: Draft, events: readonly SessionEvent[]): readonly JournalEntry[] {
    const at = toTimestamp(now);
    const policy = this.#options.policy().version;
    const entries = events.map((event) => ({ ...toEntryData(event), at, policy }));
    // The first entry names the session, so that two chains can't be swapped.
    const [first, ...rest] = entries;
    if (head.version > 0 || first === undefined) return sealEntries(head, entries);
    return sealEntries(head, [{ ...first, data: { ...first.data, session: this.session } }, ...rest]);
  }

  /** Reads the entries after the last known one, and checks each link. */
  async #load(): Promise<Loaded> {
    const { store, policy } = this.#options;
    const { lattice } = policy();
    const end = (await store.head(this.session)) ?? CHAIN_START;
    // Entries of this process that the store has already, before its answer came.
    if (this.#writing?.head.hash === end.hash && this.#writing.state.lattice === lattice)
      return this.#writing;
    const known = this.#loaded;
    const goesOn = known !== null && known.state.lattice === lattice && known.head.version <= end.version;
    let loaded: Loaded = goesOn ? known : { state: initialState(lattice), head: CHAIN_START, at: "" };
    while (loaded.head.version < end.version) {
      const { head } = loaded;
      const page = await store.read(this.session, head.version, Math.min(PAGE, end.version - head.version));
      if (page.length === 0) break;
      loaded = this.#follow(loaded, page);
      if (loaded.head.version < end.version) await nextTurn();
    }
    const whole = verifyEnd(loaded.head, end);
    if (!whole.ok) throw damaged(this.session, whole.problem);
    return loaded;
  }

  #follow({ state, head, at }: Loaded, page: readonly JournalEntry[]): Loaded {
    const { lattice } = state;
    const [first] = page;
    // An archived session begins late, and the entries known to this process may be deleted.
    if (first !== undefined && isArchived(first) && first.seq > head.version + 1) {
      state = initialState(lattice);
      head = startOf(first);
    }
    for (const entry of page) {
      const problem = linkProblem(head, entry) ?? ownerProblem(this.session, entry);
      if (problem !== null) throw damaged(this.session, problem);
      state = apply(state, fromEntry(lattice, entry), entry.at);
      head = { version: entry.seq, hash: entry.hash };
      at = entry.at;
    }
    return { state, head, at };
  }
}

const toLoaded = ({ state, head, sealed }: Draft, at: string): Loaded => ({
  state,
  head,
  at: sealed.at(-1)?.at ?? at,
});

/** THREAT: one request may propose a thousand calls, each with a slow condition. */
function attemptInTurn(batch: readonly Waiting[], draft: Draft): readonly (() => void)[] {
  const end = performance.now() + TURN_MS;
  const settle: (() => void)[] = [];
  for (const waiting of batch) {
    settle.push(attemptOne(waiting, draft));
    if (draft.also !== null || performance.now() > end) break;
  }
  return settle;
}

/** Runs one proposal on the draft. If it throws, only that one is rejected and writes nothing. */
function attemptOne(waiting: Waiting, draft: Draft): () => void {
  try {
    return waiting.propose(draft);
  } catch (cause) {
    return () => waiting.reject(cause);
  }
}

/** Whether a session has anything that expires. */
const canExpire = ({ pending, answers, pausedRuns }: SessionState): boolean =>
  pending.length > 0 || answers.length > 0 || pausedRuns.length > 0;
