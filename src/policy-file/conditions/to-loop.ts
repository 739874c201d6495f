/**
 * `exists` and its like: a part of a condition for each item of a list. An object is `UNCLEAR`: whoever sends one in
 * place of a list would otherwise pass what its keys don't break.
 */
import { UNCLEAR } from "./meter.ts";
import type { Scope, Step } from "./scope.ts";
import { asBoolean, isAny, isList } from "./values.ts";

export interface Loop {
  readonly name: string;
  /** What is gone through. */
  readonly of: Step;
  /** What is asked of each item. */
  readonly parts: readonly Step[];
  /** Where the item stands among those of the scope. */
  readonly place: number;
  /** What asking one item costs. */
  readonly cost: number;
}

export const toLoop =
  ({ name, of, parts, place, cost }: Loop): Step =>
  (scope) => {
    const all = of(scope);
    if (!isList(all)) throw UNCLEAR;
    const ask = (part: Step, item: unknown): unknown => {
      scope.meter.charge(4 + cost);
      scope.items[place] = item;
      return part(scope);
    };
    return run(name, all, parts, ask, scope);
  };

type Ask = (step: Step, value: unknown) => unknown;

function run(
  name: string,
  all: readonly unknown[],
  steps: readonly Step[],
  ask: Ask,
  { meter }: Scope,
): unknown {
  const [test, change] = steps;
  if (test === undefined) throw UNCLEAR;
  const holds = (value: unknown): boolean => asBoolean(ask(test, value));
  switch (name) {
    case "exists":
      return isAny(all, holds, meter);
    case "all":
      return !isAny(all, (value) => !holds(value), meter);
    case "exists_one":
      return all.filter(holds).length === 1;
    case "filter":
      return all.filter(holds);
    case "map": {
      const kept = change === undefined ? all : all.filter(holds);
      meter.charge(kept.length);
      return kept.map((value) => ask(change ?? test, value));
    }
    default:
      throw UNCLEAR;
  }
}
