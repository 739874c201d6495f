/**
 * The plan check: would these calls, in this order, meet a block, and if so, is there an order that doesn't? It
 * plays the plan through the same `decide` as the runtime. It predicts; it never authorises anything.
 */
import type { Decision } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import { explain } from "../decision/explain.ts";
import { effectOfReason, type Reason, type ReasonCode } from "../decision/reason.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import {
  explainCircle,
  explainDuplicateId,
  explainLateStep,
  explainStep,
  explainUnknownId,
  type PlanExplanation,
} from "./explain-plan.ts";
import { fewestQuestions } from "./fewest-questions.ts";
import { findOrder } from "./find-order.ts";
import { MAX_CONDITION_STEPS, Meter } from "./meter.ts";
import { findCircles } from "./plan-order.ts";
import { type Planned, type PlannedCall, toPlanned } from "./planned-call.ts";
import { type PlanStep, playPlan, toPlanStep } from "./play-plan.ts";

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
   * takes at each step the earliest call it can, or one in which a person is asked less often. Null if no order is
   * safe; `undetermined` where the search for one would take too long.
   */
  readonly safeOrdering: readonly string[] | "undetermined" | null;
  /** How often a person is asked in the order given. A refused step asks nobody. */
  readonly questions: number;
  /** The safe order with the fewest questions that was found; left out if none has fewer. */
  readonly fewestQuestions?: readonly string[];
  /** How many questions that order saves. */
  readonly questionsSaved?: number;
  /** Steps that will need a person; they count as approved. */
  readonly approvals: readonly { readonly atStep: number; readonly tool: string; readonly reason: string }[];
  /**
   * Where no order is safe: one minimal set of calls without which the rest has a safe order; empty if the search
   * for it would take too long.
   */
  readonly inTheWay: readonly string[];
  /** Where no order is safe: what can be done, as sentences. */
  readonly waysOut: readonly string[];
  /** The plan played in the order given, refused steps too. */
  readonly steps: readonly PlanStep[];
}

/**
 * Checks a plan from the session's present state. A refused step isn't run, so it raises nothing for those
 * after it; a step that would ask counts as approved. Exact: if a safe order exists, it is found, or the answer says
 * that the search for it was stopped. Takes quadratic time at most in common plans. What its conditions cost is bounded: beyond that the worst case is assumed.
 */
export function checkPlan(
  policy: Policy,
  state: SessionState,
  calls: readonly PlannedCall[],
  facts: Facts = {},
): PlanCheck {
  const stages = checkInStages(policy, state, calls, facts);
  for (;;) {
    const { done, value } = stages.next();
    if (done) return value;
  }
}

/** The same check in stages, between which the caller may let others work. */
export function* checkInStages(
  policy: Policy,
  state: SessionState,
  calls: readonly PlannedCall[],
  facts: Facts,
): Generator<void, PlanCheck> {
  const steps = calls.map(toPlanned);
  const metered = { ...facts, meter: new Meter(MAX_CONDITION_STEPS) };
  const played = playPlan(policy, state, steps, metered);
  yield;
  const refused = played.flatMap(({ decision }, at) => (decision.effect === "deny" ? { at, decision } : []));
  const { index, violations: broken } = indexIds(steps);
  const edges = steps.map((step) => step.after.map((id) => index.get(id) ?? -1));
  const circles = findCircles(edges);
  const misplaced = [
    ...broken,
    ...circles.map((circle) =>
      violation(steps, circle[0] ?? 0, "circle", explainCircle(namesAt(steps, circle))),
    ),
    ...lateSteps(steps, edges, circles),
  ];
  const isSafe = misplaced.length === 0 && refused.length === 0;
  const { found, blocking, waysOut } = isSafe
    ? { found: [...steps.keys()], blocking: [], waysOut: [] }
    : yield* findOrder(policy, state, steps, edges, { facts, isBroken: broken.length > 0 });
  const orderExists = found !== null && found !== "undetermined";
  const questions = played.filter(({ decision }) => decision.effect === "ask").length;
  const problem = { policy, state, steps, after: edges, facts: metered };
  const fewest = orderExists ? fewestQuestions(problem, found, isSafe ? questions : undefined) : null;
  const saved = fewest === null ? 0 : Math.max(0, questions - fewest.questions);
  const violations = [
    ...misplaced,
    ...refused.map(({ at, decision }) => toViolation(policy, steps, at, decision, orderExists)),
  ].sort((left, right) => left.atStep - right.atStep);
  return {
    valid: violations.length === 0,
    violations,
    safeOrdering: orderExists ? namesAt(steps, isSafe ? found : (fewest?.order ?? found)) : found,
    questions,
    ...(saved > 0 && { fewestQuestions: namesAt(steps, fewest?.order ?? []), questionsSaved: saved }),
    approvals: played.flatMap(({ step: { tool }, decision: { effect, reasons } }, at) => {
      if (effect !== "ask") return [];
      return { atStep: at, tool, reason: reasons.map((reason) => explain(policy.lattice, reason)).join(" ") };
    }),
    inTheWay: namesAt(steps, blocking),
    waysOut,
    steps: played.map((one, at) => toPlanStep(policy, one, at)),
  };
}

const namesAt = (steps: readonly Planned[], indices: Iterable<number>): string[] =>
  [...indices].map((at) => steps[at]?.label ?? "");

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
  // A hidden tool looks like an unknown one, under the plan's name for it.
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
