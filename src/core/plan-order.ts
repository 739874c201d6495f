/** From decisions to an order problem: labels become classes, compared once each. */
import type { Decision } from "./decide.ts";
import { flowsTo, type Label, type Lattice } from "./label.ts";
import type { OrderProblem } from "./order-problem.ts";

/** Numbers equal labels alike, in the order of their first appearance. */
class LabelClasses {
  readonly labels: Label[] = [];
  readonly #byObject = new Map<Label, number>();
  readonly #byValue = new Map<string, number>();

  classOf(label: Label): number {
    const known = this.#byObject.get(label);
    if (known !== undefined) return known;
    const key = JSON.stringify([label.level, label.trust, label.categories]);
    const found = this.#byValue.get(key) ?? this.labels.push(label) - 1;
    this.#byValue.set(key, found);
    this.#byObject.set(label, found);
    return found;
  }
}

/**
 * The order problem of a plan from the decisions on its calls at the start and its `after` edges as indices (-1
 * for an id that nothing has).
 */
export function toOrderProblem(
  lattice: Lattice,
  start: Label,
  decisions: readonly Decision[],
  after: readonly (readonly number[])[],
): OrderProblem {
  const sources = new LabelClasses();
  const clearances = new LabelClasses();
  const calls = decisions.map(({ tool }, at) => ({
    source: tool?.source ? sources.classOf(tool.source) : null,
    sink: tool?.clearances ? [...new Set(tool.clearances.map((label) => clearances.classOf(label)))] : null,
    after: after[at] ?? [],
  }));
  const violates = sources.labels.map((source) =>
    clearances.labels.map((clearance) => !flowsTo(lattice, source, clearance)),
  );
  return { calls, violates, dead: clearances.labels.map((clearance) => !flowsTo(lattice, start, clearance)) };
}
