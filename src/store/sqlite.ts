/**
 * A store in one SQLite file, over `node:sqlite`: a write-ahead log that is synchronised at every commit, and one
 * commit for all that is written in a turn of the event loop. Several processes may share the file.
 */
import type { DatabaseSync } from "node:sqlite";
import { SluicegateError } from "../errors/index.ts";
import type { AppendResult, Store } from "../session/index.ts";
import { toAppendRequest, toAppendRequests, toCount, toText } from "./append-request.ts";
import { BLOCKING_MS, PATIENCE_MS, retryWhileBusy } from "./busy.ts";
import { guardFiles } from "./file-guard.ts";
import { createGroupCommit, type GroupCommit, type Transaction } from "./group-commit.ts";
import { findDamage } from "./sqlite-damage.ts";
import { toStoreError } from "./sqlite-errors.ts";
import { openDatabase, type SqliteStoreOptions } from "./sqlite-file.ts";
import { prepareReads, type SqliteReads } from "./sqlite-reads.ts";
import { prepareWrites } from "./sqlite-writes.ts";
import { closedStore } from "./store-errors.ts";
import { createWatchers } from "./watchers.ts";

/**
 * Opens the SQLite store at a path (`:memory:` for one that lasts as long as it is open), and begins a new one
 * where there is none, readable by its owner alone. Throws SluicegateError `store-damaged` where the file is no
 * store, is damaged at first sight (`verifyStore` looks at all of it) or is missing though it must exist, and
 * `store-failed` where it can't be opened or was written by a later version.
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  try {
    const database = openDatabase(path, options);
    try {
      const patienceMs = options.busyTimeoutMs ?? PATIENCE_MS;
      database.exec(`PRAGMA busy_timeout = ${Math.min(patienceMs, BLOCKING_MS)}`);
      return createStore(database, guardFiles(path), patienceMs);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error, "be opened");
  }
}

function createStore(database: DatabaseSync, assertSameFiles: () => void, patienceMs: number): Store {
  const reads = prepareReads(database);
  const group = createGroupCommit(prepareTransaction(database, assertSameFiles), patienceMs);
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
    ...createWriting(database, group, { whileOpen, assertOpen }),
    damage: () => whileOpen("look for damage", () => findDamage(database)),
    close: () => {
      closing ??= closeWhenWritten(database, group);
      return closing;
    },
  };
}

async function closeWhenWritten(database: DatabaseSync, group: GroupCommit): Promise<void> {
  try {
    await group.drain();
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
    feed: (after, limit) => whileOpen("read the feed", () => reads.feed(toCount(after), toCount(limit))),
  } satisfies Partial<Store>;
}

interface OpenStore {
  readonly whileOpen: WhileOpen;
  assertOpen(): void;
}

function createWriting(database: DatabaseSync, group: GroupCommit, { whileOpen, assertOpen }: OpenStore) {
  const writes = prepareWrites(database);
  const watchers = createWatchers();
  return {
    append: (session, expectedVersion, entries, keep = [], options = {}) =>
      whileOpen("append", async (): Promise<AppendResult> => {
        const own = toAppendRequest(session, expectedVersion, entries, keep);
        const requests = toAppendRequests(own, options);
        const appended = group.submit(
          () => writes.append(requests),
          (done) => watchers.tell("feed" in done ? done.feed : []),
        );
        if (options.urgent) group.flush();
        const outcome = await appended;
        return { status: unlessError(outcome).status };
      }),
    stick: (principal, session, previous) =>
      whileOpen("set a fallback", async () => {
        const names = [toText(principal), toText(session)] as const;
        return unlessError(await group.submit(() => writes.stick(...names, previous)));
      }),
    watch: (listener) => {
      assertOpen();
      return watchers.add(listener);
    },
  } satisfies Partial<Store>;
}

function prepareTransaction(database: DatabaseSync, assertSameFiles: () => void): Transaction {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const endOpenOne = () => {
    // SQLite itself rolls back after some errors, such as a full disk.
    if (database.isTransaction) {
      database.exec("ROLLBACK");
    }
  };
  return {
    begin: () => {
      endOpenOne();
      begin.run();
    },
    commit: () => {
      commit.run();
      assertSameFiles();
    },
    rollBack: () => {
      try {
        endOpenOne();
      } catch {
        // What can't be undone now is undone before the next transaction begins, or else that one fails too.
      }
    },
    toError: (cause) => toStoreError(cause, "write"),
  };
}

function unlessError<T>(outcome: T | SluicegateError): T {
  if (outcome instanceof SluicegateError) {
    throw outcome;
  }
  return outcome;
}
