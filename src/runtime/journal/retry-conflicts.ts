/** Optimistic appends: repeats an attempt after a faster writer. */
import { SluicegateError } from "../../errors/index.ts";

const MAX_CONFLICTS = 1000;

/**
 * Repeats `attempt` (counted from 0) while it returns null, which means a conflict; `what` says in a sentence what
 * couldn't be done.
 * @throws SluicegateError `store-failed` if all attempts conflict.
 */
export async function retryConflicts<Value>(
  what: string,
  attempt: (attempt: number) => Promise<Value | null>,
): Promise<Value> {
  for (let at = 0; at < MAX_CONFLICTS; at += 1) {
    const value = await attempt(at);
    if (value !== null) return value;
  }
  throw new SluicegateError("store-failed", what, {
    why: `Other writers were faster ${MAX_CONFLICTS} times in a row.`,
    fix: "Try again; if it goes on, look for a program that writes to this store without pause.",
  });
}
