/** Requests an approval: the journal entry, and what is stored for the approver. */
import {
  approversOf,
  type Decision,
  explain,
  explainCause,
  explainToApprover,
  type Fault,
  isMethodId,
  type PendingApproval,
  type Reason,
  type SessionEvent,
  type SessionState,
  valueBehind,
  waitingAt,
} from "../../core/index.ts";
import type { AdmissionContext, PreparedCall } from "../calls/admission.ts";
import { toTimestamp } from "../ports/clock.ts";
import { createId } from "../ports/random.ts";
import type { Keep } from "../ports/store.ts";
import { type ApprovalDetails, keepDetails, keepEnd } from "./kept-approvals.ts";
import { causesAsked, hasCredential, wordReasons } from "./worded-reasons.ts";

/** A call that a person must approve. */
export interface ApprovalRequest {
  readonly decision: Decision;
  readonly call: PreparedCall;
  readonly callId: string;
  /** The keyed digest of its arguments. */
  readonly digest: string;
  /** The tool's identity. */
  readonly tool: string;
  /** What an answer is bound to. */
  readonly binding: string;
}

/** What to write for a request, or why none is possible. */
type Requested =
  | {
      readonly approval: PendingApproval;
      readonly events: readonly SessionEvent[];
      readonly keep: readonly Keep[];
    }
  | { readonly fault: Fault };

/** Characters of arguments that are stored for an approver, who must read them all. */
export const MAX_KEPT_LENGTH = 8 * 1024 * 1024;
/** Longer arguments are accepted only while few others of the session are pending, since all are stored meanwhile. */
const LONG = 256 * 1024;
const MAX_BESIDE_LONG = 3;
/** A fork that shares the label may have a tenth of a session's pending approvals, since it may have siblings. */
const FORK_SHARE = 10;
const TOO_MANY = "Too many approvals of this session wait for a person already.";
const TOO_MANY_LATELY = "This session, or its principal's, has requested too many approvals lately.";
const TOO_LONG = "The arguments are too long to be shown to a person.";
const TOO_LONG_NOW = "The arguments are too long to wait behind the calls of this session that wait already.";

/** The approval that is pending for exactly this call. */
export const findPending = (state: SessionState, binding: string, at: string): PendingApproval | undefined =>
  waitingAt(state, at).find((pending) => pending.binding === binding);

/** Requests an approval, and ends the expired ones. */
export function requestApproval(
  context: AdmissionContext,
  state: SessionState,
  request: ApprovalRequest,
  now: Date,
): Requested {
  const { callId: call, tool, binding, decision } = request;
  const { length } = request.call.canonical;
  const approvers = approversOf(context.policy, decision.tool, decision.reasons);
  const asked = { call, tool, binding, release: decision.release === true, ...several(approvers) };
  const opened = openApproval(context, state, asked, { length, now });
  if ("fault" in opened) return opened;
  const { approval, events, keep } = opened;
  return {
    approval,
    events: [...events, toEvent(state, request, approval)],
    keep: [...keep, ...keepDetails(toDetails(context, state, request, approval), request.call.canonical)],
  };
}

/** Left out if one person is enough. */
export const several = (approvers: number): { readonly approvers?: number } =>
  approvers > 1 ? { approvers } : {};

/** The entries for a new approval and for the ends of expired ones; or why no approval can be requested. */
export function openApproval(
  context: AdmissionContext,
  state: SessionState,
  asked: Pick<PendingApproval, "call" | "tool" | "binding" | "release" | "approvers">,
  { length, now }: { readonly length: number; readonly now: Date },
): Requested {
  const at = toTimestamp(now);
  const waiting = waitingAt(state, at);
  const maxWaiting =
    state.shares === null ? context.mostPending : Math.ceil(context.mostPending / FORK_SHARE);
  if (waiting.length >= maxWaiting) return { fault: { code: "approvals", message: TOO_MANY } };
  if (length > MAX_KEPT_LENGTH) return { fault: { code: "approvals", message: TOO_LONG } };
  if (length > LONG && waiting.length > MAX_BESIDE_LONG)
    return { fault: { code: "approvals", message: TOO_LONG_NOW } };
  const { approvalSeconds = context.policy.approvals.expiresSeconds } = context;
  const owner = { principal: state.principal, labelHolder: state.shares ?? context.session };
  if (!context.requested.take(owner, now, approvalSeconds))
    return { fault: { code: "approvals", message: TOO_MANY_LATELY } };
  const expires = toTimestamp(new Date(now.getTime() + approvalSeconds * 1000));
  const approval = { ...asked, id: createId("appr", context.random), at, expires, shown: false };
  const over = state.pending.filter((pending) => !waiting.includes(pending));
  const { session } = context;
  return {
    approval,
    events: over.map(toExpired),
    keep: over.flatMap((one) =>
      keepEnd({ id: one.id, session, outcome: "expired", by: null, at: one.expires }),
    ),
  };
}

/** The entry that ends an unanswered approval. */
export const toEnded = (
  { id: approval, call, tool }: PendingApproval,
  outcome: "expired" | "cancelled",
): SessionEvent => ({ kind: "approval-ended", approval, call, tool, outcome });

export const toExpired = (pending: PendingApproval): SessionEvent => toEnded(pending, "expired");

const toEvent = (
  { label }: SessionState,
  { decision: { reasons }, callId: call, digest, tool, binding }: ApprovalRequest,
  { id: approval, expires, release, approvers }: PendingApproval,
): SessionEvent => ({
  kind: "approval-requested",
  call,
  tool,
  arguments: digest,
  reasons,
  label,
  approval,
  binding,
  expires,
  ...(release && { release }),
  ...(approvers && { approvers }),
});

/** Why approval is needed, for the person. */
export function explainAsk(
  { policy, facts }: Pick<AdmissionContext, "policy" | "facts">,
  state: SessionState,
  { tool }: Decision,
  reason: Reason,
): string {
  if (reason.code === "approval-required") return explainCause(reason.because);
  if (reason.code !== "not-endorsed") return explain(policy.lattice, reason);
  const value = tool && valueBehind(policy, state, facts, { tool, reason });
  return explainToApprover(reason, value?.text ?? "");
}

const toDetails = (
  context: AdmissionContext,
  state: SessionState,
  { decision, call, callId, tool }: ApprovalRequest,
  { id, at, expires: expiresAt, release, approvers }: PendingApproval,
): ApprovalDetails => ({
  principal: state.principal,
  label: state.label,
  id,
  session: context.session,
  ...(state.shares !== null && { labelHolder: state.shares }),
  call: callId,
  tool,
  arguments: call.arguments,
  reasons: wordReasons(context.policy, decision.reasons, call.tool),
  why: decision.reasons.map((reason) => explainAsk(context, state, decision, reason)),
  causes: causesAsked(decision.reasons),
  definition: context.facts.definition ?? null,
  isCredential: hasCredential(decision),
  editable: call.runsEdited === true && call.facts === undefined && !isMethodId(tool),
  release,
  targets: (context.facts.examined?.targets ?? []).map(({ path }) => path),
  preview: context.facts.examined?.preview ?? null,
  at,
  expiresAt,
  policy: context.policy.version,
  ...(approvers && { approvers }),
});
