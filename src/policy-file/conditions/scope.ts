/** What a compiled part of a condition works on, and what the parts of a condition may name. */
import type { ConditionFacts } from "../../core/index.ts";
import type { Meter } from "./meter.ts";

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
