/** Long loops in parts: whoever else waits for the event loop gets a turn in between. */
import { setImmediate } from "node:timers/promises";

const SHARE_MS = 10;

/** Asked after each step of a loop: a promise to wait for once the loop has had its share of time, else null. */
export function createLoopShare(): () => Promise<void> | null {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SHARE_MS) return null;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
