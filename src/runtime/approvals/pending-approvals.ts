/**
 * Lists pending approvals. One is shown per session; the others of the session queue behind it. Expired ones are
 * ended on the way.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { waitingAt } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { parseJson } from "../../json/parse-json.ts";
import { inTurns, NOBODY } from "../../threads/index.ts";
import { toTimestamp } from "../ports/clock.ts";
import { type Answer, type ApprovalContext, answerApproval, unknownApproval } from "./answer-approval.ts";
import { type ApprovalPlace, orderByTurns, orderInSession } from "./approval-order.ts";
import { type FoldedApproval, type FoldedPart, foldApproval } from "./fold-approval.ts";
import type { StandingOffer } from "./give-standing.ts";
import {
  type ApprovalDetails,
  allQueued,
  type EndedApproval,
  findApproval,
  keepEnd,
  type QueuedApproval,
  readDetails,
  readQueued,
} from "./kept-approvals.ts";
import { proposeStanding } from "./propose-standing.ts";
import { toExpired } from "./request-approval.ts";

/** A pending approval, and its position among those of its session. */
export interface WaitingApproval
  extends ApprovalDetails,
    Pick<ApprovalPlace, "before" | "behind" | "callerWaits" | "callerGone" | "signers"> {
  /** What is truncated in its arguments and preview; empty unless truncation was requested. */
  readonly folded: readonly FoldedPart[];
  /** The standing approval to propose; null unless it is shown, and a person approved three similar calls. */
  readonly proposal: StandingOffer | null;
  /**
   * How many others of the same principal, tool and reasons are pending; they may be answered together. For an
   * approval that is read by its id, those of its session.
   */
  readonly alike: number;
}

/** Which approvals are listed, and how much of each. */
export interface ListOptions {
  /** Only the first of each session. */
  readonly firstOnly?: boolean;
  /** Only those that queue behind the first of their session. */
  readonly behindOnly?: boolean;
  /** Only those similar to the one with this id, which is included. */
  readonly like?: string;
  /** Approvals to skip. */
  readonly offset?: number;
  /** Length of the list; 500 by default and at most. */
  readonly limit?: number;
  /** Truncate texts to this length, and show only the first of many values; by default nothing is truncated. */
  readonly fold?: number;
}

const MAX_LISTED = 500;
/** Expired approvals that are ended at once. */
const MAX_ENDED_AT_ONCE = 100;
/** Characters of details read in one turn of the event loop. */
const PAGE_LENGTH = 1024 * 1024;
/** Characters of details in one list; a single longer approval is listed whole. */
const MAX_LENGTH = 4 * PAGE_LENGTH;

/** Approvals remembered as shown. */
const MAX_SHOWN = 10_000;

type Place = Pick<WaitingApproval, "alike"> &
  Pick<ApprovalPlace, "before" | "behind" | "callerWaits" | "callerGone" | "signers">;

/**
 * The approvals of all sessions that are pending at a time (RFC 3339): the first of each principal, then the
 * second of each, and so on; a principal's in the same way by label holder.
 */
export async function pendingApprovals(
  context: ApprovalContext,
  now: string,
  { firstOnly = false, behindOnly = false, like, offset = 0, limit = MAX_LISTED, fold = 0 }: ListOptions = {},
): Promise<readonly WaitingApproval[]> {
  const all = await allQueued(context.store);
  const expired = all.filter(({ expiresAt }) => expiresAt <= now);
  for (let at = 0; at < expired.length; at += MAX_ENDED_AT_ONCE) {
    const part = expired.slice(at, at + MAX_ENDED_AT_ONCE);
    // A journal that can't be written must not hide the others; it is tried again with the next list.
    await Promise.allSettled(part.map((queued) => expire(context, queued)));
  }
  const waiting = waitingOf(context, all, now);
  context.folded.forgetAllBut(waiting);
  await nextTurn();
  const kind = like === undefined ? null : (waiting.find(({ id }) => id === like)?.kind ?? like);
  const ordered = await inTurns(NOBODY, orderByTurns(waiting, context.callers));
  const chosen = ordered.filter(
    (one) =>
      !(firstOnly && one.before > 0) &&
      !(behindOnly && one.before === 0) &&
      (kind === null || one.kind === kind || one.id === kind),
  );
  const page = chosen.slice(offset, offset + Math.min(limit, MAX_LISTED));
  return withDetails(context, page, { fold, now, kinds: countKinds(waiting) });
}

const waitingOf = (
  { policy }: ApprovalContext,
  all: readonly QueuedApproval[],
  now: string,
): readonly QueuedApproval[] => all.filter((one) => one.expiresAt > now && one.policy === policy().version);

type Kinds = ReadonlyMap<string, number>;

function countKinds(waiting: readonly QueuedApproval[]): Kinds {
  const counts = new Map<string, number>();
  for (const { kind } of waiting) if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const alikeOf = (kinds: Kinds, { kind = "" }: QueuedApproval): number =>
  Math.max(0, (kinds.get(kind) ?? 1) - 1);

interface Listing {
  readonly fold: number;
  readonly now: string;
  readonly kinds: Kinds;
}

/** THREAT: agents choose how long approvals are, and could measure how long the gateway takes to read them. */
async function withDetails(
  context: ApprovalContext,
  waiting: readonly ApprovalPlace[],
  { fold, now, kinds }: Listing,
): Promise<readonly WaitingApproval[]> {
  const { store, folded: known } = context;
  const found: WaitingApproval[] = [];
  let length = 0;
  let turn = PAGE_LENGTH;
  for (const queued of waiting) {
    const { before, behind, callerWaits, callerGone, signers } = queued;
    const text = fold > 0 ? await known.read(queued, fold) : await readDetails(store, queued);
    // Answered in this moment.
    if (text === null) continue;
    length += text.length;
    if (length > MAX_LENGTH && found.length > 0) break;
    const { details, folded }: FoldedApproval =
      fold > 0 ? parseJson(text) : { details: parseJson(text), folded: [] };
    const proposal = await proposalFor(context, { details, folded }, before, now);
    const alike = alikeOf(kinds, queued);
    const place = { before, behind, callerWaits, callerGone, alike, ...(signers && { signers }) };
    found.push({ ...details, ...place, folded, proposal });
    if (length < turn) continue;
    turn = length + PAGE_LENGTH;
    await nextTurn();
  }
  return found;
}

const proposalFor = (
  context: ApprovalContext,
  { details, folded }: FoldedApproval,
  before: number,
  now: string,
): Promise<StandingOffer | null> | null =>
  before > 0 ? null : proposeStanding(context, details, new Date(now), folded.length > 0);

/**
 * One approval, with its texts truncated to `fold` characters (0: whole), or its outcome. @throws SluicegateError
 * `approval-not-found`
 */
export async function readApproval(
  context: ApprovalContext,
  id: string,
  now: string,
  fold = 0,
): Promise<WaitingApproval | EndedApproval> {
  const found = await findApproval(context.store, id);
  if (found === null) throw unknownApproval();
  if ("ended" in found) return found.ended;
  const { details } = found;
  if (details.expiresAt <= now) {
    await expire(context, details);
    return readEnd(context, details);
  }
  if (details.policy !== context.policy().version) {
    // It was required by another version of the policy, so approving it would have no effect.
    const { session, at } = details;
    return { id, session, outcome: "cancelled", by: null, at };
  }
  const place = await placeOf(context, details, now);
  if (place === null) return readEnd(context, details);
  const shown = fold > 0 ? foldApproval(details, fold) : { details, folded: [] };
  const proposal = await proposalFor(context, shown, place.before, now);
  return { ...shown.details, ...place, folded: shown.folded, proposal };
}

/** The position of an approval in its session's queue; null if it is over. */
async function placeOf(
  { store, ledgerOf, policy, callers }: ApprovalContext,
  { id, session }: QueuedApproval,
  now: string,
): Promise<Place | null> {
  const ledger = ledgerOf(session);
  await ledger.refresh();
  const waiting = waitingAt(ledger.state, now).map((one) => readQueued(store, session, one.id));
  const queue = (await Promise.all(waiting))
    .filter((one) => one !== null)
    .filter((one) => one.policy === policy().version);
  const place = orderInSession(queue, callers).find((one) => one.id === id);
  if (place === undefined) return null;
  const { before, behind, callerWaits, callerGone, signers } = place;
  const alike = alikeOf(countKinds(queue), place);
  return { before, behind, callerWaits, callerGone, alike, ...(signers && { signers }) };
}

async function readEnd({ store }: ApprovalContext, details: QueuedApproval): Promise<EndedApproval> {
  const found = await findApproval(store, details.id);
  if (found && "ended" in found) return found.ended;
  throw unknownApproval();
}

/**
 * Denies all approvals whose caller has gone. One that comes back or is answered meanwhile is skipped.
 * @returns the ids of the denied ones
 */
export async function denyDeparted(
  context: ApprovalContext,
  now: string,
  given: Omit<Answer, "answer">,
): Promise<readonly string[]> {
  const denied: string[] = [];
  for (const { id, session } of waitingOf(context, await allQueued(context.store), now)) {
    if (!context.callers.isGone(id) || (await hasPausedRun(context, session, now))) continue;
    try {
      await answerApproval(context, id, { why: "Its caller has gone.", ...given, answer: "denied" });
      denied.push(id);
    } catch (cause) {
      if (!SluicegateError.isInstance(cause) || cause.code !== "approval-settled") throw cause;
    }
  }
  return denied;
}

/** A paused run has no waiting call, and comes back when it is resumed. */
async function hasPausedRun({ ledgerOf }: ApprovalContext, session: string, now: string): Promise<boolean> {
  const ledger = ledgerOf(session);
  await ledger.refresh();
  return ledger.state.pausedRuns.some(({ expires }) => expires > now);
}

/** Records once that an approval was shown to somebody who may answer it. */
export async function recordShown(
  { ledgerOf, shown }: ApprovalContext,
  { id, session }: Pick<ApprovalDetails, "id" | "session">,
  via: string,
): Promise<void> {
  if (shown.has(id)) return;
  await ledgerOf(session).commit((state, now) => {
    const isNews = waitingAt(state, toTimestamp(now)).some((one) => one.id === id && !one.shown);
    return { events: isNews ? [{ kind: "approval-shown", approval: id, via }] : [], value: undefined };
  });
  shown.add(id);
  if (shown.size <= MAX_SHOWN) return;
  for (const oldest of shown) {
    shown.delete(oldest);
    break;
  }
}

/** Ends an expired approval and deletes what its approver was to see. */
async function expire(
  { ledgerOf }: ApprovalContext,
  { id, session, expiresAt: at }: QueuedApproval,
): Promise<void> {
  const keep = keepEnd({ id, session, outcome: "expired", by: null, at });
  await ledgerOf(session).commit((state) => {
    const asked = state.pending.find((pending) => pending.id === id);
    // The others were ended by an entry that also stored the outcome.
    return asked
      ? { events: [toExpired(asked)], keep, value: undefined }
      : { events: [], keep: keep.slice(0, 1), value: undefined };
  });
}
