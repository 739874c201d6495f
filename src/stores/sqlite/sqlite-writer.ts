/**
 * What writes to a SQLite store: one commit for all that is asked for in a turn of the event loop, and the mark beside the
 * file. It runs in the thread that asks, or in one of its own, so it loads nothing of the runtime.
 */
import type { DatabaseSync } from "node:sqlite";
import { SluicegateError } from "../../errors/index.ts";
import { toStoreError } from "../store-errors.ts";
import { createMark, type StoreMark, type StorePoint } from "../store-mark.ts";
import { retryWhileBusy } from "./busy.ts";
import { guardFiles } from "./file-guard.ts";
import { createGroupCommit, type Transaction } from "./group-commit.ts";
import { integer, text } from "./sqlite-module.ts";
import { APPLICATION_ID } from "./sqlite-schema.ts";
import { prepareWrites, type SessionRows, type SqliteWrites } from "./sqlite-writes.ts";

/** Each method resolves once what it wrote is durable, and rejects with a SluicegateError. */
export interface SqliteWriter {
  /** The positions of the entries that were appended, or null for a conflict. Urgent: without waiting for others. */
  append(requests: readonly SessionRows[], isUrgent: boolean): Promise<readonly number[] | null>;
  stick(principal: string, session: string, previous: string | null): Promise<boolean>;
  prune(session: string, before: number): Promise<void>;
  /** Writes what waits. The database stays open. */
  close(): Promise<void>;
}

/** To be called right after the database was opened. `file` may be `:memory:`. */
export function createSqliteWriter(file: string, database: DatabaseSync, patienceMs: number): SqliteWriter {
  const guard = guardFiles(file, database);
  const mark = file === ":memory:" ? null : createMark(file);
  const writes = prepareWrites(database);
  const group = createGroupCommit(prepareTransaction({ database, guard, mark }, writes), patienceMs);
  return {
    append: async (requests, isUrgent) => {
      const appended = group.submit(() => writes.append(requests));
      if (isUrgent) group.flush();
      return unlessError(await appended);
    },
    stick: async (...names) => unlessError(await group.submit(() => writes.stick(...names))),
    prune: (session, before) =>
      retryWhileBusy(patienceMs, () => {
        guard.assertWholeLog();
        // INVARIANT: the mark never names an entry that is gone, not even after a power loss. The newest one stays.
        const newest = newestPoint(database);
        if (newest !== null) mark?.settle(newest);
        writes.prune(session, before);
        guard.assertSameFile();
      }).catch((error: unknown) => {
        throw toStoreError(error, "prune a session");
      }),
    close: async () => {
      await group.drain().finally(() => mark?.close());
    },
  };
}

function newestPoint(database: DatabaseSync): StorePoint | null {
  const row = database.prepare("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1").get();
  return row === undefined ? null : { position: integer(row, "position"), hash: text(row, "hash") };
}

interface Parts {
  readonly database: DatabaseSync;
  readonly guard: ReturnType<typeof guardFiles>;
  /** Null for a store that lasts as long as it is open. */
  readonly mark: StoreMark | null;
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
