/**
 * The order in which approvals are shown. Within a session: those with a waiting call first, those whose caller has
 * gone last, otherwise the older first. Across sessions, principals take turns, and the label holders of each.
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
      queued,
      callerWaits: callers.isHeld(queued.id),
      callerGone: callers.isGone(queued.id),
    }))
    .sort(byCaller)
    .map(({ queued, callerWaits, callerGone }, before, { length }) => ({
      ...queued,
      callerWaits,
      callerGone,
      before,
      behind: length - before - 1,
    }));
}

type Called = Pick<ApprovalPlace, "callerWaits" | "callerGone">;

const rankOf = ({ callerWaits, callerGone }: Called): number => (callerWaits ? 0 : callerGone ? 2 : 1);

const byCaller = (one: Called, other: Called): number => rankOf(one) - rankOf(other);

/**
 * Orders the pending approvals of all sessions, given oldest first. THREAT: an agent chooses how many forks it has
 * and what each requests, and a principal how many sessions, so the first of each principal comes before the second
 * of any, and so do those of its label holders. In stages, since there may be many.
 */
export function* orderByTurns(
  oldestFirst: readonly QueuedApproval[],
  callers: Callers,
): Generator<void, readonly ApprovalPlace[]> {
  const age = new Map(oldestFirst.map(({ id }, at) => [id, at]));
  const turns: Turn[] = [];
  for (const queue of Map.groupBy(oldestFirst, ({ session }) => session).values()) {
    yield;
    for (const place of orderInSession(queue, callers))
      turns.push({ place, turn: place.before, rank: rankOf(place), age: age.get(place.id) ?? 0 });
  }
  yield;
  const ofHolders = countTurns(turns, holderOf);
  yield;
  const ofPrincipals = countTurns(ofHolders, (place) => place.principal ?? holderOf(place));
  yield;
  return ofPrincipals.toSorted(byTurn).map(({ place }) => place);
}

const countTurns = (turns: readonly Turn[], partOf: (place: ApprovalPlace) => string): readonly Turn[] =>
  [...Map.groupBy(turns, ({ place }) => partOf(place)).values()].flatMap((own) =>
    own.sort(byTurn).map((one, turn) => ({ ...one, turn })),
  );

const byTurn = (one: Turn, other: Turn): number =>
  one.turn - other.turn || one.rank - other.rank || one.age - other.age;

interface Turn {
  readonly place: ApprovalPlace;
  /** How many of its part come before it. */
  readonly turn: number;
  readonly rank: number;
  /** How many are older, of all. */
  readonly age: number;
}

const holderOf = ({ labelHolder, session }: Pick<ApprovalPlace, "labelHolder" | "session">): string =>
  labelHolder ?? session;
