/** Calls back once after a delay in milliseconds; taken as a parameter wherever something waits. Returns how to stop. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export const systemSchedule: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

const MIN_INTERVAL_MS = 250;
const MAX_MS = 30_000;

/**
 * Milliseconds to wait before the next attempt after `failures` in a row (1: the first). It doubles each time, from
 * 250 ms to 30 s; a random half of it is taken off, so that many gateways don't come back in step.
 */
export function backOffDelay(failures: number, random: () => number): number {
  const full = Math.min(MAX_MS, MIN_INTERVAL_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(full / 2 + (full / 2) * random());
}
