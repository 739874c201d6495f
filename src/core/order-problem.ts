/** What an order problem is. */

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

export const violates = (problem: OrderProblem, index: number, clearance: number): boolean => {
  const source = problem.calls[index]?.source ?? null;
  return source !== null && problem.violates[source]?.[clearance] === true;
};

export function forViolated(problem: OrderProblem, index: number, visit: (clearance: number) => void): void {
  const source = problem.calls[index]?.source ?? null;
  const row = source === null ? [] : (problem.violates[source] ?? []);
  for (let clearance = 0; clearance < row.length; clearance += 1) if (row[clearance]) visit(clearance);
}

export const bump = (counts: number[] | Int32Array, at: number, by: number): void => {
  counts[at] = (counts[at] ?? 0) + by;
};
