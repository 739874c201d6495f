/** Limits the work of one request, whatever it asks for. */

/** Thrown by a meter whose budget is spent; the creator of the meter catches it. */
const SPENT = Object.freeze(new Error("This work takes more steps than it may."));

/** Steps that the conditions of a plan may take together, and each search for an order: 20 ms each at most. */
export const MAX_CONDITION_STEPS = 400_000;
export const MAX_SEARCH_STEPS = 1_250_000;
/** The steps that one decision is charged. */
export const DECISION_STEPS = 200;

export class Meter {
  #left: number;

  /** `steps`: the budget; unlimited if left out. A step takes some nanoseconds. */
  constructor(steps = Number.POSITIVE_INFINITY) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** @throws SPENT once the budget is exceeded. */
  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw SPENT;
  }
}

/** The result of `work`, or `spent` if its budget was exceeded. */
export function withinMeter<Made, Otherwise>(work: () => Made, spent: Otherwise): Made | Otherwise {
  try {
    return work();
  } catch (error) {
    if (error === SPENT) return spent;
    throw error;
  }
}
