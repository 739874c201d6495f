/** Long loops in parts, so that other work gets its turn. */
import { setImmediate } from "node:timers/promises";

const SHARE_MS = 10;

/** The results of `toResult` for all items, without undefined ones. */
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

/**
 * Call it after each step of a loop: it returns a promise to await once the loop has used its share of time,
 * otherwise null.
 */
export function createLoopShare(): () => Promise<void> | null {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SHARE_MS) return null;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
