/** Why a person must approve a call: by its declaration, its role and its provider. */

import { approvalInRole } from "../policy/role-approval.ts";
import type { ConditionFacts } from "../tools/condition.ts";
import { isPartOfCall } from "../tools/methods.ts";
import { type Approval, parseToolId, type Tool } from "../tools/tool.ts";
import type { DecisionContext } from "./decision-context.ts";
import type { AskCause } from "./reason.ts";

const NONE: readonly never[] = Object.freeze([]);

/**
 * The causes of one call; none if it needs no approval. `args` undefined: a plan without them, so the worst case is
 * assumed. `others`: further causes.
 */
export function causesOf(
  context: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
  others: readonly AskCause[],
): readonly AskCause[] {
  const declared = declaredCause(context, tool, args);
  const found = context.facts.asks ?? NONE;
  if (declared === null && found.length === 0) return others;
  return [...(declared === null ? NONE : [declared]), ...found, ...others];
}

function declaredCause(
  context: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
): AskCause | null {
  const approval = approvalOf(context, tool);
  if (approval === "never") return null;
  if (approval === "always") return tool.classified ? "always" : "unclassified";
  if (args === undefined) return "condition";
  try {
    const answer: unknown = approval.holds(toConditionFacts(context, tool, args), context.facts.meter);
    // INVARIANT: only an explicit `false` needs no approval.
    return answer === false ? null : answer === true ? "condition" : "condition-unclear";
  } catch {
    return "condition-unclear";
  }
}

/** When approval is needed: by the role's setting for the tool, otherwise by the tool's. */
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
