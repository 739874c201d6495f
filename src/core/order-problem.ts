/** What an order problem is, and which of its calls can't be placed from the end. */

/** One call to place. */
export interface OrderCall {
  /** The class of its source; null brings nothing in. */
  readonly source: number | null;
  /** The classes of its clearances, any one of which is enough; null runs at any label. */
  readonly sink: readonly number[] | null;
  /** Indices of the calls that must come before it. */
  readonly after: readonly number[];
}

export interface OrderProblem {
  readonly calls: readonly OrderCall[];
  /** Rows by source class: which clearance classes it may not flow to. */
  readonly violates: readonly (readonly boolean[])[];
  /** By clearance class: whether the starting label may not flow to it. */
  readonly dead: readonly boolean[];
}

/** The part of `among` that can't be placed from the end; empty exactly when a safe order exists. */
export function stuckCalls(
  problem: OrderProblem,
  among: ReadonlySet<number>,
  dead: readonly boolean[],
): Set<number> {
  const left = new Set(among);
  const open = new Map<number, number>();
  const violators = dead.map(() => 0);
  for (const index of left) {
    for (const before of problem.calls[index]?.after ?? []) open.set(before, (open.get(before) ?? 0) + 1);
    forViolated(problem, index, (clearance) => bump(violators, clearance, 1));
  }
  const tolerates = (index: number): boolean => {
    const sink = problem.calls[index]?.sink ?? null;
    return (
      sink === null ||
      sink.some((clearance) => {
        const own = violates(problem, index, clearance) ? 1 : 0;
        return dead[clearance] === false && violators[clearance] === own;
      })
    );
  };
  const holders = holdersOf(problem, left);
  const work = [...left];
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    if (!left.has(index) || (open.get(index) ?? 0) > 0 || !tolerates(index)) continue;
    left.delete(index);
    for (const before of problem.calls[index]?.after ?? []) {
      open.set(before, (open.get(before) ?? 0) - 1);
      work.push(before);
    }
    forViolated(problem, index, (clearance) => {
      bump(violators, clearance, -1);
      if ((violators[clearance] ?? 0) <= 1) work.push(...(holders.get(clearance) ?? []));
    });
  }
  return left;
}

export const violates = (problem: OrderProblem, index: number, clearance: number): boolean => {
  const source = problem.calls[index]?.source ?? null;
  return source !== null && problem.violates[source]?.[clearance] === true;
};

export function forViolated(problem: OrderProblem, index: number, visit: (clearance: number) => void): void {
  const source = problem.calls[index]?.source ?? null;
  const row = source === null ? [] : (problem.violates[source] ?? []);
  for (let clearance = 0; clearance < row.length; clearance += 1) if (row[clearance]) visit(clearance);
}

export const bump = (counts: number[], at: number, by: number): void => {
  counts[at] = (counts[at] ?? 0) + by;
};

/** The calls that hold each clearance. */
function holdersOf(problem: OrderProblem, among: Iterable<number>): ReadonlyMap<number, readonly number[]> {
  const holders = new Map<number, number[]>();
  for (const index of among) {
    for (const clearance of problem.calls[index]?.sink ?? []) {
      const held = holders.get(clearance);
      if (held) held.push(index);
      else holders.set(clearance, [index]);
    }
  }
  return holders;
}
