/** The decision on a call together with people's answers: an approval, a plan, a standing approval. */
import { createHmac, type KeyObject } from "node:crypto";
import {
  type ApprovalAnswer,
  type Asked,
  answerTo,
  approversOf,
  type Decision,
  decide,
  findLeasedStep,
  findPlannedStep,
  type LeaseUse,
  lookUp,
  type SessionState,
  type Tool,
} from "../../core/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { changedArguments } from "../approvals/edit-approval.ts";
import { declarationOf } from "../approvals/standing-approvals.ts";
import { causesAsked, hasCredential, wordReasons } from "../approvals/worded-reasons.ts";
import { givenValues } from "../endorsement/given-values.ts";
import { toTimestamp } from "../ports/clock.ts";
import type { AdmissionContext, PreparedCall } from "./admission.ts";

/** A call as a person changed it: its decision, and its key. */
export interface JudgedEdit {
  readonly decision: Decision;
  /** In words. */
  readonly reasons: readonly string[];
  /** Why approval is needed, before any answer counts. */
  readonly causes: readonly string[];
  readonly binding: string | null;
  readonly digest: string;
  readonly changed: readonly string[];
}

/** Decides a call as a person changed it, with every check. Writes nothing. */
export function judgeEdit(
  given: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  at: string,
): JudgedEdit {
  const context = withValues(given, call);
  const { decision, binding } = decideAsked(context, state, call, at);
  const changed = changedArguments(call.edit?.instead ?? call.arguments, call.arguments);
  return {
    decision,
    reasons: wordReasons(context.policy, decision.reasons, call.tool).map(({ message }) => message),
    causes: causesAsked(decide(context.policy, state, call, context.facts).reasons),
    binding,
    digest: digestOfCall(context.digestKey, call),
    changed: changed.map(({ argument }) => argument),
  };
}

/** A person's denial of exactly this call that still counts, as a fact; null if there is none. */
export function findRefusal(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  now: Date,
): Asked | null {
  const at = toTimestamp(now);
  const { binding, answered } = decideAsked(withValues(context, call), state, call, at);
  return binding !== null && answered?.answer === "denied" ? { binding, at } : null;
}

/** Adds the values of the call's arguments if they are compared with the user's words. */
export function withValues(
  context: AdmissionContext,
  { tool, arguments: args, edit }: PreparedCall,
): AdmissionContext {
  const { policy, words, facts } = context;
  if (!policy.endorsement.isUsed || facts.values !== undefined) return context;
  const values = givenValues(policy, lookUp(policy, tool).tool, { arguments: args, ...edit }, words);
  return values ? { ...context, facts: { ...facts, values } } : context;
}

export interface AskedDecision {
  readonly decision: Decision;
  readonly binding: string | null;
  /** A person's answer to exactly this call that still counts. */
  readonly answered: ApprovalAnswer | null;
  /** The step of an approved plan that covers the call. */
  readonly lease: LeaseUse | null;
  /** The standing approval that covers it. */
  readonly standing: string | null;
}

/** The decision. If it lacks an approval, it is made once more with what people have answered. */
export function decideAsked(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  at: string,
): AskedDecision {
  const { policy, facts } = context;
  const decision = decide(policy, state, call, facts);
  const { tool } = decision;
  const asks = decision.reasons.some(({ code }) => code === "approval-required");
  // A changed call needs the approval of the change, even if nothing else requires approval.
  if ((!asks && call.edit === undefined) || tool === null)
    return { decision, binding: null, answered: null, lease: null, standing: null };
  const { waitedUntil } = call;
  const binding = bindingOf(context, state, call, decision, tool);
  const leased = call.edit ? null : leasedCall(context, state, call, tool, at);
  const lease = leased && findLeasedStep(state, leased, causesAsked(decision.reasons));
  const answered = answerTo(state, binding, at);
  const isAnswered = call.edit !== undefined || lease !== null || answered !== null;
  const standing = isAnswered ? null : findStanding(context, state, call, decision, at);
  const asked = {
    binding,
    at,
    ...(waitedUntil !== undefined && { waitedUntil }),
    ...(lease && { isLeased: true as const }),
    ...(standing !== null && { standing }),
  };
  const redecided = asks ? decide(policy, state, call, { ...facts, asked }) : decision;
  return { decision: redecided, binding, answered, lease, standing };
}

/** What an admitted call uses: its approval, and its step of an approved plan, even if it needs no approval. */
export function usedUp(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  { decision: { tool }, answered, lease: covering }: AskedDecision,
  at: string,
): { readonly approval?: string; readonly lease?: LeaseUse } {
  const leased = covering || tool === null ? null : leasedCall(context, state, call, tool, at);
  const lease = covering ?? (leased && findPlannedStep(state, leased));
  return { ...(answered && { approval: answered.id }), ...(lease && { lease }) };
}

/** The key of the call in approved plans; null if there are none. */
function leasedCall(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  tool: Tool,
  at: string,
) {
  return state.leases.length === 0
    ? null
    : { tool: tool.id, key: leaseKeyOf(context, state, call, tool), at };
}

/**
 * Identifies a call of a plan, whenever it is made: everything that an answer is bound to, except the reasons and the
 * label.
 */
export const leaseKeyOf = (
  context: Pick<AdmissionContext, "session" | "policy" | "facts" | "digestKey">,
  state: SessionState,
  call: PreparedCall,
  tool: Tool,
): string => digestOf(context.digestKey, canonicalJson(["lease", ...boundParts(context, state, call, tool)]));

function boundParts(
  { session, policy, facts, digestKey }: Pick<AdmissionContext, "session" | "policy" | "facts" | "digestKey">,
  { principal }: SessionState,
  call: PreparedCall,
  { id }: Tool,
): readonly unknown[] {
  const { definition = null, examined } = facts;
  const targets = (examined?.targets ?? []).map(({ path, content = null }) => [path, content]);
  return [session, principal, id, definition, digestOfCall(digestKey, call), targets, policy.version];
}

/** The standing approval that covers a call; null if none does. */
function findStanding(
  { standing, session, facts, policy }: AdmissionContext,
  { principal, role, label }: SessionState,
  { arguments: args }: PreparedCall,
  decision: Decision,
  at: string,
): string | null {
  const { tool, reasons } = decision;
  if (standing === undefined || tool === null || hasCredential(decision)) return null;
  // If several people must approve, one person's standing approval covers nothing.
  if (approversOf(policy, tool, reasons) > 1) return null;
  return standing.find(policy, {
    tool: tool.id,
    declaration: declarationOf(tool),
    definition: facts.definition ?? null,
    arguments: args,
    session,
    principal,
    role,
    label,
    causes: causesAsked(reasons),
    targets: (facts.examined?.targets ?? []).map(({ path }) => path),
    at,
  });
}

/**
 * What an answer is bound to. The reasons are part of it, because a reason that was found later was not shown. For a
 * release the label is part of it too: later data wasn't released.
 */
function bindingOf(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  decision: Decision,
  tool: Tool,
): string {
  const { level, categories, trust } = state.label;
  const released = decision.release ? [level, [...categories].sort(), trust] : null;
  const bound = [...boundParts(context, state, call, tool), causesAsked(decision.reasons), released];
  return digestOf(context.digestKey, canonicalJson(bound));
}

/** A keyed digest: equal for equal arguments in one store, and useless for guessing them without the key. */
export const digestOf = (key: KeyObject, canonical: string): string =>
  `hmac-sha256:${createHmac("sha256", key).update(canonical).digest("hex")}`;

const digests = new WeakMap<PreparedCall, string>();

/** The digest of a call's arguments, taken once: that of a long text takes milliseconds. */
export function digestOfCall(key: KeyObject, call: PreparedCall): string {
  const digest = digests.get(call) ?? digestOf(key, call.canonical);
  digests.set(call, digest);
  return digest;
}
