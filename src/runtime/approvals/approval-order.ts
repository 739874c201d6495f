/**
 * The order in which approvals are shown. Within a session: those with a waiting call first, those whose caller has
 * gone last, otherwise the older first. Across sessions, label holders take turns.
 */
import type { QueuedApproval } from "./kept-approvals.ts";

/** An approval and its position among those of its session. */
export interface ApprovalPlace extends QueuedApproval {
  /** How many of its session are shown before it. */
  readonly before: number;
  /** How many of its session come after it. */
  readonly behind: number;
  /** Whether a call of this process waits for it now. A caller that doesn't wait may come back. */
  readonly callerWaits: boolean;
  /** Whether its last caller left this process a while ago and hasn't come back. */
  readonly callerGone: boolean;
}

/** What is known about the callers of approvals. */
export interface Callers {
  /** Whether a call waits for it. */
  isHeld(approval: string): boolean;
  /** Whether its caller was here, and left a while ago. */
  isGone(approval: string): boolean;
}

/** Orders the pending approvals of one session, given oldest first. */
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
 * Orders the pending approvals of all sessions, given oldest first. THREAT: an agent chooses how many forks it has
 * and what each requests, so the first of each label holder comes before the second of any.
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
