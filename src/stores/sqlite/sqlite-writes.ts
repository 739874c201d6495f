/**
 * What is written to a SQLite store, inside a transaction that others share. What concerns one write alone (a
 * conflict, a damaged row of its session) is found before it writes and is returned; what throws fails them all.
 */
import type { DatabaseSync } from "node:sqlite";
import { SluicegateError } from "../../errors/index.ts";
import type { Keep } from "../../runtime/index.ts";
import { keptChecksum, type SealedRow, stickyChecksum } from "../sealed-row.ts";
import { damaged, toStoreError } from "../store-errors.ts";
import type { StorePoint } from "../store-mark.ts";
import { integer, type Row, text, toSticky } from "./sqlite-module.ts";

/** What is appended to one session. Plain data, which may come from another thread. */
export interface SessionRows {
  readonly session: string;
  readonly expectedVersion: number;
  /** The hash of the entry that it goes on from; null where it begins the journal, or has no entry. */
  readonly prev: string | null;
  readonly rows: readonly SealedRow[];
  readonly keep: readonly Keep[];
}

/** The positions of the entries that were appended, in their order; null for a conflict; or an error that is its own. */
type AppendOutcome = readonly number[] | null | SluicegateError;

export interface SqliteWrites {
  /** Begins anew to note what is written last. */
  begin(): void;
  /** The last entry that was written since; null if none was. */
  last(): StorePoint | null;
  /** Makes all of these appends, or none if one of them conflicts or can't be made. */
  append(requests: readonly SessionRows[]): AppendOutcome;
  stick(principal: string, session: string, previous: string | null): boolean | SluicegateError;
  /** In a transaction of its own. */
  prune(session: string, before: number): void;
}

/** Prepares the writes of a database that has the store's tables. */
export function prepareWrites(database: DatabaseSync): SqliteWrites {
  let last: StorePoint | null = null;
  const appendRows = prepareRows(database);
  const keep = prepareKeep(database);
  const findHead = prepareFindHead(database);
  const findSticky = database.prepare("SELECT * FROM sticky WHERE principal = ?");
  const writeSticky = database.prepare(
    "INSERT OR REPLACE INTO sticky (principal, session, checksum) VALUES (?, ?, ?)",
  );
  const pruneEvents = database.prepare("DELETE FROM events WHERE session = ? AND seq < ?");
  const pruneKept = database.prepare("DELETE FROM kept WHERE session = ?");
  return {
    begin() {
      last = null;
    },
    last: () => last,
    append(requests) {
      // INVARIANT: all of them are found to follow before the first is written; the transaction has other writes too.
      for (const request of requests) {
        const head = alone(() => findHead(request.session));
        if (head instanceof SluicegateError) {
          return head;
        }
        if (!follows(request, head)) {
          return null;
        }
      }
      const positions = requests.flatMap((request) => appendRows(request));
      requests.forEach(keep);
      const [position, row] = [positions.at(-1), requests.flatMap(({ rows }) => rows).at(-1)];
      if (position !== undefined && row !== undefined) last = { position, hash: row.hash };
      return positions;
    },
    stick(principal, session, previous) {
      const current = alone(() => {
        const row = findSticky.get(principal);
        return row === undefined ? null : toSticky(row);
      });
      if (current instanceof SluicegateError) {
        return current;
      }
      if (current !== previous) {
        return false;
      }
      writeSticky.run(principal, session, stickyChecksum(principal, session));
      return true;
    },
    prune(session, before) {
      database.exec("BEGIN IMMEDIATE");
      try {
        pruneEvents.run(session, before);
        pruneKept.run(session);
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

/** Runs what only reads, for one write; what it throws is that write's own error. */
function alone<T>(work: () => T): T | SluicegateError {
  try {
    return work();
  } catch (error) {
    return toStoreError(error, "read what the write depends on");
  }
}

function prepareFindHead(database: DatabaseSync) {
  const find = database.prepare(`
    SELECT heads.version, heads.hash, (SELECT max(seq) FROM events WHERE session = ?1) AS last
    FROM (SELECT 1) LEFT JOIN heads ON heads.session = ?1
  `);
  return (session: string) => {
    const row: Row = find.get(session);
    if (row?.version === null && row.last === null) {
      return null;
    }
    const version = integer(row, "version");
    if (version !== integer(row, "last")) {
      throw damaged(
        "A session's journal doesn't end where its head says.",
        "Entries are missing, or its head was changed.",
        { session },
      );
    }
    return { version, hash: text(row, "hash") };
  };
}

const follows = (
  { expectedVersion, prev }: SessionRows,
  head: { readonly version: number; readonly hash: string } | null,
): boolean => expectedVersion === (head?.version ?? 0) && (prev === null || prev === head?.hash);

function prepareRows(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO events (session, seq, body, hash) VALUES (?, ?, ?, ?)");
  const open = database.prepare("INSERT INTO heads (opened, session, version, hash) VALUES (?, ?, ?, ?)");
  const move = database.prepare("UPDATE heads SET version = ?, hash = ? WHERE session = ?");
  return ({ session, expectedVersion, rows }: SessionRows): readonly number[] => {
    const positions = rows.map(({ seq, body, hash }) =>
      Number(insert.run(session, seq, body, hash).lastInsertRowid),
    );
    const [first, last] = [positions[0], rows.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (expectedVersion === 0) open.run(first, session, last.seq, last.hash);
    else move.run(last.seq, last.hash, session);
    return positions;
  };
}

function prepareKeep(database: DatabaseSync) {
  const remove = database.prepare("DELETE FROM kept WHERE session = ? AND key = ?");
  // A value that replaces another keeps its place.
  const place = database.prepare(`
    SELECT coalesce(
      (SELECT position FROM kept WHERE session = ?1 AND key = ?2),
      (SELECT coalesce(max(position), 0) + 1 FROM kept)
    ) AS position
  `);
  const write = database.prepare(
    "INSERT OR REPLACE INTO kept (position, session, key, value, checksum) VALUES (?, ?, ?, ?, ?)",
  );
  return ({ session, keep }: SessionRows): void => {
    for (const { key, value } of keep) {
      if (value === null) {
        remove.run(session, key);
      } else {
        const position = integer(place.get(session, key), "position");
        write.run(position, session, key, value, keptChecksum(position, session, key, value));
      }
    }
  };
}
