/**
 * What waits for a person now. Of each session the oldest is shown, and the others queue behind it. What nobody
 * answered in time is ended on the way.
 */
import { waitingAt } from "../core/index.ts";
import { type ApprovalContext, unknownApproval } from "./answer-approval.ts";
import { toTimestamp } from "./clock.ts";
import {
  type ApprovalDetails,
  allDetails,
  type EndedApproval,
  findApproval,
  keepEnd,
} from "./kept-approvals.ts";
import { toExpired } from "./request-approval.ts";

/** An approval that waits, and its place among those of its session. */
export interface WaitingApproval extends ApprovalDetails {
  /** How many of its session are shown before it; 0 for the one that is to be shown. */
  readonly before: number;
  /** How many of its session wait behind it. */
  readonly behind: number;
}

/** Approvals read at once. */
const MOST_LISTED = 10_000;

/** The approvals of all sessions that wait at this moment (RFC 3339), oldest first. */
export async function pendingApprovals(
  context: ApprovalContext,
  now: string,
): Promise<readonly WaitingApproval[]> {
  const all = await allDetails(context.store, MOST_LISTED);
  const expired = all.filter(({ expiresAt }) => expiresAt <= now);
  // One journal that can't be written keeps nobody from seeing the others; it is tried again at the next look.
  const ends = await Promise.allSettled(expired.map((details) => expire(context, details)));
  const isLess = ends.some(({ status }) => status === "fulfilled");
  if (isLess && all.length === MOST_LISTED) return pendingApprovals(context, now);
  const { version } = context.policy();
  return toQueues(all.filter(({ expiresAt, policy }) => expiresAt > now && policy === version));
}

function toQueues(waiting: readonly ApprovalDetails[]): readonly WaitingApproval[] {
  const lengths = Map.groupBy(waiting, ({ session }) => session);
  const seen = new Map<string, number>();
  return waiting.map((details) => {
    const before = seen.get(details.session) ?? 0;
    seen.set(details.session, before + 1);
    return { ...details, before, behind: (lengths.get(details.session)?.length ?? 0) - before - 1 };
  });
}

/** One approval, or how it ended. @throws SluicegateError `approval-not-found` */
export async function readApproval(
  context: ApprovalContext,
  id: string,
  now: string,
): Promise<WaitingApproval | EndedApproval> {
  const found = await findApproval(context.store, id);
  if (found === null) throw unknownApproval();
  if ("ended" in found) return found.ended;
  const { details } = found;
  const waiting = await pendingApprovals(context, now);
  const one = waiting.find((other) => other.id === id);
  if (one) return one;
  if (details.expiresAt <= now) return readEnd(context, details);
  // It waits under another policy: a yes would reach no call.
  const { session, at } = details;
  return { id, session, outcome: "cancelled", by: null, at };
}

async function readEnd({ store }: ApprovalContext, details: ApprovalDetails): Promise<EndedApproval> {
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
  { id, session, expiresAt: at }: ApprovalDetails,
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
