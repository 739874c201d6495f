/**
 * Safe orders of calls: plain combinatorics over sources, clearances and `after` edges. Knows no tools and no
 * sessions.
 *
 * Labels come as classes: `violates[source][clearance]` says whether a source may not flow to a clearance. A
 * join flows to a clearance exactly when each of its parts does, so "the label of everything before" is the set
 * of clearances that something before violates. With one clearance per sink the safe orders are the topological
 * orders of "the sink comes first" (Kahn, 1962, taking the earliest ready call). With several, a safe order
 * exists exactly when calls can be placed from the end, each tolerating all that are left before it.
 */

import { type OrderProblem, stuckCalls } from "./order-problem.ts";
import { orderSeveral } from "./order-several.ts";
import { orderSingle } from "./order-single.ts";

/**
 * The safe order that takes, at each step, the earliest call after which the rest still has a safe order; as
 * indices. Null where no order is safe.
 */
export function safeOrder(problem: OrderProblem): readonly number[] | null {
  const single = problem.calls.every((call) => call.sink === null || call.sink.length === 1);
  return single ? orderSingle(problem) : orderSeveral(problem);
}

/**
 * One minimal set of calls without which the rest has a safe order, as indices in order. `after` edges to a call
 * that is left out fall away with it. The least such set is hard to find (feedback vertex set); this one can't
 * be made smaller by taking any call back.
 */
export function callsInTheWay(problem: OrderProblem): readonly number[] {
  const all = new Set(problem.calls.keys());
  const stuck = stuckCalls(problem, all, problem.dead);
  // INVARIANT: what isn't stuck can always be placed after the rest, so only stuck calls need to be tried.
  const kept = new Set<number>();
  const dropped: number[] = [];
  for (const index of [...stuck].sort((left, right) => left - right)) {
    kept.add(index);
    if (stuckCalls(problem, kept, problem.dead).size > 0) {
      kept.delete(index);
      dropped.push(index);
    }
  }
  return dropped;
}
