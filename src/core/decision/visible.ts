/**
 * Which tools a run sees: those that its policy, role, session and visibility leave. A tool that the label blocks
 * stays visible, since its refusal explains itself; a tool that the run may never call isn't.
 */

import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { Tool } from "../tools/tool.ts";
import { type Facts, isSeen, toDecisionContext } from "./decision-context.ts";

/** The tools that a run sees, in the order of the policy. */
export function visibleTools(policy: Policy, state: SessionState, facts: Facts = {}): readonly Tool[] {
  const tools: Tool[] = [];
  if (state.closed) return tools;
  const context = toDecisionContext(policy, state, facts);
  let number = 0;
  for (const tool of policy.tools.values()) {
    // INVARIANT: a tool's number is its position among the policy's tools.
    if (isSeen(context, tool, number)) tools.push(tool);
    number += 1;
  }
  return tools;
}
