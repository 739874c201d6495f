/**
 * A store in one SQLite file, over `node:sqlite`: a write-ahead log that is synchronised at every commit, and one
 * commit for all that is written in a turn of the event loop. Several processes may share the file.
 */
import type { DatabaseSync } from "node:sqlite";
import type { AppendResult, Store } from "../../runtime/index.ts";
import { CHAIN_START } from "../../runtime/journal/index.ts";
import {
  type AppendRequest,
  assertArchived,
  toAppendRequest,
  toAppendRequests,
  toCount,
  toText,
} from "../append-request.ts";
import { closedStore, toStoreError } from "../store-errors.ts";
import { createWatchers } from "../watchers.ts";
import { BLOCKING_MS, LOCK_TIMEOUT_MS, retryWhileBusy } from "./busy.ts";
import { realStorePath } from "./link-file.ts";
import { findDamage } from "./sqlite-damage.ts";
import { openDatabase, type SqliteStoreOptions } from "./sqlite-file.ts";
import { prepareReads, type SqliteReads } from "./sqlite-reads.ts";
import { createSqliteWriter, type SqliteWriter } from "./sqlite-writer.ts";
import type { SessionRows } from "./sqlite-writes.ts";
import { startWriterThread } from "./threaded-writer.ts";

/**
 * Opens the SQLite store at a path (`:memory:` for one that lasts as long as it is open), and begins a new one
 * if there is none, readable by its owner alone. Throws SluicegateError `store-damaged` where the file is no
 * store, is damaged at first sight (`verifyStore` examines all of it) or is missing though it must exist, and
 * `store-failed` where it can't be opened or was written by a later version.
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  try {
    const file = path === ":memory:" ? path : realStorePath(path);
    const database = openDatabase(file, options);
    try {
      const patienceMs = options.busyTimeoutMs ?? LOCK_TIMEOUT_MS;
      database.exec(`PRAGMA busy_timeout = ${Math.min(patienceMs, BLOCKING_MS)}`);
      const isThreaded = options.thread === true && file !== ":memory:";
      const writer = isThreaded ? startWriterThread({ file, patienceMs }) : null;
      return createStore({
        ...{ database, patienceMs },
        writer: writer ?? createSqliteWriter(file, database, patienceMs),
      });
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error, "be opened");
  }
}

interface Parts {
  readonly database: DatabaseSync;
  readonly patienceMs: number;
  readonly writer: SqliteWriter;
}

function createStore({ database, patienceMs, writer }: Parts): Store {
  const reads = prepareReads(database);
  let closing: Promise<void> | null = null;
  const assertOpen = () => {
    if (closing !== null) {
      throw closedStore();
    }
  };
  const whileOpen = async <T>(doing: string, work: () => T | Promise<T>): Promise<T> => {
    assertOpen();
    try {
      return await retryWhileBusy(patienceMs, () => {
        if (!database.isOpen) {
          throw closedStore();
        }
        return work();
      });
    } catch (error) {
      throw toStoreError(error, doing);
    }
  };
  return {
    ...createReading(reads, whileOpen),
    ...createWriting(writer, { whileOpen, assertOpen }),
    prune: (session, before) =>
      whileOpen("prune a session", () => {
        assertArchived(reads.read(toText(session), Math.max(0, toCount(before) - 1), 1)[0]);
        return writer.prune(session, before);
      }),
    damage: () => whileOpen("look for damage", () => findDamage(database)),
    close: () => {
      closing ??= closeWhenWritten(database, writer);
      return closing;
    },
  };
}

async function closeWhenWritten(database: DatabaseSync, writer: SqliteWriter): Promise<void> {
  try {
    await writer.close();
    database.close();
  } catch (error) {
    throw toStoreError(error, "be closed");
  }
}

type WhileOpen = <T>(doing: string, work: () => T | Promise<T>) => Promise<T>;

function createReading(reads: SqliteReads, whileOpen: WhileOpen) {
  return {
    read: (session, after, limit) =>
      whileOpen("read a journal", () => reads.read(toText(session), toCount(after), toCount(limit))),
    head: (session) => whileOpen("read a head", () => reads.head(toText(session))),
    heads: (after, limit) =>
      whileOpen("read the heads", () => reads.heads(after === null ? null : toText(after), toCount(limit))),
    kept: (session, key) => whileOpen("read a kept value", () => reads.kept(toText(session), toText(key))),
    keptWith: (prefix, limit, after = 0) =>
      whileOpen("read kept values", () => reads.keptWith(toText(prefix), toCount(limit), toCount(after))),
    sticky: (principal) => whileOpen("read a fallback", () => reads.sticky(toText(principal))),
    newest: () => whileOpen("read the newest entry", () => reads.newest()),
    feed: (after, limit) => whileOpen("read the feed", () => reads.feed(toCount(after), toCount(limit))),
  } satisfies Partial<Store>;
}

interface OpenStore {
  readonly whileOpen: WhileOpen;
  assertOpen(): void;
}

function createWriting(writer: SqliteWriter, { whileOpen, assertOpen }: OpenStore) {
  const watchers = createWatchers();
  return {
    append: (session, expectedVersion, entries, keep = [], options = {}) =>
      whileOpen("append", async (): Promise<AppendResult> => {
        const own = toAppendRequest(session, expectedVersion, entries, keep);
        const requests = toAppendRequests(own, options);
        const positions = await writer.append(requests.map(toRows), options.urgent ?? false);
        if (positions === null) return { status: "conflict" };
        const written = requests.flatMap((request) =>
          request.additions.map(({ entry }) => ({ session: request.session, entry })),
        );
        watchers.tell(
          written.map(({ session, entry }, at) => ({ position: positions[at] ?? 0, session, entry })),
        );
        return { status: "appended" };
      }),
    stick: (principal, session, previous) =>
      whileOpen("set a fallback", () => writer.stick(toText(principal), toText(session), previous)),
    watch: (listener) => {
      assertOpen();
      return watchers.add(listener);
    },
  } satisfies Partial<Store>;
}

/** The rows of an append, as they are written. */
function toRows({ session, expectedVersion, additions, keep }: AppendRequest): SessionRows {
  const prev = additions[0]?.entry.prev ?? null;
  return {
    ...{ session, expectedVersion, keep },
    prev: expectedVersion === 0 && prev === CHAIN_START.hash ? null : prev,
    rows: additions.map(({ row }) => row),
  };
}
