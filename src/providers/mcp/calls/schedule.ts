/**
 * Calls a function once after a delay in milliseconds; returns a function that cancels it. Passed as a parameter
 * wherever something waits.
 */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export const systemSchedule: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

const MIN_INTERVAL_MS = 250;
const MAX_MS = 30_000;

/**
 * Milliseconds before the next attempt after `failures` in a row (1: the first). It doubles from 250 ms to 30 s; a
 * random part of up to a half is subtracted, so that many gateways don't retry at the same time.
 */
export function backOffDelay(failures: number, random: () => number): number {
  const full = Math.min(MAX_MS, MIN_INTERVAL_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(full / 2 + (full / 2) * random());
}
