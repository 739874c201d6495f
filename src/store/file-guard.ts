/**
 * Notices that an open store's file was deleted or replaced. The system lets a program go on writing to a file that
 * has no name any more: everything would look well, and the next start would know nothing of it.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { failed } from "./store-errors.ts";

/** How often the log is looked at: it is lost less easily than the file, and each look costs every commit. */
const LOG_EVERY_MS = 1000;

/**
 * To be called right after the database at a path was opened. What it returns is to be called after each commit, and
 * throws SluicegateError `store-failed` where the file is no longer the one that was opened, and within a second where
 * the log beside it isn't.
 */
export function guardFiles(path: string): () => void {
  if (path === ":memory:") {
    return () => {};
  }
  // The working directory may change later.
  const file = resolve(path);
  const log = `${file}-wal`;
  const opened = identityOf(file);
  // INVARIANT: SQLite makes the log at the first need, and leaves it there as long as the file is open.
  let openedLog: Identity | null = null;
  let lookAt = Number.NEGATIVE_INFINITY;
  const isLogSame = (): boolean => {
    const now = performance.now();
    if (now < lookAt) return true;
    const found = identityOf(log);
    openedLog ??= found;
    const same = isSame(openedLog, found);
    // A log that was lost is looked at each time: the next write must not be let through.
    if (same) lookAt = now + LOG_EVERY_MS;
    return same;
  };
  return () => {
    if (!isSame(opened, identityOf(file)) || !isLogSame()) {
      throw failed(
        "The store's file was deleted or replaced while it was open.",
        `What stands at ${file} is not what was opened there, so nothing that is written now would be found again.`,
        "Stop the program, put the file back or restore it with its log from a backup, and start again.",
      );
    }
  };
}

interface Identity {
  readonly device: number;
  readonly inode: number;
}

function identityOf(file: string): Identity | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : { device: found.dev, inode: found.ino };
}

const isSame = (before: Identity | null, now: Identity | null): boolean =>
  before?.device === now?.device && before?.inode === now?.inode;
