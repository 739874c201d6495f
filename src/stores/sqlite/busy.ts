/**
 * Another program's lock on the store's file. SQLite itself waits for it in one go, in which nothing else of this
 * process runs; so it is let wait for a moment only, and what met the lock is done again after a pause.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** How long everything is waited for, unless the store is opened with another time. */
export const LOCK_TIMEOUT_MS = 5000;
/** How long SQLite may wait at once. Other writers of ours hold the lock for less than that. */
export const BLOCKING_MS = 20;
const PAUSE_MS = 25;

// https://www.sqlite.org/rescode.html
const SQLITE_BUSY = 5;

/** Whether SQLite threw this because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}

/** Resolves when a lock that was met is worth another try. Other work goes on meanwhile. */
export const pauseForLock = (): Promise<void> => sleep(PAUSE_MS);

/** Does work that changes nothing, again and again while another program's lock is in its way. */
export async function retryWhileBusy<T>(patienceMs: number, work: () => T | Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) {
        throw error;
      }
    }
    await pauseForLock();
  }
}
