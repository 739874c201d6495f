/**
 * Notices that an open store's file was deleted or replaced. The system lets a program go on writing to a file that
 * has no name any more: everything would look well, and the next start would know nothing of it.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { failed } from "./store-errors.ts";

/**
 * To be called right after the database at a path was opened. What it returns is to be called after each commit, and
 * throws SluicegateError `store-failed` where the file, or the log beside it, is no longer the one that was opened.
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
  return () => {
    openedLog ??= identityOf(log);
    if (!isSame(opened, identityOf(file)) || !isSame(openedLog, identityOf(log))) {
      throw failed(
        "The store's file was deleted or replaced while it was open.",
        `What stands at ${file} is not what was opened there, so nothing that is written now would be found again.`,
        "Stop the program, put the file back or restore it with its log from a backup, and start again.",
      );
    }
  };
}

interface Identity {
  readonly device: bigint;
  readonly inode: bigint;
}

function identityOf(file: string): Identity | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : { device: found.dev, inode: found.ino };
}

const isSame = (before: Identity | null, now: Identity | null): boolean =>
  before?.device === now?.device && before?.inode === now?.inode;
