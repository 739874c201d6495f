/** What is read from a PostgreSQL store. No row is trusted unchecked. */
import type { ChainHead, FeedEntry, JournalEntry, KeptValue, Store } from "../../runtime/index.ts";
import { checkKept, checkSticky, fromSealedRow, type SealedRow } from "../sealed-row.ts";
import { damaged } from "../store-errors.ts";
import type { Connections, Row } from "./connections.ts";
import { afterPrefix, fromStored, toStoredName } from "./stored-text.ts";

type PostgresReads = Required<
  Pick<Store, "read" | "head" | "heads" | "kept" | "keptWith" | "sticky" | "feed" | "newest">
>;

const ENTRY = "seq, body, hash";

export function createReads({ read }: Connections): PostgresReads {
  return {
    read: async (session, after, limit) => {
      const rows = await read(
        `SELECT ${ENTRY} FROM sluicegate.events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [toStoredName(session), after, limit],
      );
      return rows.map((row) => toEntry(session, row));
    },
    head: async (session) => {
      const [row] = await read("SELECT * FROM sluicegate.heads WHERE session = $1", [toStoredName(session)]);
      return row === undefined ? null : toHead(row);
    },
    heads: async (after, limit) => {
      const rows = await (after === null
        ? read("SELECT * FROM sluicegate.heads ORDER BY opened LIMIT $1", [limit])
        : read(
            `SELECT * FROM sluicegate.heads
             WHERE opened > (SELECT opened FROM sluicegate.heads WHERE session = $1) ORDER BY opened LIMIT $2`,
            [toStoredName(after), limit],
          ));
      return rows.map(toHead);
    },
    kept: async (session, key) => {
      const names = [toStoredName(session), toStoredName(key)];
      const [row] = await read("SELECT * FROM sluicegate.kept WHERE session = $1 AND key = $2", names);
      return row === undefined ? null : toKept(row).value;
    },
    keptWith: async (prefix, limit, after = 0) => {
      const least = toStoredName(prefix);
      const rows = await read(
        `SELECT * FROM sluicegate.kept WHERE key >= $1 AND ($2::text IS NULL OR key < $2) AND position > $3
         ORDER BY position LIMIT $4`,
        [least, afterPrefix(least), after, limit],
      );
      return rows.map(toKept);
    },
    sticky: async (principal) => {
      const [row] = await read("SELECT * FROM sluicegate.sticky WHERE principal = $1", [
        toStoredName(principal),
      ]);
      return row === undefined ? null : toSticky(row);
    },
    feed: createFeed(read),
    newest: async () => {
      const [row] = await read(
        `SELECT session, ${ENTRY} FROM sluicegate.events ORDER BY position DESC LIMIT 1`,
      );
      return row === undefined ? null : toEntry(text(row, "session"), row).at;
    },
  };
}

/**
 * Entries by their positions, which are given out before they are committed: a smaller one may come later than a larger
 * one. So where one is missing, nothing after it is told until every transaction has ended that was there when it was
 * found missing; then it was never committed.
 */
function createFeed(read: Connections["read"]): Store["feed"] {
  /** Up to here, what is missing will never come. */
  let settled = 0;
  /** Up to its position, what is missing will never come once no transaction before its number is open. */
  let doubt: { readonly position: number; readonly transaction: bigint } | null = null;
  const page = async (after: number, limit: number): Promise<readonly FeedEntry[]> => {
    const rows = await read(
      `SELECT position, session, ${ENTRY}, pg_snapshot_xmin(pg_current_snapshot())::text AS oldest
       FROM sluicegate.events WHERE position > $1 ORDER BY position LIMIT $2`,
      [after, limit],
    );
    const oldest = rows[0]?.oldest;
    if (doubt !== null && typeof oldest === "string" && BigInt(oldest) > doubt.transaction) {
      settled = Math.max(settled, doubt.position);
      doubt = null;
    }
    return rows.map(toFeedEntry);
  };
  const gapIn = (after: number, entries: readonly FeedEntry[]): number =>
    entries.findIndex(({ position }, at) => {
      const before = entries[at - 1]?.position ?? after;
      return position !== before + 1 && position > settled;
    });
  return async (after, limit) => {
    let entries = await page(after, limit);
    const last = entries.at(-1);
    if (gapIn(after, entries) >= 0 && last !== undefined && doubt === null) {
      const [row] = await read("SELECT pg_current_xact_id()::text AS transaction");
      doubt = { position: last.position, transaction: BigInt(text(row, "transaction")) };
      entries = await page(after, limit);
    }
    const gap = gapIn(after, entries);
    return gap < 0 ? entries : entries.slice(0, gap);
  };
}

/** The kept value of a row. @throws SluicegateError `store-damaged` if its checksum doesn't match */
export function toKept(row: Row): KeptValue {
  const kept = {
    position: integer(row, "position"),
    session: text(row, "session"),
    key: text(row, "key"),
    value: text(row, "value"),
  };
  return checkKept(kept, null, row.checksum);
}

/** The session of a sticky row. @throws SluicegateError `store-damaged` if its checksum doesn't match */
export const toSticky = (row: Row): string =>
  checkSticky(text(row, "principal"), text(row, "session"), row.checksum);

export const toSealed = (row: Row): SealedRow => ({
  seq: integer(row, "seq"),
  body: text(row, "body"),
  hash: text(row, "hash"),
});

const toEntry = (session: string, row: Row): JournalEntry => fromSealedRow(session, toSealed(row));

const toHead = (row: Row): ChainHead => ({
  session: text(row, "session"),
  version: integer(row, "version"),
  hash: text(row, "hash"),
});

function toFeedEntry(row: Row): FeedEntry {
  const session = text(row, "session");
  return { position: integer(row, "position"), session, entry: toEntry(session, row) };
}

/** A text of a row. A body has no character that is escaped. */
export function text(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== "string") throw wrongRow();
  return fromStored(value);
}

/** A number of a row, which the driver gives as text. */
export function integer(row: Row, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value)) throw wrongRow();
  return value;
}

const wrongRow = () =>
  damaged("A row of the store isn't one that was written.", "It has a value of another kind or size.");
