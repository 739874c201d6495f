/** Long work in several turns of the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { TURN_MS } from "../../threads/index.ts";

/** Calls `work` for each item in order, a few milliseconds per turn, and returns the results. */
export async function inTurns<Item, Made>(
  items: readonly Item[],
  work: (item: Item) => Made,
): Promise<Awaited<Made>[]> {
  const made: Awaited<Made>[] = [];
  let until = performance.now() + TURN_MS;
  for (const item of items) {
    made.push(await work(item));
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + TURN_MS;
  }
  return made;
}
