/** The errors of the stores, worded in one place. None tells a session's id or a stored value in its message. */
import { SluicegateError } from "../../errors/index.ts";

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
