/**
 * From decisions to journal entries and answers: what is written for an allowed, a refused and an asking call,
 * and what the caller is told. The raise goes into the entry that admits the call.
 */
import { createHmac, type KeyObject } from "node:crypto";
import {
  answerTo,
  type Call,
  type Decision,
  dataSetOf,
  decide,
  EFFECT_OF,
  type Effect,
  explain,
  type Facts,
  type Fault,
  join,
  type Label,
  type PendingApproval,
  type Policy,
  type Reason,
  type ReasonCode,
  type SessionEvent,
  type SessionState,
} from "../core/index.ts";
import { canonicalJson } from "./canonical-json.ts";
import { toTimestamp } from "./clock.ts";
import { type ApprovalDetails, keepDetails, keepEnd } from "./kept-approvals.ts";
import { createId, type Random } from "./random.ts";
import type { Keep } from "./store.ts";

/** A reason as a caller gets it. */
export interface WordedReason {
  readonly code: ReasonCode;
  /** What happened, why, and the way out; for the model. */
  readonly message: string;
  /** The calls and data sets behind a blocked flow. */
  readonly causedBy?: readonly {
    readonly step: number | null;
    readonly tool: string | null;
    readonly dataset: string;
  }[];
}

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
  /** The name as the caller gave it. */
  readonly tool: string;
  readonly reasons: readonly WordedReason[];
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
  readonly facts: Facts;
  readonly random: Random;
  readonly digestKey: KeyObject;
  readonly approvalSeconds: number;
  readonly mostPending: number;
}

/** A call with its arguments made canonical once; the copy that is decided on is the one that runs. */
export interface PreparedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly canonical: string;
  /** When the approval expires that the call was held for. */
  readonly heldUntil?: string;
}

/** A call's canonical copy. @throws SluicegateError `unsupported-value` for arguments that have none. */
export function prepareCall(call: Call): PreparedCall {
  const canonical = canonicalJson(call.arguments ?? {});
  return { tool: call.tool, arguments: JSON.parse(canonical), canonical };
}

interface Admission {
  /** The tool's identity; the name as it was given where that means none. */
  readonly tool: string;
  readonly events: readonly SessionEvent[];
  readonly keep: readonly Keep[];
  readonly decision: CallDecision;
}

/** Decides one call on the present state and says what to write. */
export function admitCall(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  now: Date,
): Admission {
  const { policy } = context;
  const { decision, binding } = decideAsked(context, state, call, toTimestamp(now));
  const callId = createId("call", context.random);
  const digest = digestOf(context.digestKey, call.canonical);
  const tool = decision.tool?.id ?? call.tool;
  if (decision.effect === "allow" && decision.tool) {
    const { source } = decision;
    const label = source ? join(state.lattice, state.label, source) : state.label;
    const dataset = dataSetOf(decision.tool);
    const grant = binding === null ? null : answerTo(state, binding, toTimestamp(now));
    const event = {
      kind: "call-admitted",
      call: callId,
      tool,
      arguments: digest,
      source,
      dataset,
      label,
      ...(grant && { approval: grant.id }),
    } as const;
    const raises = label === state.label ? null : source;
    return {
      tool,
      events: [event],
      keep: [],
      decision: answer(policy, state, call, callId, decision, { raises, label }),
    };
  }
  if (binding !== null && decision.effect === "ask")
    return ask(context, state, call, now, { decision, callId, digest, tool }, binding);
  return refuse(policy, state, call, { decision, callId, digest, tool });
}

/** The decision; where a person's yes is missing, made once more, with every check, on what people have answered. */
function decideAsked(
  context: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  at: string,
): { readonly decision: Decision; readonly binding: string | null } {
  const { policy, facts, digestKey, session } = context;
  const decision = decide(policy, state, call, facts);
  const asks = decision.reasons.some(({ code }) => code === "approval-required");
  if (!asks || decision.tool === null) return { decision, binding: null };
  const { heldUntil } = call;
  const bound = [session, state.principal, decision.tool.id, call.canonical, policy.version];
  const binding = digestOf(digestKey, canonicalJson(bound));
  const asked = { binding, at, ...(heldUntil !== undefined && { heldUntil }) };
  return { decision: decide(policy, state, call, { ...facts, asked }), binding };
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
  return { tool, events: [event], keep: [], decision: answer(policy, state, call, callId, decision, {}) };
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
  const { policy, session } = context;
  const { decision, digest, tool } = decided;
  const at = toTimestamp(now);
  const open = state.pending.filter((pending) => pending.expires > at);
  const known = open.find((pending) => pending.binding === binding);
  if (known) {
    return {
      tool,
      events: [],
      keep: [],
      decision: answer(policy, state, call, known.call, decision, { approval: known }),
    };
  }
  if (open.length >= context.mostPending) {
    return refuse(policy, state, call, { ...decided, decision: notKept(decision, TOO_MANY) });
  }
  if (call.canonical.length > LONGEST_KEPT) {
    return refuse(policy, state, call, { ...decided, decision: notKept(decision, TOO_LONG) });
  }
  const expiresAt = toTimestamp(new Date(now.getTime() + context.approvalSeconds * 1000));
  const approval: PendingApproval = {
    id: createId("appr", context.random),
    call: decided.callId,
    tool,
    binding,
    at,
    expires: expiresAt,
  };
  const answered = answer(policy, state, call, decided.callId, decision, { approval });
  const { label, principal } = state;
  const details: ApprovalDetails = {
    id: approval.id,
    session,
    principal,
    call: decided.callId,
    tool,
    arguments: call.arguments,
    reasons: answered.reasons,
    label,
    at,
    expiresAt,
    policy: policy.version,
  };
  const expired = state.pending.filter((pending) => !open.includes(pending));
  const event: SessionEvent = {
    kind: "approval-requested",
    call: decided.callId,
    tool,
    arguments: digest,
    reasons: decision.reasons,
    label,
    approval: approval.id,
    binding,
    expires: expiresAt,
  };
  return {
    tool,
    events: [event],
    keep: [
      ...expired.flatMap(({ id, expires }) =>
        keepEnd({ id, session, outcome: "expired", by: null, at: expires }),
      ),
      keepDetails(details),
    ],
    decision: answered,
  };
}

/** Characters of arguments that are kept for an approver, who must read them all. */
const LONGEST_KEPT = 256 * 1024;
const TOO_MANY = "Too many approvals of this session wait for a person already.";
const TOO_LONG = "The arguments are too long to be shown to a person.";

function notKept(decision: Decision, message: string): Decision {
  const tool = decision.tool?.name ?? "";
  const faults: readonly Fault[] = [{ code: "approvals", message }];
  return { ...decision, effect: "deny", reasons: [{ code: "fault", tool }], faults, source: null };
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
  return {
    callId,
    effect: decision.effect,
    tool: call.tool,
    reasons: wordReasons(policy, decision.reasons, call.tool),
    // What couldn't be found out about a hidden tool would tell that it is there.
    faults: decision.reasons.some(({ code }) => code === "hidden") ? [] : decision.faults,
    raises: changed.raises ?? null,
    label: changed.label ?? state.label,
    approval: approval ? { id: approval.id, status: "pending", expiresAt: approval.expires } : null,
  };
}

/**
 * Reasons in words. A hidden tool looks like one that isn't there, under the name that the caller gave: nothing
 * else is said of it.
 */
export function wordReasons(
  policy: Policy,
  reasons: readonly Reason[],
  given: string,
): readonly WordedReason[] {
  const hidden = reasons.some(({ code }) => code === "hidden");
  const told: readonly Reason[] = hidden ? [{ code: "unknown-tool", tool: given }] : reasons;
  const denied = told.some(({ code }) => EFFECT_OF[code] === "deny");
  return told.map((reason) => ({
    code: reason.code,
    message: explain(policy.lattice, reason, denied),
    ...(reason.code === "flow-blocked" && {
      causedBy: reason.causes.map(({ step, tool, dataset }) => ({ step, tool, dataset })),
    }),
  }));
}

/** A keyed digest: equal for equal arguments in one store, and nothing that can be guessed back from outside. */
const digestOf = (key: KeyObject, canonical: string): string =>
  `hmac-sha256:${createHmac("sha256", key).update(canonical).digest("hex")}`;
