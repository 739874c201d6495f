/**
 * The decision: plain data in, a decision out. Every check runs and every reason is reported; deny beats ask,
 * ask beats allow. A check that could not be made denies.
 */
import { type Endorsement, endorse } from "../endorsement/endorse.ts";
import type { Endorsed } from "../endorsement/user-word.ts";
import { flowsTo, isKnownLabel, join, type Label, type Lattice } from "../label/label.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import { type CompiledName, findName } from "../tools/look-up.ts";
import type { Tool } from "../tools/tool.ts";
import { approvalReasons } from "./approval.ts";
import {
  type DecisionContext,
  type Facts,
  type Frozen,
  isHidden,
  isSeen,
  missingPermissions,
  restrictionsOf,
  toDecisionContext,
} from "./decision-context.ts";
import { blockedFlow, type Flow, flowOf, isWithin, plainFlow } from "./flow.ts";
import { type AskCause, type Fault, type FreezeScope, NO_REASONS, type Reason } from "./reason.ts";
import { causesOf, type RuleReasons, ruleReasons } from "./rule-reasons.ts";
import { denies } from "./trail.ts";

/** A proposed call. */
export interface Call {
  /** Any name of the tool. */
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export type Effect = "allow" | "ask" | "deny";

export interface Decision {
  readonly effect: Effect;
  /** The tool that the name means; null if it means none. */
  readonly tool: Tool | null;
  readonly reasons: readonly Reason[];
  readonly faults: readonly Fault[];
  /** The source label that admitting the call brings in; null if nothing comes in. */
  readonly source: Label | null;
  /** The session's label may not go to the tool: only a person may release the call. */
  readonly release?: true;
  /**
   * Replaces the tool's clearances, because recipients or the user's words are known; null: no limit.
   */
  readonly limits?: readonly Label[] | null;
  /** What endorsed its critical arguments, if endorsement was needed. */
  readonly endorsed?: readonly Endorsed[];
}

const NONE: readonly never[] = Object.freeze([]);

/** Decides one call. Pure and total: it never throws for what a call, a state or a policy holds. */
export function decide(policy: Policy, state: SessionState, call: Call, facts: Facts = NOTHING): Decision {
  const found = findName(policy, call.tool);
  const { tool } = found;
  const context = toDecisionContext(policy, state, facts);
  const compared = found.isCompared && tool !== null ? compare(context, tool) : null;
  let reasons = state.closed ? CLOSED : NO_REASONS;
  if (tool !== null && facts.frozen !== undefined) reasons = addFreeze(reasons, facts.frozen, tool);
  if (tool === null) reasons = add(reasons, missingTool(context, call.tool, found.candidates));
  else reasons = addReasons(reasons, context, tool, found, call.arguments, compared);
  const faults = facts.faults ?? NONE;
  if (faults.length > 0) reasons = add(reasons, { code: "fault", tool: tool?.name ?? call.tool });
  const effect = effectOf(reasons);
  const source = effect === "deny" || tool === null ? null : sourceOfCall(policy.lattice, tool, facts.source);
  const decision = { effect, tool, reasons, faults, source };
  if (compared !== null) return withComparison(decision, compared);
  const isRelease = effect !== "deny" && tool?.onViolation === "ask" && !isWithin(state, tool);
  return isRelease ? { ...decision, release: true } : decision;
}

/** The parts of a decision that depend on the call's arguments. */
interface Comparison {
  readonly flow: Flow;
  readonly endorsement: Endorsement;
}

const compare = (context: DecisionContext, tool: Tool): Comparison => ({
  flow: flowOf(context, tool),
  endorsement: endorse(context, tool),
});

const withComparison = (decision: Decision, { flow, endorsement: { endorsed } }: Comparison): Decision => ({
  ...decision,
  ...(decision.effect !== "deny" && flow.isBlocked && { release: true }),
  ...(endorsed.length > 0 && { endorsed }),
  ...(flow.limits !== decision.tool?.clearances && { limits: flow.limits }),
});

const NOTHING: Facts = Object.freeze({});
const CLOSED: readonly Reason[] = Object.freeze([Object.freeze({ code: "session-closed" } as const)]);

/** Adds one at the end. Most decisions have no reason or one. */
const add = (reasons: readonly Reason[], reason: Reason): readonly Reason[] =>
  reasons.length === 0 ? [reason] : [...reasons, reason];

const addAll = (reasons: readonly Reason[], more: readonly Reason[]): readonly Reason[] =>
  more.length === 0 ? reasons : [...reasons, ...more];

/** The widest freeze that stops a tool. */
function addFreeze(
  reasons: readonly Reason[],
  { session, servers, tools }: Frozen,
  { id, name, server }: Tool,
): readonly Reason[] {
  const isTool = tools.has(id) && "tool";
  const scope: FreezeScope | false = session ?? (servers.has(server ?? "") ? "server" : isTool);
  return scope ? add(reasons, { code: "frozen", tool: name, scope }) : reasons;
}

function addReasons(
  before: readonly Reason[],
  context: DecisionContext,
  tool: Tool,
  found: CompiledName,
  args: Call["arguments"],
  compared: Comparison | null,
): readonly Reason[] {
  const { state, facts } = context;
  const name = tool.name;
  let reasons = before;
  const standing = restrictionsOf(context, tool, found.number);
  if (standing !== NO_REASONS) reasons = reasons === NO_REASONS ? standing : [...reasons, ...standing];
  if (isHidden(context, tool.id)) reasons = add(reasons, { code: "hidden", tool: name });
  const missing = missingPermissions(context, tool);
  if (missing.length > 0) reasons = add(reasons, { code: "permission-missing", tool: name, missing });
  const ruled = ruleReasons(context, tool, args);
  const flow = compared?.flow ?? plainFlow(context, tool, found.sink);
  const causes = causesOf(context, tool, args, otherCauses(flow, compared, ruled));
  const asks = approvalReasons(state, tool, causes, facts.asked);
  reasons = addAll(reasons, ruled.denials);
  if (asks !== NO_REASONS) reasons = addAll(reasons, ruled.asks);
  // INVARIANT: an approval never unblocks a flow, unless it was requested as a release.
  if (flow?.isBlocked && !(flow.isReleasable && asks === NO_REASONS))
    reasons = add(reasons, blockedFlow(context, tool, flow));
  if (compared !== null && asks !== NO_REASONS) reasons = [...reasons, ...compared.endorsement.reasons];
  if (facts.isProtected) reasons = add(reasons, { code: "protected-path", tool: name });
  if (facts.unknownArgument)
    reasons = add(reasons, { code: "unknown-argument", tool: name, ...facts.unknownArgument });
  if (facts.signIn) reasons = add(reasons, { code: "sign-in-needed", tool: name, ...facts.signIn });
  return addAll(reasons, asks);
}

/** Causes beyond the tool's declaration: a release, arguments that aren't endorsed, or a rule. */
function otherCauses(
  flow: Flow | null,
  compared: Comparison | null,
  { asks }: RuleReasons,
): readonly AskCause[] {
  if (flow === null && compared === null && asks.length === 0) return NONE;
  const causes: AskCause[] = flow?.isReleasable ? ["release"] : [];
  if (compared !== null && compared.endorsement.reasons.length > 0) causes.push("not-endorsed");
  if (asks.length > 0) causes.push("rule");
  return causes;
}

/**
 * The reason for a name that means no tool, or several. Of several, only those count that this run may see, so a
 * hidden tool can't be discovered by its alias, or by a name that it shares.
 */
function missingTool(context: DecisionContext, name: string, candidates: readonly string[]): Reason {
  const { names, meanings } = context.policy;
  const seen = candidates.filter((id) => {
    const { tool = null, number = -1 } = meanings.get(id) ?? {};
    return tool !== null && isSeen(context, tool, number);
  });
  return seen.length > 1
    ? { code: "ambiguous-tool", tool: name, candidates: seen.map((id) => names.shown(id)) }
    : { code: "unknown-tool", tool: name };
}

function effectOf(reasons: readonly Reason[]): Effect {
  if (reasons.length === 0) return "allow";
  return reasons.some(denies) ? "deny" : "ask";
}

/**
 * The source label of a call; null if nothing comes in. What was found adds to what is declared. Only if the
 * declaration is an upper bound (`sourceBound`) can the result be lower.
 */
export function sourceOfCall(
  lattice: Lattice,
  { source, sourceBound }: Pick<Tool, "source" | "sourceBound">,
  found: Label | undefined,
): Label | null {
  if (found === undefined) return source;
  if (source === null) return found;
  const isLess = sourceBound === "most" && isKnownLabel(lattice, found) && flowsTo(lattice, found, source);
  return isLess ? found : join(lattice, source, found);
}
