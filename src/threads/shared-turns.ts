/**
 * Work in turns of the event loop, so that much of it delays nobody else for long. Where a turn is used up, principals
 * alternate, and the label holders of each: a flood by one delays the others by one piece of its work each.
 */
import { FairQueue, type TurnOwner } from "./fair-queue.ts";

/** How long work of many callers may take together in one turn, in milliseconds. */
export const TURN_MS = 10;
/** How long the turns between two pieces may take together before the next one begins all the same. */
const MAX_BETWEEN_MS = 5 * TURN_MS;

let began: number | null = null;

/** Whether others have used up the present turn. Asked right before the work. */
export function isTurnOver(): boolean {
  return performance.now() - beginTurn() > TURN_MS;
}

/** When the present turn began; now, if nobody has asked before. */
function beginTurn(): number {
  if (began === null) {
    began = performance.now();
    setImmediate(() => {
      began = null;
    });
  }
  return began;
}

interface Piece {
  readonly owner: TurnOwner;
  readonly length: 0;
  readonly begin: () => void;
  readonly drop: () => void;
}

/** Pieces of work that wait for a turn of the event loop. Principals alternate, and the label holders of each. */
export class TurnQueue {
  readonly #waiting: FairQueue<Piece>;
  readonly #turnsBetween: number;
  readonly #maxPieces: number;
  #isRunning = false;
  #began = 0;

  /**
   * @param maxWaiting of one label holder
   * @param turnsBetween turns of the event loop from the first piece to the next
   * @param maxPieces in one turn, as long as it isn't used up
   */
  constructor({ maxWaiting = Number.POSITIVE_INFINITY, turnsBetween = 1, maxPieces = 1 } = {}) {
    this.#waiting = new FairQueue(maxWaiting);
    this.#turnsBetween = turnsBetween;
    this.#maxPieces = maxPieces;
  }

  /** Resolves when its turn has come; null if too much of this label holder waits. */
  next(owner: TurnOwner): Promise<void> | null {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.#waiting.add({ owner, length: 0, begin: resolve, drop: resolve })) return null;
    if (!this.#isRunning) this.#runIn(this.#turnsBetween);
    return promise;
  }

  #runIn(turns: number, until = performance.now() + MAX_BETWEEN_MS): void {
    this.#isRunning = true;
    setImmediate(() => {
      // Where others' turns are long, waiting for so many of them would take seconds.
      if (turns > 1) this.#runIn(performance.now() < until ? turns - 1 : 1, until);
      else this.#runFirst();
    });
    // Each runs when the piece before it has, in the same turn.
    if (turns === 1)
      for (let piece = 1; piece < this.#maxPieces; piece += 1) setImmediate(() => this.#runFurther());
  }

  #runFirst(): void {
    this.#began = performance.now();
    this.#isRunning = this.#begin();
    if (this.#isRunning) this.#runIn(this.#turnsBetween);
  }

  #runFurther(): void {
    if (performance.now() - this.#began < TURN_MS) this.#begin();
  }

  /** False if none waits. */
  #begin(): boolean {
    const piece = this.#waiting.take();
    if (piece === undefined) return false;
    piece.begin();
    return true;
  }
}

/** What asks while input is read would get the rest of that very turn first: so the one after it. */
const shared = new TurnQueue({ maxPieces: 16, turnsBetween: 2 });

/** Resolves in a turn of the event loop that others haven't used up. */
export async function nextTurnOf(owner: TurnOwner): Promise<void> {
  await shared.next(owner);
  beginTurn();
}

/** Does work in stages. Where one has used up the turn, the next one, or whoever works on the result, has another. */
export async function inTurns<Result>(owner: TurnOwner, stages: Generator<void, Result>): Promise<Result> {
  beginTurn();
  for (;;) {
    const { done, value } = stages.next();
    if (isTurnOver()) await nextTurnOf(owner);
    if (done) return value;
  }
}
