/** A person's answer by the id of an approval: what `sluicegate approve` and `sluicegate deny` have in common. */
import { SluicegateError } from "../../errors/index.ts";
import { OPERATOR } from "../../runtime/gate-options.ts";
import { exitWithFailure, printJson, printLine, printLines, styled } from "../terminal/terminal.ts";
import type { Whereabouts } from "../wiring/gateway-client.ts";
import { approvalLines, outcomeWords } from "./approval-words.ts";
import { type ApprovalsSource, isWaiting, MAX_WHY_LENGTH, type TerminalAnswer } from "./approvals-source.ts";
import { openApprovals } from "./open-approvals.ts";
import type { WireApproval, WireOutcome } from "./parse-approval.ts";

export interface AnswerOptions extends Whereabouts {
  readonly why?: string;
  readonly json?: true;
}

const tooLong = (): SluicegateError =>
  new SluicegateError("usage", "`--why` is too long.", {
    why: `It goes into the journal, where it has at most ${MAX_WHY_LENGTH} characters.`,
    fix: "Say it shorter.",
  });

/** Prints an approval and answers it; says no, with what was decided, where somebody else was first. */
export async function answerById(
  id: string,
  answer: TerminalAnswer["answer"],
  { why, json, ...whereabouts }: AnswerOptions,
): Promise<void> {
  if (why !== undefined && why.length > MAX_WHY_LENGTH) throw tooLong();
  const source = await openApprovals(whereabouts);
  try {
    const found = await source.find(id);
    const approval = isWaiting(found) ? found : null;
    if (approval && !json) printLines(approvalLines(approval));
    const given = { answer, ...(why !== undefined && { why }) };
    const { isOwn, ...outcome } = isWaiting(found)
      ? await settle(source, id, given)
      : { ...found, isOwn: found.answered_by === OPERATOR };
    tell({ wanted: answer, isOwn, outcome, approval, json: json === true });
  } finally {
    await source.close();
  }
}

/** Answers it; where somebody was faster, what that one said. */
export async function settle(
  source: ApprovalsSource,
  id: string,
  given: TerminalAnswer,
): Promise<WireOutcome & { readonly isOwn: boolean }> {
  try {
    return { ...(await source.answer(id, given)), isOwn: true };
  } catch (cause) {
    if (!SluicegateError.isInstance(cause) || cause.code !== "approval-settled") throw cause;
    const found = await source.find(id);
    if (isWaiting(found)) throw cause;
    return { ...found, isOwn: found.answered_by === OPERATOR };
  }
}

const MEANS = {
  approved: "that very call may run, once.",
  denied: "the agent is told, and the call doesn't run.",
} as const;

interface Told {
  readonly wanted: TerminalAnswer["answer"];
  /** Whether it was this answer that ended it. */
  readonly isOwn: boolean;
  readonly outcome: WireOutcome;
  readonly approval: WireApproval | null;
  readonly json: boolean;
}

function tell({ wanted, isOwn, outcome, approval, json }: Told): void {
  const isCounted = isOwn && outcome.status === "pending";
  const isDone = isOwn && outcome.status === wanted;
  if (!isDone && !isCounted) exitWithFailure();
  if (json) printJson({ ...outcome, approval });
  else if (isCounted) printLine(styled("green", outcomeWords(outcome)), ".");
  else if (!isDone || approval === null) {
    printLine(styled("yellow", "over already"), `: ${outcomeWords(outcome)}, at ${outcome.ended_at}.`);
  } else printLine(styled(wanted === "approved" ? "green" : "red", wanted), `: ${MEANS[wanted]}`);
}
