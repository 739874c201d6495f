/**
 * The port to a store: an optimistic, append-only journal per session, and a few values stored beside it. The journal
 * is the state: a store has no label of its own. Entries come sealed with their hashes and are stored unchanged, so a
 * store decides nothing.
 */

/** One sealed entry of a session's journal. Plain JSON data. */
export interface JournalEntry {
  /** Counted from 1, without gaps. */
  readonly seq: number;
  readonly kind: string;
  /** RFC 3339, from the runtime's clock. */
  readonly at: string;
  /** The version of the policy under which it happened. */
  readonly policy: string;
  /** The hash of the entry before it; 64 zeros for the first. */
  readonly prev: string;
  /** SHA-256, in hex, over the canonical JSON (RFC 8785) of this entry without `hash`. */
  readonly hash: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A value stored beside a session's journal: the user's words, what an approver must see. Null deletes it. */
export interface Keep {
  readonly key: string;
  readonly value: string | null;
}

export interface KeptValue {
  /** Its position in the order in which values were first stored. */
  readonly position: number;
  readonly session: string;
  readonly key: string;
  readonly value: string;
}

export type AppendResult = { readonly status: "appended" } | { readonly status: "conflict" };

/** An append to the journal of one session. */
export interface SessionAppend {
  readonly session: string;
  /** The number of entries that the session must have now; 0 for a new one. */
  readonly expectedVersion: number;
  readonly entries: readonly JournalEntry[];
}

export interface AppendOptions {
  /**
   * Write at once, without waiting for others. For a writer that lost to a faster one: its decision gets old while it
   * waits, so it could lose again and again.
   */
  readonly urgent?: boolean;
  /**
   * Appends to other sessions in the same transaction: either all are made or none, and one conflict makes the whole
   * append a conflict. For a session and its forks, which share a label.
   */
  readonly also?: readonly SessionAppend[];
}

/** An entry with its position in the order of the whole store, which only grows. */
export interface FeedEntry {
  readonly position: number;
  readonly session: string;
  readonly entry: JournalEntry;
}

/** The head of a session's chain, stored separately from its entries, so that a truncated chain is detected. */
export interface ChainHead {
  readonly session: string;
  /** The number of entries. */
  readonly version: number;
  readonly hash: string;
}

/**
 * What a store promises: an `append` that returned `appended` is durable and complete; one that returned `conflict`
 * changed nothing; after an exception it may have been made or not, and the caller must load again. Every method may
 * throw SluicegateError `store-failed` or `store-damaged`.
 */
export interface Store {
  /**
   * Appends entries if the session has `expectedVersion` entries now (0 for a new one), and stores or deletes values
   * in the same transaction.
   */
  append(
    session: string,
    expectedVersion: number,
    entries: readonly JournalEntry[],
    keep?: readonly Keep[],
    options?: AppendOptions,
  ): Promise<AppendResult>;
  /**
   * Deletes a session's entries before `before`, and all values beside its journal. Only after they were archived:
   * the first remaining entry says so. The head stays. Repeating it changes nothing.
   */
  prune(session: string, before: number): Promise<void>;
  /** Entries after `after` (0: from the first), oldest first, at most `limit`. Empty for an unknown session. */
  read(session: string, after: number, limit: number): Promise<readonly JournalEntry[]>;
  /** The head of one chain; null for an unknown session. */
  head(session: string): Promise<ChainHead | null>;
  /** Heads in the order in which the sessions were opened, at most `limit`, after the session `after`. */
  heads(after: string | null, limit: number): Promise<readonly ChainHead[]>;
  kept(session: string, key: string): Promise<string | null>;
  /** Stored values of all sessions whose key has this prefix, oldest first, at most `limit`, after a position. */
  keptWith(prefix: string, limit: number, after?: number): Promise<readonly KeptValue[]>;
  /** The session that a principal falls back to; null if there is none. */
  sticky(principal: string): Promise<string | null>;
  /** Makes `session` the one that a principal falls back to, if it is `previous` now. False if it is another. */
  stick(principal: string, session: string, previous: string | null): Promise<boolean>;
  /** Entries of all sessions after a position (0: from the first), at most `limit`. */
  feed(after: number, limit: number): Promise<readonly FeedEntry[]>;
  /** The time in the store's newest entry (RFC 3339); null for an empty store. */
  newest(): Promise<string | null>;
  /**
   * Calls the listener after each append of this process, once it is durable; those of one session in order. Returns
   * a function that ends this. Appends of other processes must be polled for.
   */
  watch(listener: (entries: readonly FeedEntry[]) => void): () => void;
  /** What the database's own checks find; empty if nothing. */
  damage(): Promise<readonly string[]>;
  close(): Promise<void>;
}
