/** What examines approvals and answers them, wherever they are. */
import type { WireAppeal, WireApproval, WireOutcome, WireStanding } from "./parse-approval.ts";

/** Characters of a person's words; the gateway takes no more. */
export const MAX_WHY_LENGTH = 1000;

/** A person's answer from this terminal. */
export interface TerminalAnswer {
  readonly answer: "approved" | "denied";
  readonly why?: string;
  /** The calls that are approved with it, as they were proposed. */
  readonly standing?: object;
}

export interface ApprovalsSource {
  /** As in "approvals at …". */
  readonly place: string;
  /** The oldest of each session that has one, oldest first. */
  pending(): Promise<readonly WireApproval[]>;
  /** What agents said lately on refused calls, newest first. */
  appeals(): Promise<readonly WireAppeal[]>;
  /** Standing approvals that are in force, oldest first; null without a gateway, which alone tells about them. */
  standing(): Promise<readonly WireStanding[] | null>;
  /**
   * One that waits, or what became of it.
   * @throws SluicegateError `approval-not-found`.
   */
  find(id: string): Promise<WireApproval | WireOutcome>;
  /** One that waits and those that are like it: of one principal, for the same tool and the same reasons. */
  alike(id: string): Promise<readonly WireApproval[]>;
  /** Denies all whose caller has gone; the ids of those that were denied. Without a gateway nobody is known to have gone. */
  denyDeparted(): Promise<readonly string[]>;
  /**
   * Answers one; durable when it resolves.
   * @throws SluicegateError `approval-settled` where it is over already, `approval-not-found`.
   */
  answer(id: string, given: TerminalAnswer): Promise<WireOutcome>;
  close(): Promise<void>;
}

/** Whether an approval still waits. */
export const isWaiting = (found: WireApproval | WireOutcome): found is WireApproval => "tool" in found;
