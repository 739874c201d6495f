/**
 * Turns decisions into journal entries and answers, for allowed, denied and asking calls. The entry that admits a
 * call also raises the label.
 */
import type { KeyObject } from "node:crypto";
import {
  type ApprovalAnswer,
  type Call,
  type Decision,
  dataSetOf,
  type Effect,
  editOf,
  type Fault,
  join,
  type Label,
  type LeaseUse,
  type PendingApproval,
  type Policy,
  type RefusalClass,
  type SessionEvent,
  type SessionState,
} from "../../core/index.ts";
import { canonicalForm } from "../../json/canonical-json.ts";
import { type EditedCall, forgetEdit, toEditedCall } from "../approvals/edit-approval.ts";
import { keepEnd } from "../approvals/kept-approvals.ts";
import {
  type ApprovalRequest,
  findPending,
  requestApproval,
  toEnded,
} from "../approvals/request-approval.ts";
import type { RequestedApprovals } from "../approvals/requested-approvals.ts";
import type { StandingSnapshot } from "../approvals/standing-approvals.ts";
import { classOfRefusal, type WordedReason, wordReasons } from "../approvals/worded-reasons.ts";
import type { WordTokens } from "../endorsement/words.ts";
import { assertGiven } from "../option-shapes.ts";
import { toTimestamp } from "../ports/clock.ts";
import { createId, type Random } from "../ports/random.ts";
import type { Keep, SessionAppend } from "../ports/store.ts";
import type { GatheredFacts, GatherFacts } from "./call-facts.ts";
import { decideAsked, digestOfCall, usedUp, withValues } from "./decide-asked.ts";

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
  /** What the caller can do if the call didn't run: change it, wait for a person, or continue without it. */
  readonly class?: RefusalClass;
  /** The name as the caller gave it. */
  readonly tool: string;
  readonly reasons: readonly WordedReason[];
  /** If the session was refused this tool for these reasons before: one sentence for the model, instead of all. */
  readonly repeated?: string;
  readonly faults: readonly Fault[];
  /** The label that this call added to the session; null if none. */
  readonly raises: Label | null;
  /** The session's label after the call was admitted. */
  readonly label: Label;
  readonly approval: RequestedApproval | null;
  /** What a person changed in the call before it ran. */
  readonly edited?: EditedCall;
}

export interface AdmissionContext {
  readonly session: string;
  readonly policy: Policy;
  readonly facts: GatheredFacts;
  readonly random: Random;
  readonly digestKey: KeyObject;
  readonly words: WordTokens;
  /** How long an approval can be answered; by default as the policy says. */
  readonly approvalSeconds: number | undefined;
  readonly mostPending: number;
  readonly requested: RequestedApprovals;
  /** The current standing approvals; left out if they weren't read yet. */
  readonly standing?: StandingSnapshot;
}

/** A call with its arguments made canonical once; the same copy is decided on and run. */
export interface PreparedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly canonical: string;
  /** Facts from whoever runs the call. */
  readonly facts?: GatherFacts;
  /** When the approval that the call waited for expires. */
  readonly waitedUntil?: string;
  /** The process that runs it; left out if the host does. */
  readonly runner?: string;
  /** Only returns the decision: writes nothing except the approval that it requests. */
  readonly isPreview?: true;
  /** The caller runs the arguments that were decided on, even if a person changed them. */
  readonly runsEdited?: true;
  /** A person's changes no longer count. */
  readonly ignoresEdits?: true;
  /** The arguments are a person's instead of the agent's, with the approval of them. */
  readonly edit?: {
    readonly approval: string;
    readonly by: string;
    /** The agent's arguments. */
    readonly instead: PreparedCall["arguments"];
  };
}

/** A call's canonical copy. @throws SluicegateError `unsupported-value` for arguments that have none. */
export function prepareCall(call: Call, facts?: GatherFacts): PreparedCall {
  assertGiven("call", call);
  const { value, text } = canonicalForm(call.arguments ?? {});
  const prepared = { tool: call.tool, arguments: value as PreparedCall["arguments"], canonical: text };
  return facts === undefined ? prepared : { ...prepared, facts };
}

interface Admission {
  /** What the call brings in, if it was admitted. */
  readonly source: Label | null;
  /** The tool's identity; the name as given if it means no tool. */
  readonly tool: string;
  readonly events: readonly SessionEvent[];
  readonly keep: readonly Keep[];
  readonly decision: CallDecision;
  /** The approval whose person changed the call: decide the changed call instead. */
  readonly editedBy?: string;
  /** A person's changes no longer count: nothing is written; decide the agent's own call. */
  readonly isVoidEdit?: true;
  /** An append to another chain: the use of a standing approval. */
  readonly also?: SessionAppend;
  /** Nothing is written: read the standing approvals first. */
  readonly needsStanding?: true;
}

/** Decides one call on the present state, and returns what to write. */
export function admitCall(
  given: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  now: Date,
): Admission {
  const context = withValues(given, call);
  const { policy } = context;
  const at = toTimestamp(now);
  const asked = decideAsked(context, state, call, at);
  const { decision, binding, answered: yes, standing } = asked;
  const callId = createId("call", context.random);
  const digest = digestOfCall(context.digestKey, call);
  const tool = decision.tool?.id ?? call.tool;
  const decided = { decision, callId, digest, tool };
  const detour = findDetour(context, state, call, { decision, binding, yes, at });
  if (detour !== null) {
    const undecided = answer(policy, state, call, callId, decision, {});
    return { tool, source: null, events: [], keep: [], decision: undecided, ...detour };
  }
  if (decision.effect === "allow" && decision.tool) {
    const used = usedUp(context, state, call, asked, at);
    const admitted = admit(policy, state, call, decided, { used, standing, yes });
    return standing === null || binding === null
      ? admitted
      : withUse(context, admitted, { standing, callId, pending: findPending(state, binding, at), at });
  }
  if (binding !== null && decision.effect === "ask") return ask(context, state, call, now, decided, binding);
  return refuse(policy, state, call, decided);
}

type Detour = Pick<Admission, "editedBy" | "isVoidEdit" | "needsStanding">;

interface Asking {
  readonly decision: Decision;
  readonly binding: string | null;
  readonly yes: ApprovalAnswer | null;
  readonly at: string;
}

/** What must be done before the call can be decided. Nothing is written yet. */
function findDetour(
  { standing }: AdmissionContext,
  state: SessionState,
  call: PreparedCall,
  { decision, binding, yes, at }: Asking,
): Detour | null {
  // INVARIANT: changed arguments run only with the approval of them; otherwise the agent's own call needs
  // approval.
  if (call.edit)
    return decision.effect === "allow" && isYes(yes, call.edit.approval) ? null : { isVoidEdit: true };
  if (binding === null || yes !== null) return null;
  const edit = call.runsEdited && !call.ignoresEdits ? editOf(state, binding, at) : null;
  if (edit !== null) return { editedBy: edit.id };
  return standing === undefined && decision.effect !== "allow" ? { needsStanding: true } : null;
}

interface Use {
  readonly standing: string;
  readonly callId: string;
  /** The pending approval of exactly this call. */
  readonly pending: PendingApproval | undefined;
  readonly at: string;
}

/** Adds the use of a standing approval to the entry that admits the call, and ends the pending approval. */
function withUse(
  { session, policy, standing: snapshot }: AdmissionContext,
  admitted: Admission,
  { standing, callId, pending, at }: Use,
): Admission {
  const also = snapshot?.use(standing, { session, call: callId }, { at, policy: policy.version });
  const ended = pending && toEnded(pending, "cancelled");
  const end = pending && keepEnd({ id: pending.id, session, outcome: "cancelled", by: null, at });
  return {
    ...admitted,
    events: [...admitted.events, ...(ended ? [ended] : [])],
    keep: [...admitted.keep, ...(end ?? [])],
    ...(also && { also }),
  };
}

/** The approvals that an admitted call uses. */
interface UsedUp {
  readonly used: { readonly approval?: string; readonly lease?: LeaseUse };
  readonly yes: ApprovalAnswer | null;
  readonly standing: string | null;
}

function admit(
  policy: Policy,
  state: SessionState,
  call: PreparedCall,
  { decision, callId, digest, tool }: Decided,
  { used, yes, standing }: UsedUp,
): Admission {
  const { source } = decision;
  const label = source ? join(state.lattice, state.label, source) : state.label;
  const edited = decision.tool && toEditedCall(call, policy, decision.tool, label);
  const event = {
    kind: "call-admitted",
    call: callId,
    tool,
    arguments: digest,
    source,
    dataset: decision.tool ? dataSetOf(decision.tool) : "",
    label,
    ...used,
    ...(standing !== null && { standing }),
    ...(decision.release && { release: decision.release }),
    ...(call.runner !== undefined && { runner: call.runner }),
    ...(decision.endorsed && { endorsed: decision.endorsed }),
  } as const;
  const raises = label === state.label ? null : source;
  return {
    tool,
    source,
    events: [event],
    keep: yes?.editOf === undefined ? [] : [forgetEdit(yes.id)],
    decision: answer(policy, state, call, callId, decision, { raises, label, ...(edited && { edited }) }),
  };
}

const isYes = (yes: ApprovalAnswer | null, approval: string): boolean =>
  yes?.id === approval && yes.answer === "approved";

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

/** The same call gets the same pending approval; otherwise a new one is requested. */
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
  changed: { raises?: Label | null; label?: Label; approval?: PendingApproval; edited?: EditedCall },
): CallDecision {
  const { approval } = changed;
  const refused = classOfRefusal(decision.reasons, call.tool);
  return {
    callId,
    effect: decision.effect,
    ...(refused && { class: refused }),
    tool: call.tool,
    reasons: wordReasons(policy, decision.reasons, call.tool),
    // Faults of a hidden tool would reveal that it exists.
    faults: decision.reasons.some(({ code }) => code === "hidden") ? [] : decision.faults,
    raises: changed.raises ?? null,
    label: changed.label ?? state.label,
    approval: approval ? { id: approval.id, status: "pending", expiresAt: approval.expires } : null,
    ...(changed.edited && { edited: changed.edited }),
  };
}
