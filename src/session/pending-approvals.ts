/**
 * What waits for a person now. Of each session the oldest is shown, and the others queue behind it. What nobody
 * answered in time is ended on the way.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { waitingAt } from "../core/index.ts";
import { type ApprovalContext, unknownApproval } from "./answer-approval.ts";
import { toTimestamp } from "./clock.ts";
import { type FoldedApproval, type FoldedPart, foldApproval } from "./fold-approval.ts";
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
import { toExpired } from "./request-approval.ts";

/** An approval that waits, and its place among those of its session. */
export interface WaitingApproval extends ApprovalDetails {
  /** How many of its session are shown before it; 0 for the one that is to be shown. */
  readonly before: number;
  /** How many of its session wait behind it. */
  readonly behind: number;
  /** What of its arguments and its preview isn't whole here; empty unless folding was asked for. */
  readonly folded: readonly FoldedPart[];
}

/** Which approvals are listed, and how much of each. */
export interface ListOptions {
  /** The one of each session alone that is to be shown. */
  readonly firstOnly?: boolean;
  /** Texts are cut to so many characters, and of many values the first are shown; by default nothing is cut. */
  readonly fold?: number;
}

/** Approvals looked through at once. */
const MOST_LISTED = 10_000;
/** Characters of details that are read before others get their turn. */
const PAGE_LENGTH = 1024 * 1024;
/** Characters of details in one list, but for a single approval that has more. */
const MOST_LENGTH = 4 * PAGE_LENGTH;

type Place = Pick<WaitingApproval, "before" | "behind">;

/**
 * The approvals of all sessions that wait at this moment (RFC 3339), oldest first. As many as have room in a list;
 * the next ones come as others are over.
 */
export async function pendingApprovals(
  context: ApprovalContext,
  now: string,
  options: ListOptions = {},
): Promise<readonly WaitingApproval[]> {
  const all = await allQueued(context.store, MOST_LISTED);
  const expired = all.filter(({ expiresAt }) => expiresAt <= now);
  // One journal that can't be written keeps nobody from seeing the others; it is tried again at the next look.
  const ends = await Promise.allSettled(expired.map((queued) => expire(context, queued)));
  const isLess = ends.some(({ status }) => status === "fulfilled");
  if (isLess && all.length === MOST_LISTED) return pendingApprovals(context, now, options);
  const { version } = context.policy();
  const waiting = toQueues(all.filter(({ expiresAt, policy }) => expiresAt > now && policy === version));
  context.folded.forgetAllBut(waiting);
  const listed = options.firstOnly ? waiting.filter(({ before }) => before === 0) : waiting;
  return withDetails(context, listed, options.fold ?? 0);
}

function toQueues(waiting: readonly QueuedApproval[]): readonly (QueuedApproval & Place)[] {
  const lengths = Map.groupBy(waiting, ({ session }) => session);
  const seen = new Map<string, number>();
  return waiting.map((queued) => {
    const before = seen.get(queued.session) ?? 0;
    seen.set(queued.session, before + 1);
    return { ...queued, before, behind: (lengths.get(queued.session)?.length ?? 0) - before - 1 };
  });
}

/** THREAT: agents choose how long what waits is, and look on how long the gateway takes to read it. */
async function withDetails(
  { store, folded: known }: ApprovalContext,
  waiting: readonly (QueuedApproval & Place)[],
  fold: number,
): Promise<readonly WaitingApproval[]> {
  const found: WaitingApproval[] = [];
  let length = 0;
  let turn = PAGE_LENGTH;
  for (const queued of waiting) {
    const text = fold > 0 ? await known.read(queued, fold) : await readDetails(store, queued);
    // What was answered in this very moment waits no more.
    if (text === null) continue;
    length += text.length;
    if (length > MOST_LENGTH && found.length > 0) break;
    const { details, folded }: FoldedApproval =
      fold > 0 ? JSON.parse(text) : { details: JSON.parse(text), folded: [] };
    found.push({ ...details, before: queued.before, behind: queued.behind, folded });
    if (length < turn) continue;
    turn = length + PAGE_LENGTH;
    await nextTurn();
  }
  return found;
}

/** One approval, with its texts cut to `fold` characters (0: whole), or how it ended. @throws SluicegateError `approval-not-found` */
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
    // It waits under another policy: a yes would reach no call.
    const { session, at } = details;
    return { id, session, outcome: "cancelled", by: null, at };
  }
  const place = await placeOf(context, details, now);
  if (place === null) return readEnd(context, details);
  const shown = fold > 0 ? foldApproval(details, fold) : { details, folded: [] };
  return { ...shown.details, ...place, folded: shown.folded };
}

/** Where an approval stands in the queue of its session, whatever waits in others; null where it is over. */
async function placeOf(
  { store, ledgerOf, policy }: ApprovalContext,
  { id, session }: QueuedApproval,
  now: string,
): Promise<Place | null> {
  const ledger = ledgerOf(session);
  await ledger.refresh();
  const waiting = waitingAt(ledger.state, now).map((one) => readQueued(store, session, one.id));
  const queue = (await Promise.all(waiting)).filter((one) => one?.policy === policy().version);
  const before = queue.findIndex((one) => one?.id === id);
  return before < 0 ? null : { before, behind: queue.length - before - 1 };
}

async function readEnd({ store }: ApprovalContext, details: QueuedApproval): Promise<EndedApproval> {
  const found = await findApproval(store, details.id);
  if (found && "ended" in found) return found.ended;
  throw unknownApproval();
}

/** Records that somebody who may answer was shown an approval, once. */
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
  if (shown.size <= MOST_LISTED) return;
  for (const oldest of shown) {
    shown.delete(oldest);
    break;
  }
}

/** What an approver was to see is kept no longer than it waits. */
async function expire(
  { ledgerOf }: ApprovalContext,
  { id, session, expiresAt: at }: QueuedApproval,
): Promise<void> {
  const keep = keepEnd({ id, session, outcome: "expired", by: null, at });
  await ledgerOf(session).commit((state) => {
    const asked = state.pending.find((pending) => pending.id === id);
    // What isn't pending any more was ended by an entry that also wrote how.
    return asked
      ? { events: [toExpired(asked)], keep, value: undefined }
      : { events: [], keep: keep.slice(0, 1), value: undefined };
  });
}
