/**
 * The approvals of a session: which calls wait for an answer, which were answered, and what an answer means for
 * a call. An answer is bound to one call by a digest that the runtime computes; here it is compared.
 *
 * requested ─▶ pending ─▶ approved ─▶ consumed by the entry that admits its call
 *                │  ╰───▶ denied        (a denial counts until it expires)
 *                ╰──────▶ expired, cancelled
 *
 * Of a session's pending approvals the oldest is the one to be shown; the others queue behind it.
 */

import type { Rule } from "../policy/rules.ts";
import type { Tool } from "../tools/tool.ts";
import type { Lease, LeasedStep } from "./lease.ts";
import { type AskCause, NO_REASONS, type Reason } from "./reason.ts";

/** An `ask` that waits for a person. */
export interface PendingApproval {
  readonly id: string;
  readonly call: string;
  readonly tool: string;
  /** What an answer is bound to: a keyed digest of everything that identifies this call. */
  readonly binding: string;
  readonly at: string;
  readonly expires: string;
  /** Whether an approval would release data that may not flow to the tool. */
  readonly release: boolean;
  /** Whether it was shown to somebody who may answer it. */
  readonly shown: boolean;
  /** How many different people must approve; left out if one is enough. */
  readonly approvers?: number;
  /** Those who have approved, if that isn't enough yet. */
  readonly signers?: readonly string[];
  /** The steps of the plan that it is for; left out if it is for one call. */
  readonly steps?: readonly LeasedStep[];
}

/** A person's answer that still counts: an approval until it is used or expires, a denial until it expires. */
export interface ApprovalAnswer {
  readonly id: string;
  readonly binding: string;
  readonly answer: "approved" | "denied";
  readonly expires: string;
  /** Set if the approver changed the call: the binding of the original call. `binding` is the changed one's. */
  readonly editOf?: string;
}

/** The approvals of a session. */
export interface Approvals {
  readonly pending: readonly PendingApproval[];
  readonly answers: readonly ApprovalAnswer[];
  /** The plans that were approved. */
  readonly leases: readonly Lease[];
}

/** What identifies this exact call, so that a person's answer applies to no other. */
export interface Asked {
  /** The digest that an approval of it is bound to. */
  readonly binding: string;
  /** Now, RFC 3339. */
  readonly at: string;
  /** When the approval that the call waited for expires. */
  readonly waitedUntil?: string;
  /** The call is a step of an approved plan, and nothing has changed since. */
  readonly isLeased?: true;
  /** A standing approval that covers the call. */
  readonly standing?: string;
}

interface AskedFor extends Pick<PendingApproval, "call" | "binding" | "expires" | "approvers"> {
  readonly approval: string;
  readonly release?: boolean;
}

/** The pending approval after its entry is written. */
export function toPending(
  { approval: id, call, binding, expires, release = false, approvers }: AskedFor,
  tool: string,
  at: string,
): PendingApproval {
  return { id, call, tool, binding, at, expires, release, shown: false, ...(approvers && { approvers }) };
}

/** Adds a pending approval, and drops those that have expired. */
export function addPending(approvals: Approvals, asked: PendingApproval): Approvals {
  const { pending, answers, leases } = approvals;
  return { pending: [...pending.filter((one) => one.expires > asked.at), asked], answers, leases };
}

/** Marks one as shown to somebody. */
export function markShown({ pending, answers, leases }: Approvals, id: string): Approvals {
  return { pending: pending.map((one) => (one.id === id ? { ...one, shown: true } : one)), answers, leases };
}

/** Adds one more person who has approved, if that isn't enough yet. */
export function addSigner(
  { pending, answers, leases }: Approvals,
  { approval, by }: { readonly approval: string; readonly by: string },
): Approvals {
  const sign = (one: PendingApproval): PendingApproval =>
    one.id === approval ? { ...one, signers: [...new Set([...(one.signers ?? []), by])] } : one;
  return { pending: pending.map(sign), answers, leases };
}

/** How many more people must approve after this one. */
export const missingAfter = (
  { approvers = 1, signers = [] }: Pick<PendingApproval, "approvers" | "signers">,
  by: string,
): number => Math.max(0, approvers - new Set([...signers, by]).size);

/** How many different people must approve a call of this tool for these reasons. */
export function approversOf(
  {
    approvals,
    rules,
  }: { readonly approvals: { readonly approvers: number }; readonly rules: readonly Rule[] },
  tool: Pick<Tool, "approvers"> | null,
  reasons: readonly Reason[],
): number {
  const asking = new Set(reasons.flatMap((reason) => (reason.code === "rule-asks" ? [reason.rule] : [])));
  const ofRules = rules.flatMap(({ name, approvers = 1 }) => (asking.has(name) ? [approvers] : []));
  return Math.max(approvals.approvers, tool?.approvers ?? 1, ...ofRules);
}

/** Removes one that has expired or was cancelled, with its answer. */
export function endApproval({ pending, answers, leases }: Approvals, id: string): Approvals {
  const others = <Kept extends { readonly id: string }>(all: readonly Kept[]): readonly Kept[] =>
    all.filter((one) => one.id !== id);
  return { pending: others(pending), answers: others(answers), leases: others(leases) };
}

/** The pending approvals at a given time, in the order in which they are shown. */
export const waitingAt = ({ pending }: Approvals, at: string): readonly PendingApproval[] =>
  pending.filter(({ expires }) => expires > at);

interface Answering {
  readonly approval: string;
  readonly answer: ApprovalAnswer["answer"];
  readonly by: string;
  /** The digest that binds the call as its approver changed it. */
  readonly edited?: { readonly binding: string };
}

/** Adds a person's answer; unchanged if it answers nothing that is pending. */
export function addAnswer(
  { pending, answers, leases }: Approvals,
  { approval: id, answer, by, edited }: Answering,
  at: string,
): Approvals {
  const asked = pending.find((one) => one.id === id);
  // INVARIANT: the first answer counts, and only in time; nothing else ever becomes an approval.
  if (asked === undefined || asked.expires <= at) return { pending, answers, leases };
  // INVARIANT: if several people must approve, no entry counts as an approval before they have.
  if (answer === "approved" && missingAfter(asked, by) > 0) return { pending, answers, leases };
  const { binding, expires, steps } = asked;
  const left = pending.filter((one) => one !== asked);
  const counting = answers.filter((one) => one.expires > at);
  if (answer === "approved" && steps !== undefined) {
    const others = leases.filter((one) => one.expires > at);
    const lease = Object.freeze({ id, binding, expires, steps, used: Object.freeze([]) });
    return { pending: left, answers: counting, leases: [...others, lease] };
  }
  const bound = edited ? { binding: edited.binding, editOf: binding } : { binding };
  return {
    pending: left,
    answers: [...counting, Object.freeze({ id, ...bound, answer, expires })],
    leases,
  };
}

/** The answer that counts for a call with this binding at a time; a denial takes precedence. */
export function answerTo({ answers }: Approvals, binding: string, at: string): ApprovalAnswer | null {
  const counting = answers.filter((one) => one.binding === binding && one.expires > at);
  return counting.find(({ answer }) => answer === "denied") ?? counting[0] ?? null;
}

/** The approval under which a changed call runs instead of the one with this binding. */
export const editOf = ({ answers }: Approvals, binding: string, at: string): ApprovalAnswer | null =>
  answers.findLast((one) => one.editOf === binding && one.answer === "approved" && one.expires > at) ?? null;

/**
 * The reasons for a missing approval, if these causes require one: none if an unused approval is bound to exactly
 * this call.
 */
export function approvalReasons(
  approvals: Approvals,
  tool: Tool,
  causes: readonly AskCause[],
  asked: Asked | undefined,
): readonly Reason[] {
  if (causes.length === 0) return NO_REASONS;
  const answer = asked ? answerTo(approvals, asked.binding, asked.at)?.answer : undefined;
  if (answer === "approved") return NO_REASONS;
  if (answer === "denied") return [{ code: "approval-denied", tool: tool.name }];
  if (asked?.isLeased || asked?.standing !== undefined) return NO_REASONS;
  if (asked?.waitedUntil !== undefined && asked.waitedUntil <= asked.at) {
    return [{ code: "approval-expired", tool: tool.name }];
  }
  return causes.map((because) => ({ code: "approval-required", tool: tool.name, because }));
}
