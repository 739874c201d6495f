/** From decisions to an order problem: labels become classes, compared once each. */
import type { Decision } from "../decision/decide.ts";
import { flowsTo, type Label, type Lattice } from "../label/label.ts";
import { LabelClasses } from "../label/label-classes.ts";
import { Meter } from "./meter.ts";
import type { OrderProblem } from "./safe-order.ts";

/** What it costs to compare two labels. */
const A_COMPARISON = 10;

/**
 * The order problem of a plan, from the decisions on its calls at the start and its `after` edges as indices (-1 for
 * an unknown id).
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
  const classesOf = (labels: readonly Label[] | null): readonly number[] | null =>
    labels && [...new Set(labels.map((label) => clearances.classOf(label)))];
  const calls = decisions.map((decision, at) => ({
    source: decision.source && sources.classOf(decision.source),
    sink:
      // A step that would ask counts as approved, and so does one that a person may release.
      classesOf(limitsOf(decision)),
    after: after[at] ?? [],
  }));
  meter.charge((sources.labels.length + 1) * clearances.labels.length * A_COMPARISON);
  const violates = sources.labels.map((source) =>
    clearances.labels.map((clearance) => !flowsTo(lattice, source, clearance)),
  );
  return { calls, violates, dead: clearances.labels.map((clearance) => !flowsTo(lattice, start, clearance)) };
}

/** What a call may send without being denied. */
function limitsOf({ tool, limits }: Decision): readonly Label[] | null {
  if (tool === null || tool.onViolation === "ask") return null;
  return limits === undefined ? tool.clearances : limits;
}
