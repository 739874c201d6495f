/**
 * Who asks: a session in its role under a policy, with the facts of the moment. Says what keeps a tool from it
 * whatever the session has done: the policy, the role, what it was narrowed to, permissions.
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

/** What an operator has frozen, as far as it concerns one session. */
export interface Frozen {
  /** Why the whole session stands still: null where it doesn't. */
  readonly session: Extract<FreezeScope, "everything" | "principal" | "session"> | null;
  readonly servers: ReadonlySet<string>;
  /** Identities. */
  readonly tools: ReadonlySet<string>;
}

/** What only the moment can tell, gathered before the decision. */
export interface Facts {
  /** What an operator has frozen; left out, nothing. */
  readonly frozen?: Frozen;
  /** The granted permissions, resolved just now; left out, the role's. They never add to the role's. */
  readonly granted?: readonly Permission[];
  /** Identities that this run sees; left out, all that the session has. */
  readonly visible?: ReadonlySet<string>;
  /** What this very call brings in, as its provider found out. */
  readonly source?: Label;
  /** What could not be found out. */
  readonly faults?: readonly Fault[];
  /** Why the provider of the tool wants a person's yes to this very call. */
  readonly asks?: readonly AskCause[];
  /** Whether the call would touch what no agent may, whoever says yes. */
  readonly isProtected?: true;
  /** An argument that the tool's pinned schema doesn't name, and the one that was probably meant. */
  readonly unknownArgument?: { readonly argument: string; readonly near: string | null };
  /** The values of its arguments, as they are compared with the user's words; left out, nobody looked at them. */
  readonly values?: readonly GivenValue[];
  /** What an answer must be bound to; left out, none counts. */
  readonly asked?: Asked;
  /** What the conditions of several calls may cost together; left out, each has a bound of its own. */
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

/** The role of a session whose role the policy no longer has: it has no tool. */
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

/** Whether a run sees a tool: nothing takes it away but what its session did. `number` is the tool's. */
export const isSeen = (asking: DecisionContext, tool: Tool, number: number): boolean =>
  restrictionsOf(asking, tool, number) === NO_REASONS &&
  !isHidden(asking, tool.id) &&
  missingPermissions(asking, tool).length === 0;

/** The reasons that the policy, the role and what the session was forked with have against a tool. */
export function restrictionsOf(asking: DecisionContext, tool: Tool, number: number): readonly Reason[] {
  const { policy, state, role } = asking;
  if (state.limits.length > 0)
    return toRestrictions(policy, state.role ?? "", tool, limitedRemovals(asking, tool));
  if (number >= 0 && role !== NOBODY) return (role ?? policy).standing.at(number);
  return toRestrictions(policy, state.role ?? "", tool, removalsIn(asking, tool));
}

const removalsIn = ({ policy, role }: DecisionContext, tool: Tool): readonly RoleRemoval[] =>
  role === NOBODY ? [...removalsFor(policy, null, tool), "not-in-tool-set"] : removalsFor(policy, role, tool);

/** Those of the policy, the role and a fork's own tool policies, each once, in the order of reports. */
function limitedRemovals(asking: DecisionContext, tool: Tool): readonly RoleRemoval[] {
  const { policy, state } = asking;
  const known = knownRemovals.get(state.limits) ?? new WeakMap<Tool, readonly RoleRemoval[]>();
  knownRemovals.set(state.limits, known);
  // INVARIANT: a tool belongs to one policy, so its names don't change.
  const own = known.get(tool) ?? removalsOf(state.limits, tool, policy.names);
  known.set(tool, own);
  const all = new Set([...removalsIn(asking, tool), ...own]);
  return REMOVALS.filter((removal) => all.has(removal));
}

/** What the tool policies of a fork take away, by these and the tool: a plan asks for the same tool again and again. */
const knownRemovals = new WeakMap<readonly Limit[], WeakMap<Tool, readonly RoleRemoval[]>>();

const REMOVALS = ["denied-by-policy", "missing-tag", "not-in-tool-set"] as const;

/** Whether the session, or this run of it, was narrowed to tools that this one isn't among. */
export const isHidden = ({ state, facts }: DecisionContext, id: string): boolean =>
  ((state.tools !== null && !state.tools.has(id)) ||
    (facts.visible !== undefined && !facts.visible.has(id))) &&
  !isPartOfCall(id);

/** What a tool needs and its role, its session or a grant lacks: none of them gives more than another has. */
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
