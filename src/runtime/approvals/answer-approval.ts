/**
 * Records a person's answer to an approval. The first answer in time becomes an entry of the session's journal; later
 * ones get the outcome. The caller checks who may answer.
 */
import {
  type ApprovalChannel,
  type EditedArguments,
  missingAfter,
  type PendingApproval,
  type Policy,
  quoteName,
  type SessionState,
  type StandingApproval,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { type AdmissionContext, type PreparedCall, prepareCall } from "../calls/admission.ts";
import type { GatheredFacts } from "../calls/call-facts.ts";
import { type JudgedEdit, judgeEdit } from "../calls/decide-asked.ts";
import type { Ledger, Proposal } from "../journal/ledger.ts";
import { retryConflicts } from "../journal/retry-conflicts.ts";
import { assertGiven } from "../option-shapes.ts";
import { toTimestamp } from "../ports/clock.ts";
import { createId } from "../ports/random.ts";
import type { Keep, Store } from "../ports/store.ts";
import type { Callers } from "./approval-order.ts";
import { forgetExpiredEdits, keepEdit } from "./edit-approval.ts";
import type { FoldedApprovals } from "./folded-approvals.ts";
import {
  type StandingOffer,
  type StandingRequest,
  standingRefused,
  toOffer,
  toStanding,
} from "./give-standing.ts";
import { type ApprovalDetails, type EndedApproval, findApproval, keepEnd } from "./kept-approvals.ts";
import { keepAnswered, readApproved } from "./propose-standing.ts";
import { MAX_KEPT_LENGTH, toExpired } from "./request-approval.ts";
import { type SignedApproval, signApproval, toSaid } from "./sign-approval.ts";
import type { StandingApprovals, StandingSnapshot } from "./standing-approvals.ts";

/** A person's answer to an approval. */
export interface Answer {
  readonly answer: "approved" | "denied";
  readonly by: string;
  /** The channel, which the policy must allow. Left out: another program, over the API. */
  readonly via?: ApprovalChannel;
  /** The person's comment, which goes into the journal. */
  readonly why?: string;
  /** All arguments that the call is to run with, in place of the agent's. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Which similar calls run without further approval. */
  readonly standing?: StandingRequest;
}

/** An approval that a person has answered. */
export interface AnsweredApproval {
  readonly id: string;
  readonly session: string;
  /** `pending`: this approval counts, and more people must approve. */
  readonly outcome: "approved" | "denied" | "pending";
  readonly by: string;
  readonly via: string | null;
  readonly at: string;
  /** How many different people must approve, and those who have; left out if one is enough. */
  readonly approvers?: number;
  readonly signers?: readonly string[];
  /** Paths of the arguments that the person changed. */
  readonly changed?: readonly string[];
  /** The standing approval that was created with it. */
  readonly standing?: string;
}

/** What is needed to examine approvals and to end them. */
export interface ApprovalContext {
  readonly store: Store;
  readonly ledgerOf: (session: string) => Ledger;
  readonly policy: () => Policy;
  /** Approvals known to have been shown: the queue is read repeatedly, and each is recorded once. */
  readonly shown: Set<string>;
  readonly folded: FoldedApprovals;
  /** The callers in this process that wait for an approval now. */
  readonly callers: Callers;
  readonly admission: Omit<AdmissionContext, "session" | "policy" | "facts">;
  readonly standing: StandingApprovals;
  /** The facts of a call of a session, as of now. */
  readonly factsOf: (ledger: Ledger, call: PreparedCall) => Promise<GatheredFacts>;
}

/**
 * Answers an approval, durably. The same answer again by the same person is no error.
 * @throws SluicegateError `invalid-request` for an invalid answer; `approval-not-found`; `approval-settled` with the
 *   outcome, if somebody was faster or it has expired; `edit-refused` for changed arguments that can't run (the
 *   approval stays pending); `forbidden` if the policy doesn't allow this channel; `store-failed` if the answer can't
 *   be written, so that it may not count.
 */
export async function answerApproval(
  context: ApprovalContext,
  id: string,
  given: Answer,
): Promise<AnsweredApproval> {
  assertGiven("answer", given);
  const found = await findApproval(context.store, id);
  if (found === null) throw unknownApproval();
  if ("ended" in found) assertNoMore(given, found.ended);
  const ended = "ended" in found ? found.ended : await settle(context, found.details, given);
  const { outcome, by, via = null } = ended;
  if (outcome === "pending") return { ...ended, outcome, via };
  const isOwn = by === given.by || ended.signers?.includes(given.by) === true;
  if (outcome === given.answer && by !== null && isOwn) return { ...ended, outcome, by, via };
  throw settled(ended);
}

/**
 * What an approval with `standing` would also admit, in words. Changes nothing.
 * @throws SluicegateError `invalid-request`, `approval-not-found`, `approval-settled`, `standing-refused`
 */
export async function offerStanding(
  { store, ledgerOf, policy }: ApprovalContext,
  id: string,
  request: StandingRequest,
  now: Date,
): Promise<StandingOffer> {
  assertGiven("standing", request);
  const found = await findApproval(store, id);
  if (found === null) throw unknownApproval();
  if ("ended" in found) throw settled(found.ended);
  const { details } = found;
  const ledger = ledgerOf(details.session);
  await ledger.refresh();
  return toOffer(request, { policy: policy(), state: ledger.state, details, now });
}

/** Changed arguments and standing approvals are refused once the call is over. */
function assertNoMore({ arguments: args, standing }: Answer, ended: EndedApproval): void {
  if (args !== undefined || standing !== undefined) throw settled(ended);
}

/** THREAT: a client may answer without asking its user, so it can't release anything, whatever the policy says. */
function assertWay(
  { approvals }: Pick<Policy, "approvals">,
  { via, answer, by }: Answer,
  { release: isRelease, principal, approvers = 1 }: ApprovalDetails,
): void {
  if (answer === "approved" && !approvals.own && by === principal) throw ownCall();
  if (via === undefined) return;
  if (!approvals.via.includes(via)) throw wrongWay(`The policy doesn't let a ${via} answer approvals.`);
  if (via === "client" && isRelease) throw wrongWay("A client can't release data; only a person can.");
  if (via === "client" && approvers > 1) throw wrongWay("It takes several people, and a client is none.");
}

async function settle(
  context: ApprovalContext,
  details: ApprovalDetails,
  given: Answer,
): Promise<EndedApproval | SignedApproval> {
  const { id, session } = details;
  assertWay(context.policy(), given, details);
  const ledger = context.ledgerOf(session);
  const edit = given.arguments && (await prepareEdit(context, ledger, details, given));
  if (given.standing) assertMayStand(given, details);
  return retryConflicts("The approval could not be answered.", async () => {
    const snapshot = await context.standing.read();
    const approved = await readApproved(context.store, session);
    const ended = await commitAnswer(context, details, given, { edit, snapshot, approved });
    if (ended === "conflict") return null;
    if (ended) return ended;
    // Another answer was faster: the entry that ended the approval also stored the outcome.
    const found = await findApproval(context.store, id);
    if (!found || !("ended" in found)) throw unknownApproval();
    assertNoMore(given, found.ended);
    return found.ended;
  });
}

interface AnswerParts {
  readonly edit: { readonly call: PreparedCall; readonly facts: GatheredFacts } | undefined;
  readonly snapshot: StandingSnapshot;
  /** The last approved calls of the session. */
  readonly approved: Awaited<ReturnType<typeof readApproved>>;
}

/** The outcome; null if the approval was over already; `conflict` if the standing approvals changed meanwhile. */
function commitAnswer(
  context: ApprovalContext,
  details: ApprovalDetails,
  given: Answer,
  { edit, snapshot, approved }: AnswerParts,
): Promise<EndedApproval | SignedApproval | "conflict" | null> {
  const { session } = details;
  let isRepeated = false;
  return context
    .ledgerOf(session)
    .commit<EndedApproval | SignedApproval | "conflict" | null>((state, now) => {
      if (isRepeated) return { events: [], value: "conflict" };
      isRepeated = true;
      const at = toTimestamp(now);
      const policy = context.policy();
      const judge = (): JudgedEdit | null =>
        edit ? judgeEdit({ ...context.admission, ...edit, session, policy }, state, edit.call, at) : null;
      const said = edit ? { ...given, arguments: edit.call.arguments } : given;
      const id = createId("stand", context.admission.random);
      const give = () =>
        given.standing ? toStanding(given.standing, { id, policy, state, details, by: given.by, now }) : null;
      const like = keepAnswered(policy, approved, details, given, now);
      return proposeAnswer(state, details, said, { at, policy: policy.version, judge, give, snapshot, like });
    });
}

/** THREAT: a client may answer without asking its user. */
function assertMayStand({ answer, arguments: args, via }: Answer, { approvers = 1 }: ApprovalDetails): void {
  if (approvers > 1) throw standingRefused(`Each such call takes the yes of ${approvers} people.`);
  if (via === "client") throw wrongWay("A client can't approve calls in advance; only a person can.");
  if (answer === "denied") throw standingRefused("The call is denied, and calls like it with it.");
  if (args !== undefined)
    throw standingRefused("It is for calls like the one that was asked about, and this one is changed.");
}

interface AnswerMoment {
  readonly at: string;
  readonly policy: string;
  readonly judge: () => JudgedEdit | null;
  readonly give: () => StandingApproval | null;
  readonly snapshot: StandingSnapshot;
  /** What is stored for similar calls. */
  readonly like: readonly Keep[];
}

/** Everybody who approved, if several had to. */
const toSigners = ({ signers }: PendingApproval, { answer, by }: Answer) =>
  answer === "approved" && signers ? { signers: [...signers, by] } : {};

function proposeAnswer(
  state: SessionState,
  details: ApprovalDetails,
  given: Answer,
  now: AnswerMoment,
): Proposal<EndedApproval | SignedApproval | null> {
  const { id, session, policy } = details;
  const { answer, by } = given;
  const asked = state.pending.find((one) => one.id === id);
  if (asked === undefined || state.closed) return { events: [], value: null };
  if (asked.expires <= now.at) {
    const ended = { id, session, outcome: "expired", by: null, at: asked.expires } as const;
    return { events: [toExpired(asked)], keep: keepEnd(ended), value: ended };
  }
  if (policy !== now.policy) throw otherPolicy();
  if (answer === "approved" && missingAfter(asked, by) > 0)
    return signApproval(asked, details, given, now.at);
  return proposeEnd(state, asked, { details, given, now });
}

interface Ending {
  readonly details: ApprovalDetails;
  readonly given: Answer;
  readonly now: AnswerMoment;
}

function proposeEnd(
  state: SessionState,
  asked: PendingApproval,
  { details, given, now }: Ending,
): Proposal<EndedApproval> {
  const { id, session } = details;
  const { answer, by, via } = given;
  const judged = now.judge();
  const edited = judged && toEdited(judged, details);
  const standing = now.give();
  const denied = answer === "denied" ? { ...details, role: state.role } : null;
  const toWrite = standing ? now.snapshot.give(standing, now) : denied && now.snapshot.deny(denied, now);
  const ended = {
    id,
    session,
    outcome: answer,
    by,
    via: via ?? null,
    at: now.at,
    ...(edited && { changed: edited.changed }),
    ...(standing && { standing: standing.id }),
    ...toSigners(asked, given),
  } as const;
  const event = { kind: "approval-answered", approval: id, call: asked.call, tool: asked.tool } as const;
  const said = {
    ...toSaid(given),
    ...(edited && { edited }),
    ...(standing && { standing: standing.id }),
  };
  const kept = edited && given.arguments ? [keepEdit(id, { arguments: given.arguments, by })] : [];
  const keep = [
    ...keepEnd(ended),
    ...forgetExpiredEdits(state, now.at),
    ...kept,
    ...now.like,
    ...(toWrite?.keep ?? []),
  ];
  return { events: [{ ...event, ...said }], keep, value: ended, ...(toWrite && { also: toWrite.also }) };
}

/** The changed call, with its current facts. */
async function prepareEdit(
  { factsOf }: ApprovalContext,
  ledger: Ledger,
  { tool, arguments: instead, editable, id: approval, plan, approvers = 1 }: ApprovalDetails,
  { arguments: args = {}, answer, via, by }: Answer,
): Promise<{ readonly call: PreparedCall; readonly facts: GatheredFacts }> {
  if (answer === "denied")
    throw editRefused("A call that is denied doesn't run, so nothing of it can be changed.");
  // THREAT: a client may answer without asking its user.
  if (via === "client") throw wrongWay("A client can't change a call; only a person can.");
  if (plan !== undefined) throw editRefused(IS_PLAN);
  if (approvers > 1) throw editRefused("Several people must say yes to it, each to the same call.");
  if (editable !== true) throw editRefused(RUNS_ITSELF);
  const call = { ...prepareCall({ tool, arguments: args }), edit: { approval, by, instead } };
  if (call.canonical.length > MAX_KEPT_LENGTH) throw editRefused(TOO_LONG);
  await ledger.refresh();
  return { call, facts: await factsOf(ledger, call) };
}

const NOT_SHOWN =
  "Changed like this it needs an approval for a reason that the call as it was asked for didn't have.";

const IS_PLAN =
  "It is for a plan, whose calls run as they were shown or not at all; the agent can propose another.";

const TOO_LONG = `The changed arguments are longer than ${MAX_KEPT_LENGTH} characters.`;

const RUNS_ITSELF =
  "Whoever runs it runs the arguments that it asked with: a call that the agent runs itself (by a hook or `decide`), or one whose caller looks into its arguments.";

/**
 * @throws SluicegateError `edit-refused` for changed arguments that are denied, or that need approval for a new
 *   reason.
 */
function toEdited(
  { decision, reasons, causes, binding, digest, changed }: JudgedEdit,
  shown: ApprovalDetails,
): EditedArguments {
  const codes = decision.reasons.map(({ code }) => code);
  const faults = decision.faults.map(({ message }) => message);
  if (faults.length > 0) throw editRefused(faults.join(" "), { reasons: codes });
  if (decision.effect === "deny" || binding === null)
    throw editRefused(`It would be denied. ${reasons.join(" ")}`, { reasons: codes });
  const more = causes.filter((cause) => !shown.causes?.includes(cause));
  if (more.length > 0) throw editRefused(NOT_SHOWN, { causes: more });
  return { arguments: digest, binding, changed };
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
    fix: "Do nothing, or let the agent call again, which requests a new approval.",
    details: { approval: id, outcome, by, at },
  });
}

const editRefused = (why: string, details: Record<string, unknown> = {}): SluicegateError =>
  new SluicegateError("edit-refused", "The call can't be changed like this.", {
    why,
    fix: "Change something else, approve the call as it is, or deny it; it still waits.",
    details,
  });

const otherPolicy = (): SluicegateError =>
  new SluicegateError("approval-settled", "This approval is void.", {
    why: "The policy has changed since the approval was requested, so an answer would have no effect.",
    fix: "Let the agent call again, which requests a new approval under the present policy.",
  });

const ownCall = (): SluicegateError =>
  new SluicegateError("forbidden", "Nobody approves a call of their own agent here.", {
    why: "The session works for whoever answers, and the policy says `own: false` under `approvals`.",
    fix: "Let somebody else answer it, or deny it.",
  });

const wrongWay = (why: string): SluicegateError =>
  new SluicegateError("forbidden", "The approval can't be answered this way.", {
    why,
    fix: "Answer it in the console, in a terminal or by the API, or allow this channel under `approvals.via` in the policy.",
  });
