/**
 * Notices that an open store's file, or the log beside it, was deleted, replaced or cut. The system lets a program go
 * on writing to a file that has no name any more: everything would look well, and the next start would know nothing
 * of it.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { failed } from "../store-errors.ts";
import { integer } from "./sqlite-module.ts";

/** Maximum size of the log in bytes. SQLite restarts it at about 4 MB unless a reader prevents that. */
export const LOG_LIMIT = 64 * 1024 * 1024;
/** https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const LOG_HEADER_LENGTH = 32;
const FRAME_HEADER_LENGTH = 24;
/** Another process may restart the log between two reads. */
const MAX_READS = 3;

/** Both throw SluicegateError `store-failed` where something isn't what was opened. */
interface FileGuard {
  /** Looks at the log. To be called before a transaction, which would hide that the log was cut. */
  assertWholeLog(): void;
  /** Looks at the file. To be called after a commit, before it is acknowledged. */
  assertSameFile(): void;
}

const NO_FILES: FileGuard = Object.freeze({ assertWholeLog: () => {}, assertSameFile: () => {} });

/** To be called right after the database at a path was opened. */
export function guardFiles(path: string, database: DatabaseSync): FileGuard {
  if (path === ":memory:") {
    return NO_FILES;
  }
  // The working directory may change later.
  const file = resolve(path);
  const log = `${file}-wal`;
  const opened = identityOf(file);
  // INVARIANT: SQLite makes the log at the first need, and leaves it there as long as the file is open.
  let known: FoundFile | null = null;
  let warnAt = LOG_LIMIT;
  return {
    assertWholeLog: () => {
      const found = identityOf(log);
      if (known === null) return;
      if (!isSame(known, found)) {
        // The log is whole for whoever has it open: what it holds is saved in the file, as far as readers let it.
        database.exec("PRAGMA wal_checkpoint(PASSIVE)");
        throw lost(log);
      }
      // It gets shorter where it was begun anew, too: then SQLite counts less in it.
      if ((found?.size ?? 0) < known.size && !isAsLongAsCounted(database, log)) throw lost(log);
    },
    assertSameFile: () => {
      if (!isSame(opened, identityOf(file))) throw lost(file);
      const found = identityOf(log);
      if (known === null || isSame(known, found)) known = found;
      if ((found?.size ?? 0) <= warnAt) return;
      warnAt *= 2;
      process.emitWarning(longLog(log, found?.size ?? 0));
    },
  };
}

/** Whether a log has the length of the frames that SQLite counts in it. */
function isAsLongAsCounted(database: DatabaseSync, log: string): boolean {
  const pageSize = integer(database.prepare("PRAGMA page_size").get(), "page_size");
  // It writes nothing: the count is what the processes share in memory.
  const count = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  return Array.from({ length: MAX_READS }).some(() => {
    const frames = integer(count.get(), "log");
    const least = frames > 0 ? LOG_HEADER_LENGTH + frames * (FRAME_HEADER_LENGTH + pageSize) : 0;
    return (identityOf(log)?.size ?? 0) >= least;
  });
}

const longLog = (log: string, size: number): string =>
  `The store's log ${log} has grown to ${Math.round(size / 1024 / 1024)} MiB: another program keeps a transaction open on the store, so that the log can't be begun anew. End that program (a database browser, a backup, a script).`;

const lost = (file: string) =>
  failed(
    "The store's file was deleted, replaced or cut while it was open.",
    `What stands at ${file} is not what was opened there, so what is written now would not be found again.`,
    "Stop the program, put the file back or restore it with its log from a backup, and start again.",
  );

interface FoundFile {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
}

function identityOf(file: string): FoundFile | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : { device: found.dev, inode: found.ino, size: found.size };
}

const isSame = (before: FoundFile | null, now: FoundFile | null): boolean =>
  before?.device === now?.device && before?.inode === now?.inode;
