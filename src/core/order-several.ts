/** Orders where a sink may have several clearances. */
import { forViolated, type OrderCall, type OrderProblem, stuckCalls } from "./order-problem.ts";

/** Forward, one call at a time; a call that shuts a clearance goes only if the rest can still be placed. */
export function orderSeveral(problem: OrderProblem): readonly number[] | null {
  const left = new Set(problem.calls.keys());
  const dead = [...problem.dead];
  if (stuckCalls(problem, left, dead).size > 0) return null;
  const order: number[] = [];
  /** Per source class, calls that its choice would leave stuck: it needn't be tried again while they wait. */
  const stuckBy = new Map<number, ReadonlySet<number>>();
  const canGo = (index: number): boolean => {
    const { source, sink, after } = problem.calls[index] ?? NOTHING;
    if (after.some((before) => left.has(before))) return false;
    if (sink?.every((clearance) => dead[clearance])) return false;
    if (source === null || !shutsMore(problem, source, dead)) return true;
    const known = stuckBy.get(source);
    if (known && !known.has(index)) return false;
    const rest = new Set(left);
    rest.delete(index);
    const stuck = stuckCalls(problem, rest, shut(problem, source, dead));
    if (stuck.size > 0) stuckBy.set(source, stuck);
    return stuck.size === 0;
  };
  while (left.size > 0) {
    let next = -1;
    for (const index of left) {
      if (canGo(index)) {
        next = index;
        break;
      }
    }
    // INVARIANT: the rest has a safe order, and its first call can go.
    if (next < 0) return null;
    left.delete(next);
    order.push(next);
    forViolated(problem, next, (clearance) => {
      dead[clearance] = true;
    });
    for (const [source, stuck] of stuckBy) if (stuck.has(next)) stuckBy.delete(source);
  }
  return order;
}

const NOTHING: OrderCall = Object.freeze({ source: null, sink: null, after: Object.freeze([]) });

const shutsMore = (problem: OrderProblem, source: number, dead: readonly boolean[]): boolean =>
  problem.violates[source]?.some((violated, clearance) => violated && dead[clearance] === false) ?? false;

const shut = (problem: OrderProblem, source: number, dead: readonly boolean[]): readonly boolean[] =>
  dead.map((is, clearance) => is || problem.violates[source]?.[clearance] === true);
