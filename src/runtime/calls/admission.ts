/**
 * From decisions to journal entries and answers: what is written for an allowed, a refused and an asking call,
 * and what the caller is told. The raise goes into the entry that admits the call.
 */
import { createHmac, type KeyObject } from "node:crypto";
import {
  type Asked,
  answerTo,
  type Call,
  type Decision,
  dataSetOf,
  decide,
  type Effect,
  type Fault,
  findLeasedStep,
  findPlannedStep,
  join,
  type Label,
  type LeaseUse,
  lookUp,
  type PendingApproval,
  type Policy,
  type RefusalClass,
  type SessionEvent,
  type SessionState,
  type Tool,
} from "../../core/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { type ApprovalRequest, findPending, requestApproval } from "../approvals/request-approval.ts";
import { classOfRefusal, type WordedReason, wordReasons } from "../approvals/worded-reasons.ts";
import { givenValues } from "../endorsement/given-values.ts";
import type { WordTokens } from "../endorsement/words.ts";
import { assertGiven } from "../option-shapes.ts";
import { toTimestamp } from "../ports/clock.ts";
import { createId, type Random } from "../ports/random.ts";
import type { Keep } from "../ports/store.ts";
import type { GatheredFacts, GatherFacts } from "./call-facts.ts";

/** An approval that a call waits for. */
export interface RequestedApproval {
  readonly id: string;
  readonly status: "pending";
  readonly expiresAt: string;
}

/** The decision on one call, as the caller gets it. */
export interface CallDecision {
  readonly callId: string;
  readonly effect: Effect;
  /** What it leaves its caller to do, where the call didn't run: change it, wait for a person, or go on without it. */
  readonly class?: RefusalClass;
  /** The name as the caller gave it. */
  readonly tool: string;
  readonly reasons: readonly WordedReason[];
  /** Where the session was refused this tool for these reasons before: one sentence for the model, in place of theirs. */
  readonly repeated?: string;
  readonly faults: readonly Fault[];
  /** The source label that this call added to the session; null where it added nothing. */
  readonly raises: Label | null;
  /** The session's label after it. */
  readonly label: Label;
  readonly approval: RequestedApproval | null;
}

export interface AdmissionContext {
  readonly session: string;
  readonly policy: Policy;
  readonly facts: GatheredFacts;
  readonly random: Random;
  readonly digestKey: KeyObject;
  readonly words: WordTokens;
  /** How long an approval waits; by default as the policy says. */
  readonly approvalSeconds: number | undefined;
  readonly mostPending: number;
}

/** A call with its arguments made canonical once; the copy that is decided on is the one that runs. */
export interface PreparedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly canonical: string;
  /** What whoever runs it finds out about it. */
  readonly facts?: GatherFacts;
  /** When the approval expires that the call was held for. */
  readonly heldUntil?: string;
  /** The process that runs it, where that isn't its host's business. */
  readonly runner?: string;
  /** It is only asked what would be decided: nothing is written but an approval that it asks for. */
  readonly isPreview?: true;
}

/** A call's canonical copy. @throws SluicegateError `unsupported-value` for arguments that have none. */
export function prepareCall(call: Call, facts?: GatherFacts): PreparedCall {
  assertGiven("call", call);
  const canonical = canonicalJson(call.arguments ?? {});
  const prepared = { tool: call.tool, arguments: JSON.parse(canonical), canonical };
  return facts === undefined ? prepared : { ...prepared, facts };
}

interface Admission {
  /** What the call brings in, where it was admitted. */
  readonly source: Label | null;
  /** The tool's identity; the name as it was given where that means none. */
  readonly tool: string;
  readonly events: readonly SessionEvent[];
  readonly keep: readonly Keep[];
  readonly decision: CallDecision;
}

/** Decides one call on the present state and says what to write. */
export function admitCall(
  given: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  now: Date,
): Admission {
  const context = withValues(given, call);
  const { policy } = context;
  const { decision, binding, ...asked } = decideAsked(context, state, call, toTimestamp(now));
  const callId = createId("call", context.random);
  const digest = digestOf(context.digestKey, call.canonical);
  const tool = decision.tool?.id ?? call.tool;
  if (decision.effect === "allow" && decision.tool) {
    const { source } = decision;
    const label = source ? join(state.lattice, state.label, source) : state.label;
    const event = {
      kind: "call-admitted",
      call: callId,
      tool,
      arguments: digest,
      source,
      dataset: dataSetOf(decision.tool),
      label,
      ...usedUp(context, state, call, { ...asked, decision, binding }, toTimestamp(now)),
      ...(decision.release && { release: decision.release }),
      ...(call.runner !== undefined && { runner: call.runner }),
      ...(decision.endorsed && { endorsed: decision.endorsed }),
    } as const;
    const raises = label === state.label ? null : source;
    return {
      tool,
      source,
      events: [event],
      keep: [],
      decision: answer(policy, state, call, callId, decision, { raises, label }),
    };
  }
  if (binding !== null && decision.effect === "ask")
    return ask(context, state, call, now, { decision, callId, digest, tool }, binding);
  return refuse(policy, state, call, { decision, callId, digest, tool });
}

/** A person's no to this very call that still counts, as a fact to decide it on; null where there is none. */
export function findRefusal(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  now: Date,
): Asked | null {
  const at = toTimestamp(now);
  const { binding } = decideAsked(withValues(context, call), state, call, at);
  const answered = binding === null ? null : answerTo(state, binding, at);
  return binding !== null && answered?.answer === "denied" ? { binding, at } : null;
}

/** With the values of the call's arguments, where they are compared with the user's words. */
function withValues(context: AdmissionContext, { tool, arguments: args }: PreparedCall): AdmissionContext {
  const { policy, words, facts } = context;
  if (!policy.endorsement.isUsed || facts.values !== undefined) return context;
  const values = givenValues(policy, lookUp(policy, tool).tool, args, words);
  return values ? { ...context, facts: { ...facts, values } } : context;
}

interface AskedDecision {
  readonly decision: Decision;
  readonly binding: string | null;
  /** The step of an approved plan whose yes covers the call. */
  readonly lease: LeaseUse | null;
}

/** The decision; where a person's yes is missing, made once more, with every check, on what people have answered. */
function decideAsked(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  at: string,
): AskedDecision {
  const { policy, facts } = context;
  const decision = decide(policy, state, call, facts);
  const asks = decision.reasons.some(({ code }) => code === "approval-required");
  if (!asks || decision.tool === null) return { decision, binding: null, lease: null };
  const { heldUntil } = call;
  const binding = bindingOf(context, state, call, decision, decision.tool);
  const leased = leasedCall(context, state, call, decision.tool, at);
  const lease = leased && findLeasedStep(state, leased, askCausesOf(decision));
  const asked = {
    binding,
    at,
    ...(heldUntil !== undefined && { heldUntil }),
    ...(lease && { isLeased: true as const }),
  };
  return { decision: decide(policy, state, call, { ...facts, asked }), binding, lease };
}

/** What an admitted call uses up: its approval, and its step of an approved plan, even where it needs no yes of it. */
function usedUp(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  { decision: { tool }, binding, lease: covering }: AskedDecision,
  at: string,
): { readonly approval?: string; readonly lease?: LeaseUse } {
  const yes = binding === null ? null : answerTo(state, binding, at);
  const leased = covering || tool === null ? null : leasedCall(context, state, call, tool, at);
  const lease = covering ?? (leased && findPlannedStep(state, leased));
  return { ...(yes && { approval: yes.id }), ...(lease && { lease }) };
}

/** The call as it is looked for in approved plans; null where there is none. */
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

/** Why a person is asked: the causes, and the rules by their names. */
export function askCausesOf({ reasons }: Decision): readonly string[] {
  const causes = reasons.flatMap((reason) => (reason.code === "approval-required" ? reason.because : []));
  const rules = reasons.flatMap((reason) => (reason.code === "rule-asks" ? `rule: ${reason.rule}` : []));
  return [...new Set([...causes, ...rules])].sort();
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
  const bound = [...boundParts(context, state, call, tool), askCausesOf(decision), released];
  return digestOf(context.digestKey, canonicalJson(bound));
}

interface Decided {
  readonly decision: Decision;
  readonly callId: string;
  readonly digest: string;
  readonly tool: string;
}

function refuse(policy: Policy, state: SessionState, call: PreparedCall, decided: Decided): Admission {
  const { decision, callId, digest, tool } = decided;
  const { reasons } = decision;
  const event = {
    kind: "call-refused",
    call: callId,
    tool,
    arguments: digest,
    reasons,
    label: state.label,
  } as const;
  const refused = answer(policy, state, call, callId, decision, {});
  return { tool, source: null, events: [event], keep: [], decision: refused };
}

/** The same call gets the same approval while that waits; otherwise a new one is requested. */
function ask(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  now: Date,
  decided: Decided,
  binding: string,
): Admission {
  const { policy } = context;
  const { decision, callId, digest, tool } = decided;
  const known = findPending(state, binding, toTimestamp(now));
  if (known) {
    const waits = answer(policy, state, call, known.call, decision, { approval: known });
    return { tool, source: null, events: [], keep: [], decision: waits };
  }
  const request: ApprovalRequest = { decision, call, callId, digest, tool, binding };
  const requested = requestApproval(context, state, request, now);
  if ("fault" in requested) {
    return refuse(policy, state, call, { ...decided, decision: notKept(decision, requested.fault) });
  }
  const { events, keep, approval } = requested;
  const asked = answer(policy, state, call, callId, decision, { approval });
  return { tool, source: null, events, keep, decision: asked };
}

function notKept(decision: Decision, fault: Fault): Decision {
  const tool = decision.tool?.name ?? "";
  return { ...decision, effect: "deny", reasons: [{ code: "fault", tool }], faults: [fault], source: null };
}

function answer(
  policy: Policy,
  state: SessionState,
  call: PreparedCall,
  callId: string,
  decision: Decision,
  changed: { raises?: Label | null; label?: Label; approval?: PendingApproval },
): CallDecision {
  const { approval } = changed;
  const refused = classOfRefusal(decision.reasons, call.tool);
  return {
    callId,
    effect: decision.effect,
    ...(refused && { class: refused }),
    tool: call.tool,
    reasons: wordReasons(policy, decision.reasons, call.tool),
    // What couldn't be found out about a hidden tool would tell that it is there.
    faults: decision.reasons.some(({ code }) => code === "hidden") ? [] : decision.faults,
    raises: changed.raises ?? null,
    label: changed.label ?? state.label,
    approval: approval ? { id: approval.id, status: "pending", expiresAt: approval.expires } : null,
  };
}

/** A keyed digest: equal for equal arguments in one store, and nothing that can be guessed back from outside. */
export const digestOf = (key: KeyObject, canonical: string): string =>
  `hmac-sha256:${createHmac("sha256", key).update(canonical).digest("hex")}`;
