/** A time limit that stands still while somebody else is waited for, as a person who is asked something. */
import type { Schedule } from "./schedule.ts";

export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Runs something that doesn't count. */
  suspend<Value>(run: () => Promise<Value>): Promise<Value>;
  stop(): void;
}

/** A deadline in so many milliseconds. */
export function createDeadline(milliseconds: number, schedule: Schedule): Deadline {
  const over = new AbortController();
  let left = milliseconds;
  let since = performance.now();
  let suspended = 0;
  let stopTimer = schedule(() => over.abort(), left);
  return {
    signal: over.signal,
    suspend: async (run) => {
      if (suspended === 0) {
        left = Math.max(1, left - (performance.now() - since));
        stopTimer();
      }
      suspended += 1;
      try {
        return await run();
      } finally {
        suspended -= 1;
        if (suspended === 0) {
          since = performance.now();
          stopTimer = schedule(() => over.abort(), left);
        }
      }
    },
    stop: () => stopTimer(),
  };
}
