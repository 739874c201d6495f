/**
 * Work in turns of the event loop, so that much of it delays nobody else for long. Where a turn is used up, label holders
 * alternate: a flood by one delays the others by one piece of its work each.
 */
import { FairQueue } from "./fair-queue.ts";

/** How long work of many callers may take together in one turn, in milliseconds. */
export const TURN_MS = 10;

let began: number | null = null;

/** Whether others have used up the present turn. Asked right before the work. */
export function isTurnOver(): boolean {
  if (began === null) {
    began = performance.now();
    setImmediate(() => {
      began = null;
    });
  }
  return performance.now() - began > TURN_MS;
}

/** Pieces of work that wait, of which each has a turn of its own. */
export class TurnQueue {
  readonly #waiting: FairQueue<{
    readonly labelHolder: string;
    readonly length: 0;
    readonly begin: () => void;
    readonly drop: () => void;
  }>;
  readonly #turnsBetween: number;
  #isRunning = false;

  /**
   * @param maxWaiting of one label holder
   * @param turnsBetween turns of the event loop from one piece to the next
   */
  constructor({ maxWaiting = Number.POSITIVE_INFINITY, turnsBetween = 1 } = {}) {
    this.#waiting = new FairQueue(maxWaiting);
    this.#turnsBetween = turnsBetween;
  }

  /** Resolves in a turn of its own; null if too much of this label holder waits. */
  next(labelHolder: string): Promise<void> | null {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.#waiting.add({ labelHolder, length: 0, begin: resolve, drop: resolve })) return null;
    if (!this.#isRunning) this.#runIn(this.#turnsBetween);
    return promise;
  }

  #runIn(turns: number): void {
    this.#isRunning = true;
    setImmediate(() => (turns > 1 ? this.#runIn(turns - 1) : this.#runFirst()));
  }

  #runFirst(): void {
    const first = this.#waiting.take(() => false);
    this.#isRunning = first !== undefined;
    if (first === undefined) return;
    first.begin();
    this.#runIn(this.#turnsBetween);
  }
}

const shared = new TurnQueue();

/** Resolves in a turn of the event loop that no other piece of work has; label holders alternate. */
export const nextTurnOf = async (labelHolder: string): Promise<void> =>
  (await shared.next(labelHolder)) ?? undefined;
