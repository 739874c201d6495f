/** Circles among the `after` edges of a plan: the strongly connected components (Tarjan, 1972), without recursion. */

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
