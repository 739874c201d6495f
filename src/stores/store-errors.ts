/** All errors of the stores. No message contains a session's id or a stored value. */
import { SluicegateError } from "../errors/index.ts";
import { isBusy } from "./sqlite/busy.ts";

const RESTORE =
  "Keep a copy of the store as it is, then restore it from a backup. A session whose journal is lost must not go on.";

/** `store-damaged`: what lies in the store is not what was written. */
export function damaged(
  message: string,
  why: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): SluicegateError {
  return new SluicegateError("store-damaged", message, { why, fix: RESTORE, details, cause });
}

/** `store-damaged`: entries are missing whose commit was acknowledged. */
export function olderThanMark(markFile: string, position: number): SluicegateError {
  return new SluicegateError("store-damaged", "The store has lost its last writes.", {
    why: `Its mark \`${markFile}\` says that ${position} entries were written, and the last of them isn't there: the store's file or its log was cut, damaged, deleted or replaced by an older copy.`,
    fix: `Put the newest file back together with its log (\`-wal\`). To go on with what is there on purpose, so that sessions forget what raised them since, delete \`${markFile}\`.`,
    details: { position },
  });
}

/** `store-failed`: the store could not do something now; it may do so later. */
export function failed(message: string, why: string, fix: string, cause?: unknown): SluicegateError {
  return new SluicegateError("store-failed", message, { why, fix, cause });
}

/** `store-failed` for whatever is asked of a store after its `close`. */
export function closedStore(): SluicegateError {
  return failed("The store is closed.", "It was asked for something after `close`.", "Open the store again.");
}

/** `internal`: a caller broke the port's contract. */
export function misused(message: string, why: string, fix: string): SluicegateError {
  return new SluicegateError("internal", message, { why, fix });
}

// https://www.sqlite.org/rescode.html: SQLITE_CORRUPT, SQLITE_NOTADB, and SQLITE_ERROR: all statements here are
// fixed, so where SQLite finds no sense in one, the file's tables are not those that were written.
const DAMAGE_CODES = new Set([11, 26, 1]);

/**
 * The store's error for whatever was thrown while it was `doing` something: `store-damaged` where SQLite says so,
 * otherwise `store-failed`, with the cause kept. An error that is already Sluicegate's stays itself.
 */
export function toStoreError(error: unknown, doing: string): SluicegateError {
  if (SluicegateError.isInstance(error)) {
    return error;
  }
  const said = error instanceof Error ? error.message : String(error);
  if (isDamage(error)) {
    return damaged(`The store could not ${doing}: its file is damaged.`, `SQLite says: ${said}.`, {}, error);
  }
  if (isBusy(error)) {
    return failed(
      `The store could not ${doing}.`,
      `Another program held a lock on its file all the time. SQLite says: ${said}.`,
      "End that program (a database browser, a backup, a script), and try again.",
      error,
    );
  }
  return failed(
    `The store could not ${doing}.`,
    `SQLite says: ${said}.`,
    "See that the disk has room, that the store's folder and files may be written, and try again.",
    error,
  );
}

function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  if ("errcode" in error && typeof error.errcode === "number") {
    // The low byte is the primary code of an extended one.
    return DAMAGE_CODES.has(error.errcode & 0xff);
  }
  // A stored number that is beyond what this store ever writes.
  return "code" in error && error.code === "ERR_OUT_OF_RANGE";
}
