/**
 * A person's answer to an approval: the first one in time becomes an entry of the session's journal, and whoever
 * comes later is told what was decided. Who may answer is the door's business.
 */
import { type ApprovalChannel, type Policy, quoteName, type SessionState } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Ledger, Proposal } from "../journal/ledger.ts";
import { assertGiven } from "../option-shapes.ts";
import { toTimestamp } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { FoldedApprovals } from "./folded-approvals.ts";
import { type ApprovalDetails, type EndedApproval, findApproval, keepEnd } from "./kept-approvals.ts";
import { toExpired } from "./request-approval.ts";

/** What a person says to an approval. */
export interface Answer {
  readonly answer: "approved" | "denied";
  readonly by: string;
  /** By which way; a way that the policy leaves out is refused. Left out: another program's, over the API. */
  readonly via?: ApprovalChannel;
  /** In the person's own words; it goes into the journal. */
  readonly why?: string;
}

/** An approval that a person has answered. */
export interface AnsweredApproval {
  readonly id: string;
  readonly session: string;
  readonly outcome: "approved" | "denied";
  readonly by: string;
  readonly via: string | null;
  readonly at: string;
}

/** What is needed to look at approvals and to end them. */
export interface ApprovalContext {
  readonly store: Store;
  readonly ledgerOf: (session: string) => Ledger;
  readonly policy: () => Pick<Policy, "version" | "approvals">;
  /** Approvals that are known to have been shown: whoever looks at the queue does so again and again. */
  readonly shown: Set<string>;
  readonly folded: FoldedApprovals;
  /** Whether a call of this process is held for an approval at this moment. */
  readonly isHeld: (approval: string) => boolean;
}

/**
 * Answers an approval, durably. The same answer again by the same person is no error.
 * @throws SluicegateError `invalid-request` for what is no answer; `approval-not-found`; `approval-settled`, which says what was decided, for whoever comes
 * later or too late; `forbidden` where the policy leaves this way of answering out; `store-failed` where the answer
 * can't be written, and then it isn't known to count.
 */
export async function answerApproval(
  context: ApprovalContext,
  id: string,
  given: Answer,
): Promise<AnsweredApproval> {
  assertGiven("answer", given);
  const found = await findApproval(context.store, id);
  if (found === null) throw unknownApproval();
  const ended = "ended" in found ? found.ended : await settle(context, found.details, given);
  const { outcome, by, via = null } = ended;
  if (outcome === given.answer && by === given.by) return { ...ended, outcome, by, via };
  throw settled(ended);
}

/** THREAT: a client may answer without its person, so it releases nothing, whatever the policy says. */
function assertWay({ approvals }: Pick<Policy, "approvals">, { via }: Answer, isRelease: boolean): void {
  if (via === undefined) return;
  if (!approvals.via.includes(via)) throw wrongWay(`The policy doesn't let a ${via} answer approvals.`);
  if (via === "client" && isRelease) throw wrongWay("A client can't release data; only a person can.");
}

async function settle(
  context: ApprovalContext,
  details: ApprovalDetails,
  given: Answer,
): Promise<EndedApproval> {
  const { id, session } = details;
  assertWay(context.policy(), given, details.release);
  const ended = await context
    .ledgerOf(session)
    .commit((state, now) =>
      proposeAnswer(state, details, given, { at: toTimestamp(now), policy: context.policy().version }),
    );
  if (ended) return ended;
  // Somebody was faster: the entry that ended it also wrote how.
  const found = await findApproval(context.store, id);
  if (found && "ended" in found) return found.ended;
  throw unknownApproval();
}

function proposeAnswer(
  state: SessionState,
  { id, session, policy }: ApprovalDetails,
  given: Answer,
  now: { readonly at: string; readonly policy: string },
): Proposal<EndedApproval | null> {
  const asked = state.pending.find((one) => one.id === id);
  if (asked === undefined || state.closed) return { events: [], value: null };
  if (asked.expires <= now.at) {
    const ended = { id, session, outcome: "expired", by: null, at: asked.expires } as const;
    return { events: [toExpired(asked)], keep: keepEnd(ended), value: ended };
  }
  if (policy !== now.policy) throw otherPolicy();
  const { answer, by, via, why } = given;
  const ended = { id, session, outcome: answer, by, via: via ?? null, at: now.at } as const;
  const event = { kind: "approval-answered", approval: id, call: asked.call, tool: asked.tool } as const;
  const said = {
    answer,
    by: by.toWellFormed(),
    ...(via && { via }),
    ...(why !== undefined && { why: why.toWellFormed() }),
  };
  return { events: [{ ...event, ...said }], keep: keepEnd(ended), value: ended };
}

export const unknownApproval = (): SluicegateError =>
  new SluicegateError("approval-not-found", "There is no such approval.", {
    why: "The id is malformed, or no call was ever given it.",
    fix: "Look at those that wait: in the console, with `sluicegate pending`, or at `GET /v1/approvals`.",
  });

const HOW: Readonly<Record<EndedApproval["outcome"], string>> = Object.freeze({
  approved: "It was approved",
  denied: "It was denied",
  expired: "It expired, since nobody answered it,",
  closed: "Its session was closed",
  cancelled: "Its agent gave up",
});

function settled({ id, outcome, by, at }: EndedApproval): SluicegateError {
  return new SluicegateError("approval-settled", "This approval is over.", {
    why: `${HOW[outcome]}${by === null ? "" : ` by ${quoteName(by)}`} at ${at}; only the first answer counts.`,
    fix: "Do nothing, or let the agent call again: that asks anew.",
    details: { approval: id, outcome, by, at },
  });
}

const otherPolicy = (): SluicegateError =>
  new SluicegateError("approval-settled", "This approval is void.", {
    why: "The policy has changed since it was asked for, so an answer would reach no call.",
    fix: "Let the agent call again: that asks anew, under the present policy.",
  });

const wrongWay = (why: string): SluicegateError =>
  new SluicegateError("forbidden", "The approval can't be answered this way.", {
    why,
    fix: "Answer it in the console, in a terminal or by the API, or allow the way under `approvals.via` in the policy.",
  });
