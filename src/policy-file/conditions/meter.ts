/** What a condition may cost, and the two ways in which it stays open. */

import type { Meter as SharedMeter } from "../../core/index.ts";

/** How much one condition may do with one call's arguments, in steps: about a hundredth of a second. */
const MAX_STEPS = 200_000;

/** A part that can't be determined: something missing, or of another type. Another part may still settle the whole. */
export const UNCLEAR = Object.freeze(new Error("A condition can't be evaluated on these arguments."));

/** The whole can't be determined: it would take too long. */
const TOO_LONG = Object.freeze(new Error("A condition would take too long on these arguments."));

/** Counts what one evaluation does; what several do together is counted by the meter that they share. */
export class Meter {
  #left = MAX_STEPS;
  readonly #shared: SharedMeter | undefined;

  constructor(shared?: SharedMeter) {
    this.#shared = shared;
  }

  /** @throws TOO_LONG once more was done than may be, and what the shared meter throws. */
  charge(steps: number): void {
    this.#left -= steps;
    this.#shared?.charge(steps);
    if (this.#left < 0) throw TOO_LONG;
  }

  /** For reading text once. */
  chargeText(length: number): void {
    this.charge(1 + length / 16);
  }
}
