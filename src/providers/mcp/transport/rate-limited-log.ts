/** A log that an upstream can't flood: a burst of lines, then a number per second; the others are counted. */
import { TokenBuckets } from "../../../threads/index.ts";

const LINES = { name: "lines", most: 50, perSecond: 10 };

export type Log = (line: string) => void;

/** Passes lines on within the limits. `now` is in milliseconds. Never throws. */
export function createRateLimitedLog(onLog: Log, now: () => number): Log {
  const buckets = new TokenBuckets();
  let leftOut = 0;
  const write = (line: string): void => {
    try {
      onLog(line);
    } catch {
      // A failing log must not stop a server.
    }
  };
  return (line) => {
    if (!buckets.take(now(), LINES)) {
      leftOut += 1;
      return;
    }
    if (leftOut > 0) write(`${leftOut} lines were left out`);
    leftOut = 0;
    write(line);
  };
}
