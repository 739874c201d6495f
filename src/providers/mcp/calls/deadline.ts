/** A time limit that stands still while somebody else is waited for, as a person who is asked something. */
import type { Schedule } from "./schedule.ts";

export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Stops the clock, and returns how to let it go on. */
  suspend(): () => void;
  stop(): void;
}

export interface DeadlineOptions {
  readonly milliseconds: number;
  /** When the time is over although the clock stood still; left out, it may stand still for ever. */
  readonly longestMs?: number;
  readonly schedule: Schedule;
}

export function createDeadline({ milliseconds, longestMs, schedule }: DeadlineOptions): Deadline {
  const over = new AbortController();
  const abort = (): void => over.abort();
  let left = milliseconds;
  let since = performance.now();
  let suspended = 0;
  let isStopped = false;
  let stopTimer = schedule(abort, left);
  const stopLongest = longestMs === undefined ? () => {} : schedule(abort, longestMs);
  return {
    signal: over.signal,
    suspend: () => {
      if (suspended === 0) {
        left = Math.max(1, left - (performance.now() - since));
        stopTimer();
      }
      suspended += 1;
      return () => {
        suspended -= 1;
        if (suspended > 0 || isStopped) return;
        since = performance.now();
        stopTimer = schedule(abort, left);
      };
    },
    stop: () => {
      isStopped = true;
      stopTimer();
      stopLongest();
    },
  };
}
