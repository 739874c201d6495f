/**
 * The order in which approvals are shown. In its session, one whose call is held comes before those that nobody holds
 * at this moment, and then the older one. Over all sessions the label holders take turns.
 */
import type { QueuedApproval } from "./kept-approvals.ts";

/** An approval and its place among those of its session. */
export interface ApprovalPlace extends QueuedApproval {
  /** How many of its session are shown before it; 0 for the one that is to be shown. */
  readonly before: number;
  /** How many of its session wait behind it. */
  readonly behind: number;
  /** Whether a call of this process is held for it at this moment. A caller that isn't held may come back. */
  readonly callerWaits: boolean;
}

type IsHeld = (approval: string) => boolean;

/** What waits in one session, given oldest first, in the order in which it is shown. */
export function orderInSession(
  oldestFirst: readonly QueuedApproval[],
  isHeld: IsHeld,
): readonly ApprovalPlace[] {
  const [held, others] = [true, false].map((callerWaits) =>
    oldestFirst.filter(({ id }) => isHeld(id) === callerWaits).map((queued) => ({ ...queued, callerWaits })),
  );
  return [...(held ?? []), ...(others ?? [])].map((queued, before, { length }) => ({
    ...queued,
    before,
    behind: length - before - 1,
  }));
}

/**
 * What waits in all sessions, given oldest first, in the order in which it is shown. THREAT: an agent chooses how many
 * forks it has and what it asks for in each, so the first of each label holder comes before the second of any.
 */
export function orderInTurns(
  oldestFirst: readonly QueuedApproval[],
  isHeld: IsHeld,
): readonly ApprovalPlace[] {
  const age = new Map(oldestFirst.map(({ id }, at) => [id, at]));
  const byAge = (one: ApprovalPlace, other: ApprovalPlace): number =>
    Number(other.callerWaits) - Number(one.callerWaits) || (age.get(one.id) ?? 0) - (age.get(other.id) ?? 0);
  const sessions = Map.groupBy(oldestFirst, ({ session }) => session).values();
  const places = sessions.flatMap((queue) => orderInSession(queue, isHeld));
  const holders = Map.groupBy(places, ({ labelHolder, session }) => labelHolder ?? session).values();
  return [...holders]
    .flatMap((own) =>
      own
        .sort((one, other) => one.before - other.before || byAge(one, other))
        .map((place, turn) => ({ place, turn })),
    )
    .sort((one, other) => one.turn - other.turn || byAge(one.place, other.place))
    .map(({ place }) => place);
}
