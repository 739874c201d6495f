/** Why a person must say yes to a call: what its declaration, its role and the provider of its tool say. */

import { approvalInRole } from "../policy/role-approval.ts";
import type { ConditionFacts } from "../tools/condition.ts";
import { isPartOfCall } from "../tools/methods.ts";
import { type Approval, parseToolId, type Tool } from "../tools/tool.ts";
import type { DecisionContext } from "./decision-context.ts";
import type { AskCause } from "./reason.ts";

const NONE: readonly never[] = Object.freeze([]);

/**
 * The causes of one call, none where it needs nobody. `args` undefined: a plan that doesn't say them, so they are
 * taken at their worst. `others`: what else was found to ask for one.
 */
export function causesOf(
  asking: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
  others: readonly AskCause[],
): readonly AskCause[] {
  const declared = declaredCause(asking, tool, args);
  const found = asking.facts.asks ?? NONE;
  if (declared === null && found.length === 0) return others;
  return [...(declared === null ? NONE : [declared]), ...found, ...others];
}

function declaredCause(
  asking: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
): AskCause | null {
  const approval = approvalOf(asking, tool);
  if (approval === "never") return null;
  if (approval === "always") return tool.classified ? "always" : "unclassified";
  if (args === undefined) return "condition";
  try {
    const answer: unknown = approval.holds(toConditionFacts(asking, tool, args), asking.facts.meter);
    // INVARIANT: only a plain no leaves a person out.
    return answer === false ? null : answer === true ? "condition" : "condition-unclear";
  } catch {
    return "condition-unclear";
  }
}

/** When a person must say yes: as the role says of the tool, else as the tool does. */
function approvalOf({ policy, role }: DecisionContext, tool: Tool): Approval {
  if (role === null || role.approval === null || !tool.classified || isPartOfCall(tool.id))
    return tool.approval;
  return approvalInRole(role.approval, tool, policy.names) ?? tool.approval;
}

/** What a condition sees of a call. */
export function toConditionFacts(
  { state }: DecisionContext,
  { id, server, tags, permissions }: Tool,
  args: Readonly<Record<string, unknown>>,
): ConditionFacts {
  const { label, principal, role } = state;
  const { level, categories, trust } = label;
  // THREAT: the name that agents see changes with what servers offer, so a condition sees the tool's own.
  const { tool: name } = parseToolId(id);
  const session = { level, categories, trust, principal, role };
  return { args, tool: { name, server, tags, permissions }, session };
}
