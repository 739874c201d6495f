/** What waits for a person now. What nobody answered in time is ended on the way. */
import type { ApprovalContext } from "./answer-approval.ts";
import { type ApprovalDetails, allDetails, keepEnd } from "./kept-approvals.ts";

/** Approvals read at once. */
const MOST_LISTED = 10_000;

/** The approvals of all sessions that wait at this moment (RFC 3339), oldest first. */
export async function pendingApprovals(
  context: ApprovalContext,
  now: string,
): Promise<readonly ApprovalDetails[]> {
  const all = await allDetails(context.store, MOST_LISTED);
  const expired = all.filter(({ expiresAt }) => expiresAt <= now);
  for (const details of expired) await expire(context, details);
  if (expired.length > 0 && all.length === MOST_LISTED) return pendingApprovals(context, now);
  const version = context.policyVersion();
  return all.filter(({ expiresAt, policy }) => expiresAt > now && policy === version);
}

/** What an approver was to see is kept no longer than it waits. */
async function expire(
  { ledgerOf }: ApprovalContext,
  { id, session, expiresAt: at }: ApprovalDetails,
): Promise<void> {
  const keep = keepEnd({ id, session, outcome: "expired", by: null, at });
  await ledgerOf(session).commit((state) => ({
    events: [],
    // What isn't pending any more was ended by an entry that also wrote how.
    keep: state.pending.some((pending) => pending.id === id) ? keep : keep.slice(0, 1),
    value: undefined,
  }));
}
