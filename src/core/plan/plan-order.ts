/** From decisions to an order problem: labels become classes, compared once each. */
import type { Decision } from "../decision/decide.ts";
import { flowsTo, type Label, type Lattice } from "../label/label.ts";
import { LabelClasses } from "../label/label-classes.ts";
import { Meter } from "./meter.ts";
import type { OrderProblem } from "./safe-order.ts";

/** What it costs to compare two labels. */
const A_COMPARISON = 10;

/**
 * The order problem of a plan from the decisions on its calls at the start and its `after` edges as indices (-1
 * for an id that nothing has).
 */
export function toOrderProblem(
  lattice: Lattice,
  start: Label,
  decisions: readonly Decision[],
  after: readonly (readonly number[])[],
  meter = new Meter(),
): OrderProblem {
  const sources = new LabelClasses();
  const clearances = new LabelClasses();
  const calls = decisions.map(({ tool, source }, at) => ({
    source: source && sources.classOf(source),
    sink:
      // A step that would ask counts as approved, and so does one that a person may release.
      tool?.clearances && tool.onViolation === "deny"
        ? [...new Set(tool.clearances.map((label) => clearances.classOf(label)))]
        : null,
    after: after[at] ?? [],
  }));
  meter.charge((sources.labels.length + 1) * clearances.labels.length * A_COMPARISON);
  const violates = sources.labels.map((source) =>
    clearances.labels.map((clearance) => !flowsTo(lattice, source, clearance)),
  );
  return { calls, violates, dead: clearances.labels.map((clearance) => !flowsTo(lattice, start, clearance)) };
}
