/** What SQLite throws, as the errors of a store. */
import { SluicegateError } from "../../errors/index.ts";
import { isBusy } from "./busy.ts";
import { damaged, failed } from "./store-errors.ts";

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
