/**
 * Orders of a plan under rules. A rule may deny a call for what the session holds by then, which sources and clearances
 * don't say: so an order is played before it is called safe, and another one is looked for where it isn't.
 */
import type { Decision } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import { DECISION_STEPS, type Meter } from "./meter.ts";
import type { Planned } from "./planned-call.ts";
import { afterStep, decideStep, playPlan } from "./play-plan.ts";

/** A plan whose order is looked for. */
interface RuledPlan {
  readonly policy: Policy;
  readonly state: SessionState;
  readonly steps: readonly Planned[];
  /** By step: the steps that must come before it. */
  readonly edges: readonly (readonly number[])[];
  /** Its meter counts what all of it costs. */
  readonly facts: Facts & { readonly meter: Meter };
  /** The decisions on each step at the start, without rules. */
  readonly atStart: readonly Decision[];
}

/** The steps that rules deny whether they come first or last. */
export function findRuledOut(plan: RuledPlan): readonly number[] {
  const atEnd = plan.atStart.reduce(afterStep, plan.state);
  return [...plan.steps.keys()].filter((at) => isDenied(plan, plan.state, at) && isDenied(plan, atEnd, at));
}

/**
 * An order that rules deny no call of: the one that was found without them, or else one that is built from its end.
 * `undetermined` where there is neither. Exact for rules that deny the more the session holds.
 */
export function orderUnderRules(
  plan: RuledPlan,
  found: readonly number[],
): readonly number[] | "undetermined" {
  if (isSafe(plan, found)) return found;
  const fromEnd = buildFromEnd(plan);
  return fromEnd !== null && isSafe(plan, fromEnd) ? fromEnd : "undetermined";
}

function isSafe({ policy, state, steps, facts }: RuledPlan, order: readonly number[]): boolean {
  const inOrder = order.flatMap((at) => steps[at] ?? []);
  facts.meter.charge(inOrder.length * DECISION_STEPS);
  return playPlan(policy, state, inOrder, facts).every(({ decision }) => decision.effect !== "deny");
}

/** Places last, each time, the latest call that may come after all others that are left. */
function buildFromEnd(plan: RuledPlan): readonly number[] | null {
  const left = [...plan.steps.keys()];
  const order: number[] = [];
  while (left.length > 0) {
    const place = left.findLastIndex((at) => mayComeLast(plan, left, at));
    if (place < 0) return null;
    order.unshift(...left.splice(place, 1));
  }
  return order;
}

function mayComeLast(plan: RuledPlan, left: readonly number[], at: number): boolean {
  const others = left.filter((other) => other !== at);
  plan.facts.meter.charge(others.length * DECISION_STEPS);
  if (others.some((other) => plan.edges[other]?.includes(at))) return false;
  const before = others.flatMap((other) => plan.atStart[other] ?? []).reduce(afterStep, plan.state);
  return !isDenied(plan, before, at);
}

function isDenied({ policy, steps, facts }: RuledPlan, state: SessionState, at: number): boolean {
  const step = steps[at];
  facts.meter.charge(DECISION_STEPS);
  return step === undefined || decideStep(policy, state, step, facts).decision.effect === "deny";
}
