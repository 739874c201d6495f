/** A plan played in the order given, through the same `decide` as the runtime. */

import { type Decision, decide, type Effect } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import { effectOfReason, type Reason } from "../decision/reason.ts";
import { needsEndorsement } from "../endorsement/endorsement-rules.ts";
import type { Label } from "../label/label.ts";
import type { Policy } from "../policy/policy.ts";
import { contribute, type SessionState } from "../state/state.ts";
import { dataSetOf } from "../tools/tool.ts";
import { MAX_CONDITION_STEPS, Meter } from "./meter.ts";
import { type Planned, toCall, toFacts } from "./planned-call.ts";

/** What a step of a plan would do, once those before it have run. */
export interface PlanStep {
  /** Counted from 0, in the order given. */
  readonly atStep: number;
  /** The name as the plan gives it. */
  readonly tool: string;
  readonly effect: Effect;
  /** The source label that it would add to the session; null if it would add nothing or is refused. */
  readonly raises: Label | null;
  /** The session's label after it. */
  readonly label: Label;
  /** It depends on arguments that the plan doesn't give, or that weren't examined: the worst case is assumed. */
  readonly dependsOnArguments?: true;
}

/** A step that was played, with the decision on it. */
export interface PlayedStep {
  /** Without its arguments if they weren't examined. */
  readonly step: Planned;
  readonly decision: Decision;
  /** The source label that it added to the session; null if it added nothing or is refused. */
  readonly raises: Label | null;
  /** The session after it. */
  readonly state: SessionState;
}

/**
 * Plays a plan, raising the label as admitted calls would. A refused step isn't run; one that asks is. What its conditions
 * cost is counted together, by the meter of the facts where they have one.
 */
export function playPlan(
  policy: Policy,
  state: SessionState,
  planned: readonly Planned[],
  given: Facts,
): readonly PlayedStep[] {
  const facts = { meter: new Meter(MAX_CONDITION_STEPS), ...given };
  let current = state;
  return planned.map((one, at) => {
    const { step, decision } = decideStep(policy, current, one, facts);
    const raised = afterStep(current, decision, at);
    // INVARIANT: only what raised the label is ever named as a cause, so nothing else needs to be carried on.
    const raises = raised.label === current.label ? null : decision.source;
    if (raises !== null) current = raised;
    return { step, decision, raises, state: current };
  });
}

/** What is told about a step. */
export function toPlanStep(
  policy: Policy,
  { step, decision, raises, state }: PlayedStep,
  at: number,
): PlanStep {
  const told = { atStep: at, tool: step.tool, effect: decision.effect, raises, label: state.label };
  return dependsOnArguments(policy, step, decision) ? { ...told, dependsOnArguments: true } : told;
}

/** Decides a step of a plan. Once the budget for conditions is spent, the worst case is assumed without examining the arguments. */
export function decideStep(policy: Policy, state: SessionState, step: Planned, facts: Facts) {
  const { meter, ...unmetered } = facts;
  if (!meter?.isSpent) {
    const decision = decide(policy, state, toCall(step), toFacts(step, facts));
    if (!meter?.isSpent) return { step, decision };
  }
  const unread = { ...step, arguments: undefined };
  return { step: unread, decision: decide(policy, state, toCall(unread), toFacts(unread, unmetered)) };
}

/** Whether more would be known of a step with its arguments. Of a refused one nothing is told: nobody may see its tool. */
function dependsOnArguments(
  { endorsement }: Policy,
  { source, arguments: args, known }: Planned,
  { effect, tool, reasons }: Decision,
): boolean {
  if (reasons.some((reason) => "rule" in reason && reason.result === "unknown"))
    return isLeftToRules(reasons);
  if (tool === null || effect === "deny") return false;
  const isAsked = typeof tool.approval === "object" && args === undefined;
  const isCompared = needsEndorsement(endorsement, tool) || tool.to !== null;
  if (isCompared && known?.values === undefined) return true;
  return isAsked || (tool.sourceBound === "most" && source === undefined);
}

/** Whether nothing denies a step but rules. */
const isLeftToRules = (reasons: readonly Reason[]): boolean =>
  reasons.every((reason) => reason.code === "denied-by-rule" || effectOfReason(reason) === "ask");

/** What is refused has no source: it isn't run. */
export function afterStep(state: SessionState, { source, tool }: Decision, step: number): SessionState {
  if (source === null || tool === null) return state;
  return contribute(state, source, { dataset: dataSetOf(tool), at: "", call: null, step, tool: tool.id });
}
