/**
 * The plan check: would these calls, in this order, meet a block, and if so, is there an order that doesn't? It
 * plays the plan through the same `decide` as the runtime. It predicts; it never authorises anything.
 */
import type { Facts } from "./asking.ts";
import { type Decision, decide } from "./decide.ts";
import { explain } from "./explain.ts";
import {
  explainCircle,
  explainDuplicateId,
  explainLateStep,
  explainStep,
  explainUnknownId,
  explainWaysOut,
  type PlanExplanation,
} from "./explain-plan.ts";
import type { OrderProblem } from "./order-problem.ts";
import { findCircles } from "./plan-circles.ts";
import { toOrderProblem } from "./plan-order.ts";
import { type Planned, type PlannedCall, toCall, toFacts, toPlanned } from "./planned-call.ts";
import { type PlanStep, playPlan } from "./play-plan.ts";
import type { Policy } from "./policy.ts";
import { effectOfReason, type Reason, type ReasonCode } from "./reason.ts";
import { callsInTheWay, safeOrder } from "./safe-order.ts";
import type { SessionState } from "./state.ts";

export interface PlanViolation {
  /** Counted from 0, in the order given. */
  readonly atStep: number;
  /** The name as the plan gives it. */
  readonly tool: string;
  readonly code: ReasonCode | "unknown-id" | "duplicate-id" | "circle" | "out-of-order";
  readonly reason: string;
  readonly suggestion: string;
}

export interface PlanCheck {
  readonly valid: boolean;
  readonly violations: readonly PlanViolation[];
  /**
   * Ids where ids were given, names otherwise: the given order where that is safe, else the safe order that
   * takes at each step the earliest call it can. Null where no order is safe.
   */
  readonly safeOrdering: readonly string[] | null;
  /** Steps that will need a person; they count as approved. */
  readonly approvals: readonly { readonly atStep: number; readonly tool: string; readonly reason: string }[];
  /** Where no order is safe: one minimal set of calls without which the rest has a safe order. */
  readonly inTheWay: readonly string[];
  /** Where no order is safe: what can be done, as sentences. */
  readonly waysOut: readonly string[];
  /** The plan played in the order given, refused steps too. */
  readonly steps: readonly PlanStep[];
}

/**
 * Checks a plan from the session's present state. A refused step isn't run, so it raises nothing for those
 * after it; a step that would ask counts as approved. Exact: if a safe order exists, it is found. Takes about
 * (calls + `after` edges) × distinct clearances where each sink has one clearance.
 */
export function checkPlan(
  policy: Policy,
  state: SessionState,
  calls: readonly PlannedCall[],
  facts: Facts = {},
): PlanCheck {
  const steps = calls.map(toPlanned);
  const atStart = steps.map((step) => decide(policy, state, toCall(step), toFacts(step, facts)));
  const played = playPlan(policy, state, steps, facts);
  const { index, violations: broken } = indexIds(steps);
  const edges = steps.map((step) => step.after.map((id) => index.get(id) ?? -1));
  const order = toOrderProblem(policy.lattice, state.label, atStart, edges);
  const impossible = steps
    .keys()
    .filter((at) => isImpossible(atStart[at]) || (edges[at] ?? []).includes(-1))
    .toArray();
  const found = impossible.length > 0 || broken.length > 0 ? null : safeOrder(order);
  const circles = found ? [] : findCircles(edges);
  const violations = [
    ...broken,
    ...circles.map((circle) =>
      violation(steps, circle[0] ?? 0, "circle", explainCircle(namesAt(steps, circle))),
    ),
    ...lateSteps(steps, edges, circles),
    ...played.refused.map(({ at, decision }) => toViolation(policy, steps, at, decision, found !== null)),
  ].sort((left, right) => left.atStep - right.atStep);
  const inTheWay = found ? [] : [...new Set([...impossible, ...callsInTheWay(without(order, impossible))])];
  const blocking = inTheWay.sort((left, right) => left - right);
  return {
    valid: violations.length === 0,
    violations,
    safeOrdering: found ? namesAt(steps, found) : null,
    approvals: played.asked.map(({ at, decision }) => ({
      atStep: at,
      tool: steps[at]?.tool ?? "",
      reason: decision.reasons.map((reason) => explain(policy.lattice, reason)).join(" "),
    })),
    inTheWay: namesAt(steps, blocking),
    waysOut: found ? [] : explainWaysOut(blocking.map((at) => steps[at]?.tool ?? "")),
    steps: played.steps,
  };
}

const namesAt = (steps: readonly Planned[], indices: Iterable<number>): string[] =>
  [...indices].map((at) => steps[at]?.label ?? "");

/** Whether a step is refused in every order: labels only rise, so what the start refuses stays refused. */
const isImpossible = (decision: Decision | undefined): boolean => decision?.effect === "deny";

function violation(
  steps: readonly Planned[],
  atStep: number,
  code: PlanViolation["code"],
  worded: PlanExplanation,
): PlanViolation {
  return { atStep, tool: steps[atStep]?.tool ?? "", code, ...worded };
}

function toViolation(
  policy: Policy,
  steps: readonly Planned[],
  at: number,
  decision: Decision,
  orderExists: boolean,
): PlanViolation {
  const tool = steps[at]?.tool ?? "";
  // A hidden tool looks like one that isn't there, under the name that the plan gives.
  const hidden = decision.reasons.some(({ code }) => code === "hidden");
  const told: readonly Reason[] = hidden ? [{ code: "unknown-tool", tool }] : decision.reasons;
  const reason = told.find((one) => effectOfReason(one) === "deny") ?? { code: "fault", tool };
  return violation(steps, at, reason.code, explainStep(policy.lattice, reason, orderExists));
}

/** Which step each id means, and what is wrong with the ids. */
function indexIds(steps: readonly Planned[]): {
  index: ReadonlyMap<string, number>;
  violations: PlanViolation[];
} {
  const index = new Map<string, number>();
  const violations: PlanViolation[] = [];
  for (const [at, { id }] of steps.entries()) {
    if (id === null) continue;
    if (index.has(id)) violations.push(violation(steps, at, "duplicate-id", explainDuplicateId(id)));
    else index.set(id, at);
  }
  for (const [at, { after }] of steps.entries()) {
    for (const id of after) {
      if (!index.has(id)) violations.push(violation(steps, at, "unknown-id", explainUnknownId(id)));
    }
  }
  return { index, violations };
}

/** Steps that stand before one that they must come after. */
function lateSteps(
  steps: readonly Planned[],
  edges: readonly (readonly number[])[],
  circles: readonly (readonly number[])[],
): PlanViolation[] {
  const circleOf = new Map(circles.flatMap((circle) => circle.map((at) => [at, circle] as const)));
  const sameCircle = (one: number, other: number): boolean =>
    circleOf.has(one) && circleOf.get(one) === circleOf.get(other);
  return [...steps.keys()].flatMap((at) => {
    const late = edges[at]?.find((before) => before > at && !sameCircle(before, at));
    if (late === undefined) return [];
    return [
      violation(
        steps,
        at,
        "out-of-order",
        explainLateStep(steps[at]?.label ?? "", steps[late]?.label ?? "", late),
      ),
    ];
  });
}

/** The problem without some calls: they keep their index, and stand in nobody's way. */
function without(problem: OrderProblem, dropped: readonly number[]): OrderProblem {
  const gone = new Set(dropped);
  const calls = problem.calls.map((call, at) =>
    gone.has(at)
      ? { source: null, sink: null, after: [] }
      : { ...call, after: call.after.filter((before) => before >= 0 && !gone.has(before)) },
  );
  return { ...problem, calls };
}
