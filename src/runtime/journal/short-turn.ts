/** Work in turns of the event loop, so that much of it delays nobody else for long. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work of many callers may take together in one turn, in milliseconds. */
export const TURN_MS = 10;

let began: number | null = null;

/** How long it is since this was first asked in this turn, in milliseconds. */
function turnTime(): number {
  if (began === null) {
    began = performance.now();
    setImmediate(() => {
      began = null;
    });
  }
  return performance.now() - began;
}

/** Waits for another turn, as often as others have used up the present one. */
export async function shortTurn(): Promise<void> {
  while (turnTime() > TURN_MS) await nextTurn();
}
