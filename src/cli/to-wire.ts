/** Answers in the shapes that REST has: snake case, every key there. */
import type { PlanCheck } from "../core/index.ts";
import type { WordedReason } from "../session/admission.ts";

/** Reasons with their words and what caused them. */
export function toWireReasons(reasons: readonly WordedReason[]): readonly object[] {
  return reasons.map(({ code, message, causedBy = [] }) => ({ code, message, caused_by: causedBy }));
}

/** The answer of `validate-plan`. */
export function toWirePlan(plan: PlanCheck): object {
  const { valid, violations, safeOrdering, approvals, inTheWay, waysOut } = plan;
  return {
    valid,
    violations: violations.map(({ atStep, tool, code, reason, suggestion }) => ({
      at_step: atStep,
      tool,
      code,
      reason,
      suggestion,
    })),
    safe_ordering: safeOrdering,
    approvals: approvals.map(({ atStep, tool, reason }) => ({ at_step: atStep, tool, reason })),
    in_the_way: inTheWay,
    ways_out: waysOut,
  };
}
