/** Circles among the `after` edges of a plan. */

/** The circles of the `after` edges, each as its steps in order (strongly connected components). */
export function findCircles(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const reach = (from: number): Set<number> => {
    const seen = new Set<number>();
    const work = [...(edges[from] ?? [])];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (at < 0 || seen.has(at)) continue;
      seen.add(at);
      work.push(...(edges[at] ?? []));
    }
    return seen;
  };
  const circles: number[][] = [];
  const placed = new Set<number>();
  for (const at of edges.keys()) {
    if (placed.has(at) || edges[at]?.length === 0) continue;
    const reached = reach(at);
    if (!reached.has(at)) continue;
    const circle = [...reached].filter((other) => reach(other).has(at)).sort((left, right) => left - right);
    for (const member of circle) placed.add(member);
    circles.push(circle);
  }
  return circles;
}
