/**
 * An index of all sessions, read from the store's feed and brought up to date by each question, so that it includes
 * what other processes wrote. It is a cache for people who look: no decision depends on it.
 */
import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lattice } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { BoundedMap } from "../../json/bounded-map.ts";
import { type FeedEntry, GATEWAY_CHAIN, type Gate } from "../../runtime/index.ts";
import { isArchived } from "../../runtime/journal/index.ts";
import { type OverApproval, SessionRecord } from "./session-record.ts";

/** Entries read in one turn of the event loop: some milliseconds. */
const PAGE = 100;
/** Ended approvals that are remembered, the newest. */
const MAX_OVER = 200;
/** Sets of restrictions that are shared in memory. */
const MAX_NARROWINGS = 256;

export interface SessionIndexOptions {
  readonly gate: Pick<Gate, "feed" | "policy" | "session">;
  /** Sessions that are remembered, the most recently changed; 20,000 by default. */
  readonly mostSessions?: number;
}

export class SessionIndex {
  readonly #gate: SessionIndexOptions["gate"];
  /** Ordered by the last change. */
  readonly #records: Map<string, SessionRecord>;
  readonly #narrowings = new BoundedMap<string, ReadonlySet<string>>(MAX_NARROWINGS);
  #over: OverApproval[] = [];
  #position = 0;
  #lattice: Lattice;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor({ gate, mostSessions = 20_000 }: SessionIndexOptions) {
    this.#gate = gate;
    this.#records = new BoundedMap(mostSessions);
    this.#lattice = gate.policy.lattice;
  }

  /** The position of the last entry in the index. */
  get position(): number {
    return this.#position;
  }

  /**
   * Resolves when everything that is in the store now is in the index. Waiting callers share one run.
   * @throws SluicegateError as the store does
   */
  catchUp(): Promise<void> {
    // The current run may have read the end already, so newer entries need another.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#running = this.#catchUp();
        return this.#running;
      });
    return this.#next;
  }

  /** The sessions, the most recently changed first. */
  newestFirst(): readonly SessionRecord[] {
    return [...this.#records.values()].reverse();
  }

  find(session: string): SessionRecord | null {
    return this.#records.get(session) ?? null;
  }

  /** The approvals that ended last, as of a time (RFC 3339), the newest first. */
  over(now: string, version: string): readonly OverApproval[] {
    const unsaid = this.#records.values().flatMap((record) => record.overUnsaid(now, version));
    const all = [...unsaid, ...this.#over.toReversed()];
    return all.sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)).slice(0, MAX_OVER);
  }

  async #catchUp(): Promise<void> {
    for (let more = true, size = PAGE; more; ) {
      this.#startOverWithLattice();
      try {
        const page = await this.#gate.feed(this.#position, size);
        for (const one of page) await this.#add(one);
        more = page.length === size;
      } catch (cause) {
        size = this.#passOver(cause, size);
      }
      if (more) await nextTurn();
    }
  }

  /**
   * Skips an entry that can't be trusted. To find it, the entries before it are read one by one. So a damaged journal
   * doesn't prevent reading the other sessions. Returns how many entries to read next.
   */
  #passOver(cause: unknown, size: number): number {
    if (!isDamage(cause)) throw cause;
    if (size > 1) return 1;
    this.#position += 1;
    const { session } = cause.details;
    if (typeof session !== "string" || session === GATEWAY_CHAIN) return PAGE;
    const record = this.#records.get(session) ?? new SessionRecord(session, this.#lattice);
    record.distrust(this.#position);
    this.#records.set(record.id, record);
    return PAGE;
  }

  /** Labels depend on the lattice of the policy in force. */
  #startOverWithLattice(): void {
    const { lattice } = this.#gate.policy;
    if (lattice === this.#lattice) return;
    this.#lattice = lattice;
    this.#records.clear();
    this.#over = [];
    this.#position = 0;
  }

  async #add(one: FeedEntry): Promise<void> {
    const { position, session, entry } = one;
    if (isArchived(entry)) {
      // Archived sessions would use the space of others.
      this.#records.delete(session);
    } else if (session !== GATEWAY_CHAIN) {
      const known = this.#records.get(session);
      const record = known ?? (await this.#recall(one));
      if (entry.seq === record.seq + 1) this.#remember(record.add(one));
      else if (entry.seq > record.seq) record.distrust(position);
      if (entry.seq === 1) this.#share(record);
      this.#records.set(session, record);
    }
    this.#position = position;
  }

  /** The record of a session up to an entry: a new one, or one that had been dropped, read again. */
  async #recall(one: FeedEntry): Promise<SessionRecord> {
    const record = new SessionRecord(one.session, this.#lattice);
    try {
      await this.#reread(record, one);
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      record.distrust(one.position);
    }
    return record;
  }

  async #reread(record: SessionRecord, { session, position, entry: { seq } }: FeedEntry): Promise<void> {
    const found = seq === 1 ? null : await this.#gate.session(session);
    while (found && record.seq < seq - 1) {
      const page = await found.journal(record.seq, Math.min(PAGE, seq - 1 - record.seq));
      for (const entry of page) record.add({ position, entry });
      if (page.length === 0) break;
      await nextTurn();
    }
  }

  #remember(over: readonly OverApproval[]): void {
    if (over.length > 0) this.#over = [...this.#over, ...over].slice(-MAX_OVER);
  }

  /** Sessions often have the same tools, which may be thousands. */
  #share(record: SessionRecord): void {
    const { tools } = record.state;
    if (tools === null) return;
    const key = hash("sha256", JSON.stringify([...tools]), "base64");
    const known = this.#narrowings.get(key) ?? tools;
    this.#narrowings.set(key, known);
    record.narrowTo(known);
  }
}

const isDamage = (cause: unknown): cause is SluicegateError =>
  SluicegateError.isInstance(cause) && cause.code === "store-damaged";
