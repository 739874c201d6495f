/** What goes wrong between a store and its PostgreSQL server. No sentence holds an address, a user or a password. */
import { SluicegateError } from "../../errors/index.ts";
import { damaged, failed } from "../store-errors.ts";

/** Raised by the function that appends; see the schema. */
const WRONG_ISOLATION = "SG001";
const WENT_BACK = "SG002";
const LAST_ENTRY_GONE = "SG003";
const OTHER_VERSION = "SG004";
const UNIQUE_VIOLATION = "23505";
const DEADLOCK = "40P01";
const READ_ONLY = "25006";

/** Whether the server undid an append because another writer was faster. */
export const isConflict = (error: unknown): boolean => [OTHER_VERSION, DEADLOCK].includes(codeOf(error));

/** Whether the server can't be reached now, or said so before it took up a statement: another try may go better. */
export const isUnreachable = (error: unknown): boolean =>
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08|53300|57P0|25006)/.test(codeOf(error)) ||
  /terminated|timeout exceeded|read timeout|Connection ended|not queryable/i.test(messageOf(error));

export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** As the server itself would answer a write. */
export const readOnlyError = (): Error =>
  Object.assign(new Error("The server takes no writes."), { code: READ_ONLY });

/** The store's error for whatever was thrown while it was `doing` something. */
export function toPostgresError(error: unknown, doing: string): SluicegateError {
  if (SluicegateError.isInstance(error)) return error;
  const message = `The store could not ${doing}.`;
  const code = codeOf(error);
  if (code === WENT_BACK) return wentBack(error);
  if (code === LAST_ENTRY_GONE || code === UNIQUE_VIOLATION) {
    return damaged(
      "A session's journal doesn't end where its head says.",
      "Entries are missing or there are too many, or its head was changed.",
      {},
      error,
    );
  }
  const [why, fix] = reasonOf(error);
  return failed(message, why, fix, error);
}

export const isWentBack = (error: unknown): boolean => codeOf(error) === WENT_BACK;

/** `store-damaged`: what was acknowledged is not in the database any more. */
export const wentBack = (cause?: unknown): SluicegateError =>
  new SluicegateError("store-damaged", "The store has lost its last writes.", {
    why: "An entry that the database had acknowledged isn't there any more: it was restored from a backup, or another server took over without the last commits.",
    fix: "Go back to the server that has them. To go on with what is there on purpose, so that sessions forget what raised them since, delete the store's mark (`postgres-…-mark` beside the gateway's state) and start again.",
    cause,
  });

function reasonOf(error: unknown): readonly [why: string, fix: string] {
  const code = codeOf(error);
  const message = messageOf(error);
  if (code === WRONG_ISOLATION)
    return [
      "The database's transactions have another isolation level than `read committed`.",
      "Set it: `ALTER DATABASE … SET default_transaction_isolation = 'read committed'`.",
    ];
  if (code.startsWith("28"))
    return ["The server refused the user or the password.", "Correct the URL, `PGUSER` or `PGPASSWORD`."];
  if (code === "3D000") return ["The server has no database of that name.", "Create it, or correct the URL."];
  if (code === "42501" || code === READ_ONLY)
    return [
      "The user may not write there, or the server takes no writes.",
      "Use the primary server, and a user who owns the schema `sluicegate` or may create it.",
    ];
  if (code === "55P03")
    return [
      "Another program held a lock on a session's head all the time.",
      "End that program, and try again.",
    ];
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_/.test(code))
    return [
      "The server's certificate isn't trusted.",
      "Name its root certificate: `sslrootcert=FILE` in the URL.",
    ];
  if (/does not support SSL/.test(message))
    return [
      "The server offers no encrypted connection.",
      "Let it offer one. Where the way to it is yours alone, say `sslmode=disable` in the URL.",
    ];
  if (/^E(NOSPC|DQUOT|ROFS|ACCES|PERM|NOENT|IO)$/.test(code))
    return [
      "The mark of the database, beside the gateway's state, can't be written.",
      "See that the disk has room and that the folder `.sluicegate` may be written, and try again.",
    ];
  if (code === "53100" || code === "53200")
    return ["The server has no room on its disk, or no memory.", "Make room, and try again."];
  if (isUnreachable(error) || code === "" || code === "ENOTFOUND")
    return [
      "Nothing answered at its address in time, or the connection was lost.",
      "See that the server runs and can be reached, and try again.",
    ];
  return [
    `PostgreSQL answered with the error ${code}.`,
    "See the server's log for what it is, and try again.",
  ];
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");
