/** The decision on a call with what people have answered: an approval, a plan, a standing approval. */
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

/** A call as a person would have it run: what it comes to, and what tells it from others. */
export interface JudgedEdit {
  readonly decision: Decision;
  /** In words. */
  readonly reasons: readonly string[];
  /** Why a person is asked for it, before any answer counts. */
  readonly causes: readonly string[];
  readonly binding: string | null;
  readonly digest: string;
  readonly changed: readonly string[];
}

/** Decides a call as a person changed it, with every check. Nothing is written. */
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
    digest: digestOf(context.digestKey, call.canonical),
    changed: changed.map(({ argument }) => argument),
  };
}

/** A person's no to this very call that still counts, as a fact to decide it on; null if there is none. */
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

/** With the values of the call's arguments, where they are compared with the user's words. */
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
  /** A person's answer to this very call that still counts. */
  readonly answered: ApprovalAnswer | null;
  /** The step of an approved plan whose approval covers the call. */
  readonly lease: LeaseUse | null;
  /** The standing approval that covers it. */
  readonly standing: string | null;
}

/** The decision; where a person's approval is missing, made once more, with every check, on what people have answered. */
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
  // What a person changed needs its own approval, even if nobody would be asked otherwise.
  if ((!asks && call.edit === undefined) || tool === null)
    return { decision, binding: null, answered: null, lease: null, standing: null };
  const { heldUntil } = call;
  const binding = bindingOf(context, state, call, decision, tool);
  const leased = call.edit ? null : leasedCall(context, state, call, tool, at);
  const lease = leased && findLeasedStep(state, leased, causesAsked(decision.reasons));
  const answered = answerTo(state, binding, at);
  const isAnswered = call.edit !== undefined || lease !== null || answered !== null;
  const standing = isAnswered ? null : findStanding(context, state, call, decision, at);
  const asked = {
    binding,
    at,
    ...(heldUntil !== undefined && { heldUntil }),
    ...(lease && { isLeased: true as const }),
    ...(standing !== null && { standing }),
  };
  const redecided = asks ? decide(policy, state, call, { ...facts, asked }) : decision;
  return { decision: redecided, binding, answered, lease, standing };
}

/** What an admitted call consumes: its approval, and its step of an approved plan, even where it needs no approval. */
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

/** The call as it is looked for in approved plans; null if there is none. */
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

/** What tells a call of a plan from all others, whenever it is made: all that an answer is bound to but why and the label. */
export const leaseKeyOf = (
  context: Pick<AdmissionContext, "session" | "policy" | "facts" | "digestKey">,
  state: SessionState,
  call: PreparedCall,
  tool: Tool,
): string => digestOf(context.digestKey, canonicalJson(["lease", ...boundParts(context, state, call, tool)]));

function boundParts(
  { session, policy, facts }: Pick<AdmissionContext, "session" | "policy" | "facts">,
  { principal }: SessionState,
  { canonical }: PreparedCall,
  { id }: Tool,
): readonly unknown[] {
  const { definition = null, examined } = facts;
  const targets = (examined?.targets ?? []).map(({ path, content = null }) => [path, content]);
  return [session, principal, id, definition, canonical, targets, policy.version];
}

/** The standing approval that covers a call which asks; null if none does. */
function findStanding(
  { standing, session, facts, policy }: AdmissionContext,
  { principal, role, label }: SessionState,
  { arguments: args }: PreparedCall,
  decision: Decision,
  at: string,
): string | null {
  const { tool, reasons } = decision;
  if (standing === undefined || tool === null || hasCredential(decision)) return null;
  // Where several people must say yes, one person's yes of before covers nothing.
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
 * What an answer is bound to. Why the person was asked is part of it: a cause that was found later was not shown.
 * A release is bound to the label as well: what came in later was not released.
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

/** A keyed digest: equal for equal arguments in one store, and nothing that can be guessed back from outside. */
export const digestOf = (key: KeyObject, canonical: string): string =>
  `hmac-sha256:${createHmac("sha256", key).update(canonical).digest("hex")}`;
