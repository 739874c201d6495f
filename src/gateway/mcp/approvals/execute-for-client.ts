/**
 * A call of an MCP client: if it needs approval, it waits, and the client is told so meanwhile. If the policy allows
 * it, the client's user is asked too, and all other channels stay open; the first answer counts.
 * Older clients are asked while the call waits. Those of revision 2026-07-28 are asked by the call's result, and call
 * again with the answer; nothing of such a call stays in memory.
 */
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { SluicegateError } from "../../../errors/index.ts";
import type { JsonObject, RequestedApproval, Session, WaitingApproval } from "../../../runtime/index.ts";
import { APPROVAL_KEY, type ClientLink, type Execution } from "../../../runtime/internal.ts";
import type { Service } from "../../service.ts";
import {
  type ApprovalQuestion,
  type ClientAnswer,
  describePlaces,
  readAnswer,
  toQuestion,
  untilFirst,
} from "./approval-question.ts";
import { WaitProgress } from "./wait-progress.ts";

/** How a client's user is asked: by the call's result, or while the call waits. */
export type Approver =
  | { readonly kind: "by-result"; seal(approval: string, expiresAt: string): string }
  | { readonly kind: "directly"; ask(params: JsonObject, signal: AbortSignal): Promise<unknown> };

/** A client's answer, for the approval that its state names. */
interface Reply {
  readonly approval: string;
  readonly answer: unknown;
}

/** A client that waits for the result of a call. */
export interface CallingClient {
  readonly link: ClientLink;
  /** Null if it can't be asked. */
  readonly approver: Approver | null;
  readonly reply: Reply | null;
}

/** Thrown instead of a result: the client must answer a question and call again. */
export class InputRequiredError extends Error {
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    super("The client is asked first.");
    this.result = result;
  }
}

interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
}

interface ApprovalRound {
  readonly service: Service;
  readonly session: Session;
  /** The approvals that a client is being asked about: if several calls wait for the same one, only one asks. */
  readonly openQuestions: Set<string>;
}

/** How long a client waits that gets progress. */
const PATIENT_SECONDS = 600;

/**
 * Decides and runs a call for a client.
 * @throws InputRequiredError if the client must answer first; SluicegateError as `execute` does, and
 *   `approval-settled` for a denial after somebody else's approval.
 */
export async function executeForClient(
  at: ApprovalRound,
  call: Call,
  client: CallingClient,
): Promise<Execution> {
  const approver = await takeReply(at, client);
  const { link } = client;
  const progress = new WaitProgress(link);
  const stop = new AbortController();
  let over: AbortController | null = null;
  const endWait = (): void => {
    progress.end();
    over?.abort();
  };
  try {
    const execution = await at.service.execute(at.session, call, {
      link: { ...link, notify: (notice) => progress.notify(notice) },
      waitSeconds: waitSecondsFor(at, link),
      stop: stop.signal,
      onAdmitted: endWait,
      onWaiting: ({ approval }) => {
        if (approval === null) return;
        progress.begin(describeWaiting(at, approval.id));
        over ??= new AbortController();
        const asked = askMeanwhile(at, approval.id, approver, { stop, over: over.signal });
        // If the client can't be asked after all, the other channels remain.
        asked.catch(() => {});
      },
    });
    const { effect, approval } = execution.decision;
    const mayAsk = effect === "ask" && approval !== null && approver?.kind === "by-result";
    if (mayAsk && !link.signal.aborted) await throwQuestion(at, approval, approver);
    return execution;
  } finally {
    endWait();
  }
}

function waitSecondsFor({ service }: ApprovalRound, { progress }: ClientLink): number {
  const { waitSeconds } = service.gate.policy.approvals;
  return waitSeconds > 0 && progress ? Math.max(waitSeconds, PATIENT_SECONDS) : waitSeconds;
}

function describeWaiting({ service }: ApprovalRound, approval: string): string {
  const places = describePlaces(`sluicegate approve ${approval}`, service.gate.policy.approvals.via);
  return `Waits for a person: approval ${approval}, answer it ${places}.`;
}

interface Waiting {
  /** Ends the wait, so that the call's result can ask. */
  readonly stop: AbortController;
  /** Aborts once the call no longer waits. */
  readonly over: AbortSignal;
}

/** Asks the client while its call waits: an older one directly, another one by ending the wait. */
async function askMeanwhile(
  at: ApprovalRound,
  approval: string,
  approver: Approver | null,
  { stop, over }: Waiting,
): Promise<void> {
  const { gate } = at.service;
  if (approver === null || !gate.policy.approvals.via.includes("client")) return;
  if (!(await untilFirst(gate, at.session.id, approval, over))) return;
  const question = await questionFor(at, approval);
  if (question === null || over.aborted) return;
  if (approver.kind === "by-result") return stop.abort();
  if (at.openQuestions.has(approval)) return;
  at.openQuestions.add(approval);
  try {
    await gate.recordShown({ id: approval, session: at.session.id }, "client");
    await answer(at, approval, question, await approver.ask(question.params, over));
  } finally {
    at.openQuestions.delete(approval);
  }
}

/** The question for an approval, if it is the next in its session and the policy allows the client to answer it. */
async function questionFor({ service }: ApprovalRound, id: string): Promise<ApprovalQuestion | null> {
  const found = await service.gate.approval(id);
  return "outcome" in found || found.before > 0 ? null : toClientQuestion(service, found);
}

/** THREAT: a client may answer without asking its user, so it is never asked for a release. */
const toClientQuestion = ({ gate }: Service, approval: WaitingApproval): ApprovalQuestion | null => {
  const { via } = gate.policy.approvals;
  return approval.release || !via.includes("client") ? null : toQuestion(approval, via);
};

async function throwQuestion(
  at: ApprovalRound,
  { id, expiresAt }: RequestedApproval,
  approver: Extract<Approver, { kind: "by-result" }>,
): Promise<void> {
  const question = await questionFor(at, id);
  if (question === null) return;
  await at.service.gate.recordShown({ id, session: at.session.id }, "client");
  // INVARIANT: `resultType` tells the SDK that this isn't a result, so it validates the question.
  throw new InputRequiredError({
    resultType: "input_required",
    inputRequests: { [APPROVAL_KEY]: { method: "elicitation/create", params: { ...question.params } } },
    requestState: approver.seal(id, expiresAt),
  } as unknown as InputRequiredResult);
}

/** Applies the client's answer. Returns how to ask it from now on. */
async function takeReply(at: ApprovalRound, { approver, reply }: CallingClient): Promise<Approver | null> {
  if (reply === null) return approver;
  const found = await at.service.gate.approval(reply.approval);
  const question = "outcome" in found ? OVER : toClientQuestion(at.service, found);
  // If the policy no longer lets the client answer, another channel must.
  if (question === null) return null;
  const said = await answer(at, reply.approval, question, reply.answer);
  return said === "none" ? null : approver;
}

/** For an answer to a question that somebody else has answered. */
const OVER = Object.freeze({ isWhole: true });

/** Records the client's answer; an earlier answer by somebody else remains. */
async function answer(
  { service, session }: ApprovalRound,
  approval: string,
  question: Pick<ApprovalQuestion, "isWhole">,
  given: unknown,
): Promise<ClientAnswer> {
  const said = readAnswer(question, given);
  if (said === "none" || said === "unclear") return said;
  try {
    await service.gate.answerApproval(approval, { answer: said, by: session.principal, via: "client" });
  } catch (cause) {
    const isLate = SluicegateError.isInstance(cause) && cause.code === "approval-settled";
    // A call that its own client denies isn't run, even if somebody else approved it.
    if (!isLate || (said === "denied" && cause.details.outcome === "approved")) throw cause;
  }
  return said;
}
