/** Work in turns of the event loop, so that much of it delays nobody else for long. */

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

/**
 * Whether others have used up the present turn. Asked right before the work, and again after each wait for another turn:
 * all that wait go on in the same one.
 */
export const isTurnOver = (): boolean => turnTime() > TURN_MS;
