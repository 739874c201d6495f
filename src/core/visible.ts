/**
 * Which tools a run has now: what its policy, role, session and visibility leave. A tool that the label has
 * shut stays in the list, since its refusal explains itself; a tool that the run may never call is gone.
 */
import { decide, type Facts, hidesTool } from "./decide.ts";
import type { Policy } from "./policy.ts";
import type { SessionState } from "./state.ts";
import type { Tool } from "./tool.ts";

/** The tools that a run sees, in the order of the policy. */
export function visibleTools(policy: Policy, state: SessionState, facts: Facts = {}): readonly Tool[] {
  const tools: Tool[] = [];
  for (const tool of policy.tools.values()) {
    const { reasons } = decide(policy, state, { tool: tool.id }, facts);
    if (!reasons.some(hidesTool)) tools.push(tool);
  }
  return tools;
}
