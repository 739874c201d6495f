/** Work on many things that lets others have their turn. */
import { setImmediate as nextTurn } from "node:timers/promises";

const TURN_MS = 10;

/** What `work` makes of each item, in order, a few milliseconds' worth at a time. */
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
