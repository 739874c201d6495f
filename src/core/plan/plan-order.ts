/** From decisions to an order problem: labels become classes, compared once each. And circles among `after` edges. */
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

/** Each circle as its steps in order. Takes steps + edges. Edges to -1 lead nowhere. */
export function findCircles(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const search = new CircleSearch(edges);
  for (const step of edges.keys()) search.from(step);
  return search.circles;
}

/** A step whose edges are being followed, with the number already followed. */
interface Visit {
  readonly step: number;
  followed: number;
}

class CircleSearch {
  readonly circles: number[][] = [];
  readonly #edges: readonly (readonly number[])[];
  /** The order in which steps were found, and the earliest step that each can reach in its open component. */
  readonly #found = new Map<number, number>();
  readonly #earliest = new Map<number, number>();
  /** Steps found whose component isn't closed yet. */
  readonly #open: number[] = [];
  readonly #isOpen = new Set<number>();

  constructor(edges: readonly (readonly number[])[]) {
    this.#edges = edges;
  }

  from(start: number): void {
    const path = this.#found.has(start) ? [] : [this.#enter(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const next = this.#edges[visit.step]?.[visit.followed];
      visit.followed += 1;
      if (next === undefined) {
        path.pop();
        this.#leave(visit.step, path.at(-1)?.step);
      } else if (next >= 0 && !this.#found.has(next)) {
        path.push(this.#enter(next));
      } else if (this.#isOpen.has(next)) {
        this.#reach(visit.step, this.#found.get(next));
      }
    }
  }

  #enter(step: number): Visit {
    const order = this.#found.size;
    this.#found.set(step, order);
    this.#earliest.set(step, order);
    this.#open.push(step);
    this.#isOpen.add(step);
    return { step, followed: 0 };
  }

  #reach(step: number, order = Number.POSITIVE_INFINITY): void {
    this.#earliest.set(step, Math.min(order, this.#earliest.get(step) ?? order));
  }

  #leave(step: number, parent: number | undefined): void {
    if (parent !== undefined) this.#reach(parent, this.#earliest.get(step));
    if (this.#earliest.get(step) !== this.#found.get(step)) return;
    const component = this.#open.splice(this.#open.lastIndexOf(step));
    for (const member of component) this.#isOpen.delete(member);
    const isCircle = component.length > 1 || this.#edges[step]?.includes(step);
    if (isCircle) this.circles.push(component.sort((left, right) => left - right));
  }
}
