/** The safe order of a plan whose given order isn't safe; otherwise what prevents one. */
import { decide } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import { explainWaysOut, RULES_BLOCK, SEARCH_STOPPED } from "./explain-plan.ts";
import { MAX_SEARCH_STEPS, Meter, withinMeter } from "./meter.ts";
import { toOrderProblem } from "./plan-order.ts";
import { type Planned, toFacts } from "./planned-call.ts";
import { findRuledOut, orderUnderRules } from "./rule-order.ts";
import { blockingCalls, type OrderProblem, safeOrder } from "./safe-order.ts";

interface FoundOrder {
  readonly found: readonly number[] | "undetermined" | null;
  readonly blocking: readonly number[];
  readonly waysOut: readonly string[];
}

/** Ends a stage before the search and one after it. */
export function* findOrder(
  policy: Policy,
  state: SessionState,
  steps: readonly Planned[],
  edges: readonly (readonly number[])[],
  { facts, isBroken }: { readonly facts: Facts; readonly isBroken: boolean },
): Generator<void, FoundOrder> {
  const meter = new Meter(MAX_SEARCH_STEPS);
  const hasRules = policy.rules.length > 0;
  const unruled = hasRules ? { ...policy, rules: [] } : policy;
  // Approvals don't affect the order, so conditions aren't evaluated here.
  const atStart = steps.map((step) => decide(unruled, state, { tool: step.tool }, toFacts(step, facts)));
  yield;
  const ruled = { policy, state, steps, edges, facts: { ...facts, meter }, atStart };
  let impossible = [...steps.keys()].filter(
    (at) => atStart[at]?.effect === "deny" || edges[at]?.includes(-1) === true,
  );
  let isNone = isBroken || impossible.length > 0;
  const search = (): FoundOrder => {
    if (hasRules) impossible = [...new Set([...impossible, ...findRuledOut(ruled)])];
    isNone ||= impossible.length > 0;
    const order = toOrderProblem(policy.lattice, state.label, atStart, edges, meter);
    const unruledOrder = isNone ? null : safeOrder(order, meter);
    const found = unruledOrder && hasRules ? orderUnderRules(ruled, unruledOrder) : unruledOrder;
    if (found === "undetermined") return { found, blocking: [], waysOut: [RULES_BLOCK] };
    if (found !== null) return { found, blocking: [], waysOut: [] };
    isNone = true;
    const others = blockingCalls(without(order, impossible), meter);
    const blocking = [...new Set([...impossible, ...others])].sort((left, right) => left - right);
    return { found, blocking, waysOut: explainWaysOut(blocking.map((at) => steps[at]?.tool ?? "")) };
  };
  const sought = withinMeter(search, null);
  yield;
  return sought ?? { found: isNone ? null : "undetermined", blocking: [], waysOut: [SEARCH_STOPPED] };
}

/** The problem without some calls: they keep their index and block no other call. */
function without(problem: OrderProblem, dropped: readonly number[]): OrderProblem {
  const gone = new Set(dropped);
  const calls = problem.calls.map((call, at) =>
    gone.has(at)
      ? { source: null, sink: null, after: [] }
      : { ...call, after: call.after.filter((before) => before >= 0 && !gone.has(before)) },
  );
  return { ...problem, calls };
}
