/** What is read from a SQLite store. Each method runs one prepared statement and trusts no row unchecked. */
import type { DatabaseSync } from "node:sqlite";
import type { ChainHead, FeedEntry, JournalEntry, KeptValue } from "../../runtime/index.ts";
import { fromSealedRow } from "../sealed-row.ts";
import { integer, type Row, text, toKept, toSticky } from "./sqlite-module.ts";

export interface SqliteReads {
  read(session: string, after: number, limit: number): readonly JournalEntry[];
  head(session: string): ChainHead | null;
  heads(after: string | null, limit: number): readonly ChainHead[];
  kept(session: string, key: string): string | null;
  keptWith(prefix: string, limit: number, after: number): readonly KeptValue[];
  sticky(principal: string): string | null;
  feed(after: number, limit: number): readonly FeedEntry[];
  newest(): string | null;
}

/** Prepares the reads of a database that has the store's tables. */
export function prepareReads(database: DatabaseSync): SqliteReads {
  const read = database.prepare(
    "SELECT seq, body, hash FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?",
  );
  const head = database.prepare("SELECT opened, session, version, hash FROM heads WHERE session = ?");
  const heads = database.prepare(
    "SELECT session, version, hash FROM heads WHERE opened > ? ORDER BY opened LIMIT ?",
  );
  const kept = database.prepare("SELECT * FROM kept WHERE session = ? AND key = ?");
  // No text that begins with the prefix comes after the prefix and a byte that UTF-8 doesn't have.
  // The inner query needs the index alone.
  const keptWith = database.prepare(
    `SELECT * FROM kept WHERE position IN (
      SELECT position FROM kept WHERE key >= ?1 AND key < ?1 || CAST(x'ff' AS TEXT) AND position > ?3
      ORDER BY position LIMIT ?2
    ) ORDER BY position`,
  );
  const sticky = database.prepare("SELECT * FROM sticky WHERE principal = ?");
  const feed = database.prepare(
    "SELECT position, session, seq, body, hash FROM events WHERE position > ? ORDER BY position LIMIT ?",
  );
  const newest = database.prepare("SELECT body ->> '$.at' AS at FROM events ORDER BY position DESC LIMIT 1");
  return {
    read: (session, after, limit) => read.all(session, after, limit).map((row) => toEntry(session, row)),
    head: (session) => {
      const row = head.get(session);
      return row === undefined ? null : toHead(row);
    },
    heads: (after, limit) => {
      const last = after === null ? null : head.get(after);
      const opened = last === null ? 0 : last && integer(last, "opened");
      return opened === undefined ? [] : heads.all(opened, limit).map(toHead);
    },
    kept: (session, key) => {
      const row = kept.get(session, key);
      return row === undefined ? null : toKept(row).value;
    },
    keptWith: (prefix, limit, after) => keptWith.all(prefix, limit, after).map(toKept),
    sticky: (principal) => {
      const row = sticky.get(principal);
      return row === undefined ? null : toSticky(row);
    },
    feed: (after, limit) => feed.all(after, limit).map(toFeedEntry),
    newest: () => {
      const row = newest.get();
      return row === undefined ? null : text(row, "at");
    },
  };
}

function toEntry(session: string, row: Row): JournalEntry {
  return fromSealedRow(session, {
    seq: integer(row, "seq"),
    body: text(row, "body"),
    hash: text(row, "hash"),
  });
}

function toHead(row: Row): ChainHead {
  return { session: text(row, "session"), version: integer(row, "version"), hash: text(row, "hash") };
}

function toFeedEntry(row: Row): FeedEntry {
  const session = text(row, "session");
  return { position: integer(row, "position"), session, entry: toEntry(session, row) };
}
