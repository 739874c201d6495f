/**
 * The port to a store: an optimistic, append-only journal per session, and a few values kept beside it. The
 * journal is the state: a store keeps no label of its own. What is sealed here is stored as it is; entries come
 * with their hashes, so that a store has nothing to decide.
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

/** A value kept beside a session's journal: the user's words, what an approver must see. Null deletes it. */
export interface Keep {
  readonly key: string;
  readonly value: string | null;
}

export interface KeptValue {
  /** Its place in the order in which values were kept first. */
  readonly position: number;
  readonly session: string;
  readonly key: string;
  readonly value: string;
}

export type AppendResult = { readonly status: "appended" } | { readonly status: "conflict" };

/** What is appended to the journal of one session. */
export interface SessionAppend {
  readonly session: string;
  /** The number of entries that the session must have now; 0 for one that isn't there yet. */
  readonly expectedVersion: number;
  readonly entries: readonly JournalEntry[];
}

export interface AppendOptions {
  /**
   * Write at once, without waiting for others to join. For a writer that lost to a faster one: what it decided on
   * gets old while it waits, so it would lose again and again.
   */
  readonly urgent?: boolean;
  /**
   * Appends to other sessions in the same transaction: all of them are made or none is, and one that conflicts makes
   * the whole append a conflict. For a session and its forks, which share a label.
   */
  readonly also?: readonly SessionAppend[];
}

/** An entry with its place in the order of the whole store, which only grows. */
export interface FeedEntry {
  readonly position: number;
  readonly session: string;
  readonly entry: JournalEntry;
}

/** The head of a session's chain, kept apart from its entries so that a cut tail shows. */
export interface ChainHead {
  readonly session: string;
  /** The number of entries. */
  readonly version: number;
  readonly hash: string;
}

/**
 * What a store promises: an `append` that answered `appended` is durable and whole; one that answered
 * `conflict` changed nothing; one that threw may have happened or not, and the caller must load again.
 * Every method may throw SluicegateError `store-failed` or `store-damaged`.
 */
export interface Store {
  /**
   * Appends entries if the session has `expectedVersion` entries now (0 for a session that isn't there yet), and
   * keeps or deletes values in the same transaction.
   */
  append(
    session: string,
    expectedVersion: number,
    entries: readonly JournalEntry[],
    keep?: readonly Keep[],
    options?: AppendOptions,
  ): Promise<AppendResult>;
  /**
   * Deletes a session's entries before `before`, and all that was kept beside its journal. Only after they were
   * archived: what is left begins with the entry that says so. Its head stays. Done already, it changes nothing.
   */
  prune(session: string, before: number): Promise<void>;
  /** Entries after `after` (0: from the first), oldest first, at most `limit`. Empty for an unknown session. */
  read(session: string, after: number, limit: number): Promise<readonly JournalEntry[]>;
  /** The head of one chain; null for an unknown session. */
  head(session: string): Promise<ChainHead | null>;
  /** Heads in the order in which the sessions were opened, at most `limit`, after the session `after`. */
  heads(after: string | null, limit: number): Promise<readonly ChainHead[]>;
  kept(session: string, key: string): Promise<string | null>;
  /** Kept values of all sessions whose key begins so, oldest first, at most `limit`, after a position. */
  keptWith(prefix: string, limit: number, after?: number): Promise<readonly KeptValue[]>;
  /** The session that a principal falls back to; null if there is none. */
  sticky(principal: string): Promise<string | null>;
  /** Makes `session` the one a principal falls back to if it is `previous` now. False if it is another. */
  stick(principal: string, session: string, previous: string | null): Promise<boolean>;
  /** Entries of all sessions after a position (0: from the first), at most `limit`. */
  feed(after: number, limit: number): Promise<readonly FeedEntry[]>;
  /** When the newest entry of all was written, by its own word (RFC 3339); null for an empty store. */
  newest(): Promise<string | null>;
  /**
   * Calls back after each append that this process made, once it is durable; those of one session in order. Returns how
   * to stop. What other processes append is found by looking again.
   */
  watch(listener: (entries: readonly FeedEntry[]) => void): () => void;
  /** What the engine itself finds broken; empty if it finds nothing. */
  damage(): Promise<readonly string[]>;
  close(): Promise<void>;
}
