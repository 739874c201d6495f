/**
 * The approval of one person if several must approve. It is stored with the pending approval; the last one answers
 * it.
 */
import type { PendingApproval } from "../../core/index.ts";
import type { Proposal } from "../journal/ledger.ts";
import type { Answer } from "./answer-approval.ts";
import { type ApprovalDetails, type EndedApproval, keepQueued } from "./kept-approvals.ts";

/** An approval that others must follow. */
export interface SignedApproval extends Omit<EndedApproval, "outcome" | "by"> {
  readonly outcome: "pending";
  readonly by: string;
  readonly approvers: number;
  readonly signers: readonly string[];
}

/** Adds one person's approval; the same person again changes nothing. */
export function signApproval(
  asked: PendingApproval,
  details: ApprovalDetails,
  given: Answer,
  at: string,
): Proposal<SignedApproval> {
  const { id: approval, call, tool, approvers = 1, signers: before = [] } = asked;
  const { session } = details;
  const { by, via = null } = given;
  const signers = before.includes(by) ? before : [...before, by];
  const signed = { id: approval, session, outcome: "pending", by, via, at, approvers, signers } as const;
  if (signers === before) return { events: [], value: signed };
  const { answer: _, ...said } = toSaid(given);
  return {
    events: [{ kind: "approval-signed", approval, call, tool, ...said }],
    keep: [keepQueued(details, signers)],
    value: signed,
  };
}

/** The answer as it is written to the journal. */
export const toSaid = ({ answer, by, via, why }: Answer) => ({
  answer,
  by: by.toWellFormed(),
  ...(via && { via }),
  ...(why !== undefined && { why: why.toWellFormed() }),
});
