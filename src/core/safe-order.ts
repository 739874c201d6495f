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

import { Meter } from "./meter.ts";
import type { OrderProblem } from "./order-problem.ts";
import { orderSeveral } from "./order-several.ts";
import { orderSingle } from "./order-single.ts";
import { indexProblem, StuckCalls } from "./placing.ts";

/**
 * The safe order that takes, at each step, the earliest call after which the rest still has a safe order; as
 * indices. Null where no order is safe. `meter` throws where the search takes longer than it may.
 */
export function safeOrder(problem: OrderProblem, meter = new Meter()): readonly number[] | null {
  const single = problem.calls.every((call) => call.sink === null || call.sink.length === 1);
  return single ? orderSingle(problem, meter) : orderSeveral(problem, meter);
}

/**
 * One minimal set of calls without which the rest has a safe order, as indices in order. `after` edges to a call
 * that is left out fall away with it. The least such set is hard to find (feedback vertex set); this one can't
 * be made smaller by taking any call back.
 */
export function callsInTheWay(problem: OrderProblem, meter = new Meter()): readonly number[] {
  const indexed = indexProblem(problem, meter);
  const stuckAmong = (calls: Iterable<number>): StuckCalls => new StuckCalls(indexed, calls, problem.dead);
  // INVARIANT: what isn't stuck can always be placed after the rest, so only stuck calls need to be tried.
  const tried = [...stuckAmong(problem.calls.keys())].sort((left, right) => left - right);
  const kept: number[] = [];
  const dropped: number[] = [];
  // Several are tried at once, since where all of them can be kept, so can each: twice as many after each success.
  for (let at = 0, count = 1; at < tried.length; ) {
    const more = tried.slice(at, at + count);
    if (stuckAmong([...kept, ...more]).size === 0) {
      kept.push(...more);
      at += more.length;
      count *= 2;
    } else if (count > 1) {
      count = Math.floor(count / 2);
    } else {
      dropped.push(...more);
      at += 1;
    }
  }
  return dropped;
}
