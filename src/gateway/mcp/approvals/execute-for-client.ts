/**
 * A call of an MCP client: held until a person has answered, where it asks, and told about meanwhile. Where the policy
 * lets the client answer, its own person is asked as well, while every other way stays open; the first answer counts.
 *
 * Older clients are asked while the call is held. Those of revision 2026-07-28 are asked by the call's result, and
 * call again with the answer; nothing of such a call stays in memory.
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

/** How a client's person is asked for an approval: by the call's result, or while the call is held. */
export type Approver =
  | { readonly kind: "by-result"; seal(approval: string, expiresAt: string): string }
  | { readonly kind: "directly"; ask(params: JsonObject, signal: AbortSignal): Promise<unknown> };

/** An answer that a client brought back, for the approval that its state names. */
export interface Reply {
  readonly approval: string;
  readonly answer: unknown;
}

/** A client that waits for the result of a call. */
export interface CallingClient {
  readonly link: ClientLink;
  /** Null for one that can't be asked. */
  readonly approver: Approver | null;
  readonly reply: Reply | null;
}

/** Thrown in place of a result: the client is to answer a question and to call again. */
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
  /** The approvals that a client is being asked for now: one call of several that wait for the same one asks. */
  readonly openQuestions: Set<string>;
}

/** How long a client waits that is told about progress. */
const PATIENT_SECONDS = 600;

/**
 * Decides and runs a call for a client.
 * @throws InputRequiredError where the client is to answer first; SluicegateError as `execute` does, and `approval-settled`
 * for a denial that comes after somebody else's yes.
 */
export async function executeForClient(
  at: ApprovalRound,
  call: Call,
  client: CallingClient,
): Promise<Execution> {
  const approver = await takeReply(at, client);
  const { link } = client;
  const progress = new WaitProgress(link);
  const [stop, over] = [new AbortController(), new AbortController()];
  const endWait = (): void => {
    progress.end();
    over.abort();
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
        const asked = askMeanwhile(at, approval.id, approver, { stop, over: over.signal });
        // A client that can't be asked after all leaves the other ways.
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
  /** Ends the holding, so that the call's result can ask. */
  readonly stop: AbortController;
  /** Aborts once the call is held no longer. */
  readonly over: AbortSignal;
}

/** Asks the client while its call is held; an older one directly, another by ending the holding. */
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

/** The question that an approval is, where it is the next in its session and the policy lets the client answer it. */
async function questionFor({ service }: ApprovalRound, id: string): Promise<ApprovalQuestion | null> {
  const found = await service.gate.approval(id);
  return "outcome" in found || found.before > 0 ? null : toClientQuestion(service, found);
}

/** THREAT: a client may answer without its person, so no release is put to it. */
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
  // INVARIANT: `resultType` tells the SDK that this is no result; it checks the question.
  throw new InputRequiredError({
    resultType: "input_required",
    inputRequests: { [APPROVAL_KEY]: { method: "elicitation/create", params: { ...question.params } } },
    requestState: approver.seal(id, expiresAt),
  } as unknown as InputRequiredResult);
}

/** Takes the answer that a client brought back. Returns how it is asked from here on. */
async function takeReply(at: ApprovalRound, { approver, reply }: CallingClient): Promise<Approver | null> {
  if (reply === null) return approver;
  const found = await at.service.gate.approval(reply.approval);
  const question = "outcome" in found ? OVER : toClientQuestion(at.service, found);
  // What the policy doesn't let the client answer any more waits for somebody else.
  if (question === null) return null;
  const said = await answer(at, reply.approval, question, reply.answer);
  return said === "none" ? null : approver;
}

/** Of a question that somebody else has answered nothing is left but what the client says to it. */
const OVER = Object.freeze({ isWhole: true });

/** Answers an approval as the client said; somebody else's answer that came first holds. */
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
    // A call that its own client doesn't want isn't run, whoever else said yes to it.
    if (!isLate || (said === "denied" && cause.details.outcome === "approved")) throw cause;
  }
  return said;
}
