/** What a compiled part of a condition works on, what it may name and cost, and the two ways in which it stays open. */
import type { ConditionFacts, Meter as SharedMeter } from "../../core/index.ts";

export interface Scope {
  readonly facts: ConditionFacts;
  readonly meter: Meter;
  /** The values of the names that `exists` and its like give to items, outermost first. */
  readonly items: unknown[];
}

/** A part of a condition, ready to be asked. Throws `UNCLEAR` or `TOO_LONG`. */
export type Step = (scope: Scope) => unknown;

/** What a condition sees, with the fields that are known beforehand; `args` has those of the call. */
export const ROOTS = Object.freeze({
  args: null,
  tool: Object.freeze(["name", "server", "tags", "permissions"]),
  session: Object.freeze(["level", "categories", "trust", "principal", "role"]),
} satisfies Record<keyof ConditionFacts, readonly string[] | null>);

export const isRoot = (name: string): name is keyof ConditionFacts => Object.hasOwn(ROOTS, name);

/** The calls with a name for each item, by how many parts each takes. */
export const LOOPS: ReadonlyMap<string, readonly number[]> = new Map([
  ["exists", [2]],
  ["all", [2]],
  ["exists_one", [2]],
  ["filter", [2]],
  ["map", [2, 3]],
]);

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
