/**
 * The decision: plain data in, a decision out. Every check runs and every reason is reported; deny beats ask,
 * ask beats allow. A check that could not be made denies.
 */
import { type Asked, approvalReason } from "./approval.ts";
import { flowsTo, type Label } from "./label.ts";
import { lookUp, removalsFor } from "./look-up.ts";
import { isPartOfCall } from "./methods.ts";
import type { Policy, Role, RoleRemoval } from "./policy.ts";
import { type Cause, EFFECT_OF, type Fault, type Reason, type ReasonCode } from "./reason.ts";
import type { SessionState } from "./state.ts";
import type { Permission, Tool } from "./tool.ts";
import { toLimit } from "./tool-policy.ts";

/** What an agent wants to do. */
export interface Call {
  /** Any name that means the tool. */
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** What only the moment can tell, gathered before the decision. */
export interface Facts {
  /** The granted permissions, resolved just now; left out, the role's. They never add to the role's. */
  readonly granted?: readonly Permission[];
  /** Identities that this run sees; left out, all that the session has. */
  readonly visible?: ReadonlySet<string>;
  /** What could not be found out. */
  readonly faults?: readonly Fault[];
  /** What an answer must be bound to; left out, none counts. */
  readonly asked?: Asked;
}

export type Effect = "allow" | "ask" | "deny";

export interface Decision {
  readonly effect: Effect;
  /** The tool that the name means; null where it means none. */
  readonly tool: Tool | null;
  readonly reasons: readonly Reason[];
  readonly faults: readonly Fault[];
  /** The source label that admitting the call brings in; null where nothing comes in. */
  readonly source: Label | null;
}

/** The checks, in the order in which they are made and reported. */
export const CHECKS = Object.freeze([
  "exists",
  "policy",
  "visible",
  "permissions",
  "flow",
  "approval",
  "facts",
] as const);

export type Check = (typeof CHECKS)[number];

/** The check that gives each reason. */
export const CHECK_OF: Readonly<Record<ReasonCode, Check>> = Object.freeze({
  "session-closed": "exists",
  "unknown-tool": "exists",
  "ambiguous-tool": "exists",
  "unclassified-tool": "exists",
  "definition-changed": "exists",
  "denied-by-policy": "policy",
  "missing-tag": "policy",
  "not-in-tool-set": "policy",
  hidden: "visible",
  "permission-missing": "permissions",
  "flow-blocked": "flow",
  "approval-required": "approval",
  "approval-denied": "approval",
  "approval-expired": "approval",
  fault: "facts",
});

/** One check of a decision's trail. */
export interface TrailEntry {
  readonly check: Check;
  /** `skipped`: there was no tool to check. */
  readonly result: "pass" | "ask" | "deny" | "skipped";
  readonly reasons: readonly Reason[];
}

/** The whole trail of a decision: every check, and what it said. */
export function trailOf(decision: Decision): readonly TrailEntry[] {
  return CHECKS.map((check) => {
    const reasons = decision.reasons.filter(({ code }) => CHECK_OF[code] === check);
    if (reasons.length > 0) return { check, result: effectOf(reasons) === "deny" ? "deny" : "ask", reasons };
    return { check, result: decision.tool || check === "facts" ? "pass" : "skipped", reasons };
  });
}

/** Whether a reason takes a tool out of sight: out of lists, manifests and prompts. */
export const hidesTool = ({ code }: Reason): boolean => HIDING.has(CHECK_OF[code]);

const HIDING: ReadonlySet<Check> = new Set<Check>(["exists", "policy", "visible", "permissions"]);

const NONE: readonly never[] = Object.freeze([]);

/** Decides one call. Pure and total: it never throws for what a call, a state or a policy holds. */
export function decide(policy: Policy, state: SessionState, call: Call, facts: Facts = {}): Decision {
  const { tool, candidates } = lookUp(policy, call.tool);
  const role = roleOf(policy, state);
  const reasons: Reason[] = [];
  if (state.closed) reasons.push({ code: "session-closed" });
  if (tool === null) reasons.push(missingTool(policy, state, role, facts, call.tool, candidates));
  else addReasons(reasons, policy, state, role, facts, tool);
  const faults = facts.faults ?? NONE;
  if (faults.length > 0) reasons.push({ code: "fault", tool: tool?.name ?? call.tool });
  const effect = effectOf(reasons);
  return { effect, tool, reasons, faults, source: effect === "deny" ? null : (tool?.source ?? null) };
}

function roleOf(policy: Policy, state: SessionState): Role | null {
  return state.role === null ? null : (policy.roles.get(state.role) ?? NOBODY);
}

/** The role of a session whose role the policy no longer has: it has no tool. */
const NOBODY: Role = Object.freeze({
  name: "",
  permissions: NONE,
  limit: toLimit({ allowedTools: [] }),
  tools: null,
  removed: new Map(),
});

const removalsIn = (policy: Policy, role: Role | null, tool: Tool): readonly RoleRemoval[] =>
  role === NOBODY ? [...removalsFor(policy, null, tool), "not-in-tool-set"] : removalsFor(policy, role, tool);

function addReasons(
  reasons: Reason[],
  policy: Policy,
  state: SessionState,
  role: Role | null,
  facts: Facts,
  tool: Tool,
): void {
  const name = tool.name;
  if (!tool.classified && policy.unclassified === "withhold")
    reasons.push({ code: "unclassified-tool", tool: name });
  if (policy.changed.size > 0 && policy.changed.has(tool.id))
    reasons.push({ code: "definition-changed", tool: name });
  for (const code of removalsIn(policy, role, tool)) {
    reasons.push(
      code === "not-in-tool-set" ? { code, tool: name, role: state.role ?? "" } : { code, tool: name },
    );
  }
  if (isHidden(state, facts, tool.id)) reasons.push({ code: "hidden", tool: name });
  const missing = missingPermissions(tool, facts.granted ?? null, role?.permissions ?? null);
  if (missing.length > 0) reasons.push({ code: "permission-missing", tool: name, missing });
  if (isBlocked(state, tool)) reasons.push(blockedFlow(policy, state, facts, tool));
  const approval = tool.approval === "always" ? approvalReason(state, tool, facts.asked) : null;
  if (approval) reasons.push(approval);
}

const isHidden = (state: SessionState, facts: Facts, id: string): boolean =>
  ((state.tools !== null && !state.tools.has(id)) ||
    (facts.visible !== undefined && !facts.visible.has(id))) &&
  !isPartOfCall(id);

/** What a tool needs and a grant or its role lacks; a grant never gives more than the role has. */
function missingPermissions(
  tool: Tool,
  granted: readonly Permission[] | null,
  role: readonly Permission[] | null,
): readonly Permission[] {
  if (granted === null && role === null) return NONE;
  let missing: Permission[] | null = null;
  for (const needed of tool.permissions) {
    if ((granted ?? tool.permissions).includes(needed) && (role ?? tool.permissions).includes(needed))
      continue;
    missing = [...(missing ?? []), needed];
  }
  return missing ?? NONE;
}

/** Whether the label that the session has now may not go to the tool's sink. */
export function isBlocked(state: Pick<SessionState, "lattice" | "label">, tool: Tool): boolean {
  if (tool.clearances === null) return false;
  for (const clearance of tool.clearances) {
    if (flowsTo(state.lattice, state.label, clearance)) return false;
  }
  return true;
}

/** In place of a data set whose name would tell of a tool that this run doesn't see. */
const UNDISCLOSED = "undisclosed";

/** What stands in the way. A call of a tool that this run doesn't see is told by its data set alone. */
function blockedFlow(policy: Policy, state: SessionState, facts: Facts, tool: Tool): Reason {
  const clearances = tool.clearances ?? NONE;
  const causes: Cause[] = [];
  for (const { raised, call, step, tool: by, dataset, label } of state.contributions) {
    if (!raised || clearances.every((clearance) => flowsTo(state.lattice, label, clearance))) continue;
    const hidden = by !== null && isHidden(state, facts, by);
    const named = by === null || hidden ? null : policy.names.shown(by);
    causes.push({
      call,
      step,
      tool: named,
      dataset: hidden && dataset === by ? UNDISCLOSED : dataset,
      label,
    });
  }
  return { code: "flow-blocked", tool: tool.name, label: state.label, clearances, causes };
}

/**
 * A name that means no tool, or several. Of several, only those count that this run could see: a hidden tool
 * can't be guessed by its alias, nor by a name that it shares.
 */
function missingTool(
  policy: Policy,
  state: SessionState,
  role: Role | null,
  facts: Facts,
  name: string,
  candidates: readonly string[],
): Reason {
  const seen = candidates.filter((id) => {
    const tool = policy.tools.get(id);
    const reasons: Reason[] = [];
    if (tool) addReasons(reasons, policy, state, role, facts, tool);
    return tool !== undefined && !reasons.some(hidesTool);
  });
  return seen.length > 1
    ? { code: "ambiguous-tool", tool: name, candidates: seen.map((id) => policy.names.shown(id)) }
    : { code: "unknown-tool", tool: name };
}

function effectOf(reasons: readonly Reason[]): Effect {
  let effect: Effect = "allow";
  for (const { code } of reasons) {
    if (EFFECT_OF[code] === "deny") return "deny";
    effect = "ask";
  }
  return effect;
}
