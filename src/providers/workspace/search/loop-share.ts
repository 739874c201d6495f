/** Long loops in parts: whoever else waits for the event loop gets a turn in between. */
import { setImmediate } from "node:timers/promises";

const SHARE_MS = 10;

/** What `toResult` makes of each item, without those of which it makes nothing. */
export async function collectInShares<Item, Result>(
  items: Iterable<Item>,
  toResult: (item: Item) => Result | undefined,
): Promise<Result[]> {
  const results: Result[] = [];
  const isDue = createLoopShare();
  for (const item of items) {
    const turn = isDue();
    if (turn !== null) await turn;
    const result = toResult(item);
    if (result !== undefined) results.push(result);
  }
  return results;
}

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
