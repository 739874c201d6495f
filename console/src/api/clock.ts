/**
 * The gateway's time, as far as this browser knows it: a device's clock may be wrong by minutes, and approvals expire
 * by the gateway's.
 */

let offset = 0;

/** Learns from a response's `Date` header, which is in whole seconds; small differences are ignored. */
export function noteServerTime(date: string | null): void {
  const server = Date.parse(date ?? "");
  if (Number.isNaN(server)) return;
  const found = server + 500 - Date.now();
  offset = Math.abs(found) < 2_000 ? 0 : found;
}

/** Milliseconds since 1970 by the gateway's clock. */
export const serverNow = (): number => Date.now() + offset;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tick = 0;

/** Calls the listener once a second. Returns a function that stops it. */
export function watchSeconds(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick += 1;
    for (const tell of listeners) tell();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Changes each second while there are listeners. */
export const currentTick = (): number => tick;
