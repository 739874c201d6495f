/**
 * A store in one SQLite file, over `node:sqlite`: a write-ahead log that is synchronised at every commit, and one
 * commit for all that is written in a turn of the event loop. Several processes may share the file.
 */
import type { DatabaseSync } from "node:sqlite";
import { SluicegateError } from "../../errors/index.ts";
import type { AppendResult, Store } from "../../runtime/index.ts";
import { assertArchived, toAppendRequest, toAppendRequests, toCount, toText } from "../append-request.ts";
import { closedStore, toStoreError } from "../store-errors.ts";
import { createMark, type StoreMark } from "../store-mark.ts";
import { createWatchers } from "../watchers.ts";
import { BLOCKING_MS, LOCK_TIMEOUT_MS, retryWhileBusy } from "./busy.ts";
import { type FileGuard, guardFiles } from "./file-guard.ts";
import { createGroupCommit, type GroupCommit, type Transaction } from "./group-commit.ts";
import { realStorePath } from "./link-file.ts";
import { findDamage } from "./sqlite-damage.ts";
import { openDatabase, type SqliteStoreOptions } from "./sqlite-file.ts";
import { prepareReads, type SqliteReads } from "./sqlite-reads.ts";
import { APPLICATION_ID } from "./sqlite-schema.ts";
import { prepareWrites, type SqliteWrites } from "./sqlite-writes.ts";

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
      return createStore({ database, patienceMs, guard: guardFiles(file, database), mark: markOf(file) });
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
  readonly guard: FileGuard;
  /** Null for a store that lasts as long as it is open. */
  readonly mark: StoreMark | null;
}

const markOf = (file: string): StoreMark | null => (file === ":memory:" ? null : createMark(file));

function createStore(parts: Parts): Store {
  const { database, patienceMs, mark } = parts;
  const reads = prepareReads(database);
  const writes = prepareWrites(database);
  const group = createGroupCommit(prepareTransaction(parts, writes), patienceMs);
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
    ...createWriting(writes, group, { whileOpen, assertOpen }),
    prune: (session, before) =>
      whileOpen("prune a session", () => {
        assertArchived(reads.read(toText(session), Math.max(0, toCount(before) - 1), 1)[0]);
        parts.guard.assertWholeLog();
        // INVARIANT: the mark never names an entry that is gone, not even after a power loss. The newest one stays.
        const newest = reads.newestPoint();
        if (newest !== null) mark?.settle(newest);
        writes.prune(session, before);
        parts.guard.assertSameFile();
      }),
    damage: () => whileOpen("look for damage", () => findDamage(database)),
    close: () => {
      closing ??= closeWhenWritten(database, group).finally(() => mark?.close());
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
    newest: () => whileOpen("read the newest entry", () => reads.newest()),
    feed: (after, limit) => whileOpen("read the feed", () => reads.feed(toCount(after), toCount(limit))),
  } satisfies Partial<Store>;
}

interface OpenStore {
  readonly whileOpen: WhileOpen;
  assertOpen(): void;
}

function createWriting(writes: SqliteWrites, group: GroupCommit, { whileOpen, assertOpen }: OpenStore) {
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

function prepareTransaction({ database, guard, mark }: Parts, writes: SqliteWrites): Transaction {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  // It changes nothing and is written all the same.
  const overwrite = `PRAGMA application_id = ${APPLICATION_ID}`;
  let isCommitting = false;
  const endOpenOne = () => {
    // SQLite itself rolls back after some errors, such as a full disk.
    if (database.isTransaction) {
      database.exec("ROLLBACK");
    }
  };
  return {
    begin: () => {
      guard.assertWholeLog();
      mark?.prepare();
      endOpenOne();
      begin.run();
      writes.begin();
    },
    commit: () => {
      isCommitting = true;
      commit.run();
      isCommitting = false;
      guard.assertSameFile();
      const last = writes.last();
      // INVARIANT: what is acknowledged is in the mark before, and only what is durable gets into it.
      if (last !== null) mark?.record(last);
    },
    rollBack: () => {
      try {
        endOpenOne();
        // A commit that failed at its sync has written all its frames to the log. The process's end would make them
        // count, though the caller was told that they don't; so the next frame takes their place.
        if (isCommitting) database.exec(overwrite);
      } catch {
        // What can't be undone now is undone before the next transaction begins, or else that one fails too.
      }
      isCommitting = false;
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
