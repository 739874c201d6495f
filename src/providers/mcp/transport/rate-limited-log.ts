/** A log that an upstream can't flood: a burst of lines, then a number per second; the others are counted. */
const BURST = 50;
const PER_SECOND = 10;

export type Log = (line: string) => void;

/** Passes lines on within the limits. `now` is in milliseconds. Never throws. */
export function createRateLimitedLog(onLog: Log, now: () => number): Log {
  let tokens = BURST;
  let filledAt = now();
  let leftOut = 0;
  const write = (line: string): void => {
    try {
      onLog(line);
    } catch {
      // A failing log must not stop a server.
    }
  };
  return (line) => {
    const moment = now();
    tokens = Math.min(BURST, tokens + (Math.max(0, moment - filledAt) / 1000) * PER_SECOND);
    filledAt = moment;
    if (tokens < 1) {
      leftOut += 1;
      return;
    }
    tokens -= 1;
    if (leftOut > 0) write(`${leftOut} lines were left out`);
    leftOut = 0;
    write(line);
  };
}
