/**
 * The order in which approvals are shown. In its session, one whose call is held comes before those that nobody holds
 * at this moment, those whose caller has gone come last, and then the older one comes first. Over all sessions the label
 * holders take turns.
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
  /** Whether this process let go of the last call for it a while ago, and nobody has asked again. */
  readonly callerGone: boolean;
}

/** What is known of who waits for an approval. */
export interface Callers {
  /** Whether a call is held for it. */
  isHeld(approval: string): boolean;
  /** Whether its caller was here, and left a while ago. */
  isGone(approval: string): boolean;
}

/** What waits in one session, given oldest first, in the order in which it is shown. */
export function orderInSession(
  oldestFirst: readonly QueuedApproval[],
  callers: Callers,
): readonly ApprovalPlace[] {
  return oldestFirst
    .map((queued) => ({
      ...queued,
      callerWaits: callers.isHeld(queued.id),
      callerGone: callers.isGone(queued.id),
    }))
    .sort(byCaller)
    .map((queued, before, { length }) => ({ ...queued, before, behind: length - before - 1 }));
}

type Called = Pick<ApprovalPlace, "callerWaits" | "callerGone">;

const rankOf = ({ callerWaits, callerGone }: Called): number => (callerWaits ? 0 : callerGone ? 2 : 1);

const byCaller = (one: Called, other: Called): number => rankOf(one) - rankOf(other);

/**
 * What waits in all sessions, given oldest first, in the order in which it is shown. THREAT: an agent chooses how many
 * forks it has and what it asks for in each, so the first of each label holder comes before the second of any.
 */
export function orderInTurns(
  oldestFirst: readonly QueuedApproval[],
  callers: Callers,
): readonly ApprovalPlace[] {
  const age = new Map(oldestFirst.map(({ id }, at) => [id, at]));
  const byAge = (one: ApprovalPlace, other: ApprovalPlace): number =>
    byCaller(one, other) || (age.get(one.id) ?? 0) - (age.get(other.id) ?? 0);
  const sessions = Map.groupBy(oldestFirst, ({ session }) => session).values();
  const places = sessions.flatMap((queue) => orderInSession(queue, callers));
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
