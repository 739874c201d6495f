/**
 * The context of a decision: a session in its role under a policy, with the current facts. Also the restrictions
 * that don't depend on what the session has done: policy, role, narrowing, permissions.
 */
import type { GivenValue } from "../endorsement/user-word.ts";
import type { Label } from "../label/label.ts";
import type { Meter } from "../plan/meter.ts";
import type { Policy, Role, RoleRemoval } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import { removalsFor } from "../tools/look-up.ts";
import { isPartOfCall } from "../tools/methods.ts";
import type { Permission, Tool } from "../tools/tool.ts";
import { type Limit, removalsOf, toLimit } from "../tools/tool-policy.ts";
import type { Asked } from "./approval.ts";
import { type AskCause, type Fault, type FreezeScope, NO_REASONS, type Reason } from "./reason.ts";
import { ToolRestrictions, toRestrictions } from "./tool-restrictions.ts";

/** What an operator has frozen, for one session. */
export interface Frozen {
  /** Why the whole session is frozen; null if it isn't. */
  readonly session: Extract<FreezeScope, "everything" | "principal" | "session"> | null;
  readonly servers: ReadonlySet<string>;
  /** Identities. */
  readonly tools: ReadonlySet<string>;
}

/** Facts that hold at this moment, gathered before the decision. */
export interface Facts {
  /** What an operator has frozen; left out, nothing. */
  readonly frozen?: Frozen;
  /** The granted permissions, resolved just now; left out, the role's. They never add to the role's. */
  readonly granted?: readonly Permission[];
  /** Identities that this run sees; left out, all that the session has. */
  readonly visible?: ReadonlySet<string>;
  /** The source label of this call, as determined by its provider. */
  readonly source?: Label;
  /** Facts that couldn't be determined. */
  readonly faults?: readonly Fault[];
  /** Why the tool's provider requires approval of this call. */
  readonly asks?: readonly AskCause[];
  /** Whether the call would touch what no agent may, even with an approval. */
  readonly isProtected?: true;
  /** An argument that the tool's pinned schema doesn't name, and the one that was probably meant. */
  readonly unknownArgument?: { readonly argument: string; readonly near: string | null };
  /** The tool's server, if the principal must sign in first, and the page for that. */
  readonly signIn?: { readonly server: string; readonly link: string | null };
  /** The values of its arguments, for comparison with the user's words; left out if they weren't examined. */
  readonly values?: readonly GivenValue[];
  /** What an answer must be bound to; left out, no answer counts. */
  readonly asked?: Asked;
  /** A shared budget for the conditions of several calls; left out, each has its own. */
  readonly meter?: Meter;
}

export interface DecisionContext {
  readonly policy: Policy;
  readonly state: SessionState;
  readonly role: Role | null;
  readonly facts: Facts;
}

export const toDecisionContext = (policy: Policy, state: SessionState, facts: Facts): DecisionContext => ({
  policy,
  state,
  role: state.role === null ? null : (policy.roles.get(state.role) ?? NOBODY),
  facts,
});

const NONE: readonly never[] = Object.freeze([]);

/** The role of a session whose role was removed from the policy: it has no tool. */
const NOBODY: Role = Object.freeze({
  name: "",
  permissions: NONE,
  approval: null,
  clearances: NONE,
  limit: toLimit({ allowedTools: [] }),
  tools: null,
  removed: new Map(),
  standing: new ToolRestrictions({ unclassified: "withhold", changed: new Set() }, "", new Map(), new Map()),
});

/** Whether a run may see a tool, apart from the effects of its session's calls. `number` is the tool's. */
export const isSeen = (context: DecisionContext, tool: Tool, number: number): boolean =>
  restrictionsOf(context, tool, number) === NO_REASONS &&
  !isHidden(context, tool.id) &&
  missingPermissions(context, tool).length === 0;

/** The reasons against a tool by the policy, the role and the session's own tool policies. */
export function restrictionsOf(context: DecisionContext, tool: Tool, number: number): readonly Reason[] {
  const { policy, state, role } = context;
  if (state.limits.length > 0)
    return toRestrictions(policy, state.role ?? "", tool, limitedRemovals(context, tool));
  if (number >= 0 && role !== NOBODY) return (role ?? policy).standing.at(number);
  return toRestrictions(policy, state.role ?? "", tool, removalsIn(context, tool));
}

const removalsIn = ({ policy, role }: DecisionContext, tool: Tool): readonly RoleRemoval[] =>
  role === NOBODY ? [...removalsFor(policy, null, tool), "not-in-tool-set"] : removalsFor(policy, role, tool);

/** Those of the policy, the role and a fork's own tool policies, each once, in the order of reports. */
function limitedRemovals(context: DecisionContext, tool: Tool): readonly RoleRemoval[] {
  const { policy, state } = context;
  const known = knownRemovals.get(state.limits) ?? new WeakMap<Tool, readonly RoleRemoval[]>();
  knownRemovals.set(state.limits, known);
  // INVARIANT: a tool belongs to one policy, so its names don't change.
  const own = known.get(tool) ?? removalsOf(state.limits, tool, policy.names);
  known.set(tool, own);
  const all = new Set([...removalsIn(context, tool), ...own]);
  return REMOVALS.filter((removal) => all.has(removal));
}

/** Cache of the removals by a fork's tool policies: a plan asks for the same tool repeatedly. */
const knownRemovals = new WeakMap<readonly Limit[], WeakMap<Tool, readonly RoleRemoval[]>>();

const REMOVALS = ["denied-by-policy", "missing-tag", "not-in-tool-set"] as const;

/** Whether the session, or this run of it, is restricted to other tools. */
export const isHidden = ({ state, facts }: DecisionContext, id: string): boolean =>
  ((state.tools !== null && !state.tools.has(id)) ||
    (facts.visible !== undefined && !facts.visible.has(id))) &&
  !isPartOfCall(id);

/** The permissions that a tool needs and that its role, its session or a grant lacks. */
export function missingPermissions(
  { facts, role: inRole, state }: DecisionContext,
  tool: Tool,
): readonly Permission[] {
  const granted = facts.granted ?? null;
  const role = inRole?.permissions ?? null;
  if (granted === null && role === null && state.permissions === null) return NONE;
  const all = tool.permissions;
  const [first, second, third] = [granted ?? all, role ?? all, state.permissions ?? all];
  let missing: Permission[] | null = null;
  for (const needed of all) {
    if (first.includes(needed) && second.includes(needed) && third.includes(needed)) continue;
    missing = [...(missing ?? []), needed];
  }
  return missing ?? NONE;
}

/**
 * The tools that a run sees, in the order of the policy: those that policy, role, session and visibility leave. A tool
 * that the label blocks stays visible, since its refusal explains itself; a tool that the run may never call isn't.
 */
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
