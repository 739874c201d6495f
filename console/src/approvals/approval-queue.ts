/**
 * Which cards are shown where. The gateway says what waits and what is over; the deck only keeps a card in its place
 * for a while after it was decided, so that nothing moves under a finger, and puts new ones at the end.
 */
import type { Approval, EndedApproval, RecentApproval } from "../api/queries.ts";

/** How an approval ended. */
export type Outcome = Pick<EndedApproval, "status" | "answered_by" | "via" | "ended_at"> & {
  /** The person's own words, where they are known. */
  readonly why?: string | null;
};

export interface Slot {
  readonly approval: Approval;
  /** Null while it waits. */
  readonly outcome: Outcome | null;
  /** When the page learned of its end, in milliseconds since 1970. */
  readonly endedAt: number | null;
  /** It waits no more, and how it ended isn't known yet. */
  readonly isGone: boolean;
}

export type ApprovalQueue = readonly Slot[];

/** How long a decided card stays in its place. */
export const STAY_MS = 30_000;

export interface Dealt {
  readonly waiting: readonly Approval[];
  readonly ended: readonly RecentApproval[];
  readonly now: number;
}

/** The deck after the gateway's lists have changed, or time has passed. The same deck where nothing is otherwise. */
export function deal(deck: ApprovalQueue, { waiting, ended, now }: Dealt): ApprovalQueue {
  const open = new Map(waiting.map((approval) => [approval.id, approval]));
  const over = new Map(ended.map((approval) => [approval.id, approval]));
  const known = new Set(deck.map(({ approval }) => approval.id));
  const kept = deck
    // A list that is still on its way may have it as waiting: it would come back as a new one.
    .filter(({ approval, endedAt }) => endedAt === null || now - endedAt < STAY_MS || open.has(approval.id))
    .map((slot) => renew(slot, open.get(slot.approval.id), over.get(slot.approval.id), now));
  const added = waiting
    .filter(({ id }) => !known.has(id))
    .map((approval): Slot => ({ approval, outcome: null, endedAt: null, isGone: false }));
  const here = added.filter((slot) => !isDeparted(slot));
  // What nobody waits for comes last, and new ones before that.
  const last = kept.findLastIndex((slot) => !isDeparted(slot)) + 1;
  const next = [...kept.slice(0, last), ...here, ...kept.slice(last), ...added.filter(isDeparted)];
  return next.length === deck.length && next.every((slot, at) => slot === deck[at]) ? deck : next;
}

/** Whether it waits, and its caller has left. */
export const isDeparted = ({ approval, outcome, isGone }: Slot): boolean =>
  outcome === null && !isGone && approval.caller_gone;

function renew(slot: Slot, approval: Approval | undefined, over: Outcome | undefined, now: number): Slot {
  if (slot.outcome !== null) return withWhy(slot, over);
  if (over !== undefined) return end(slot, over, now);
  if (approval === undefined) return slot.isGone ? slot : { ...slot, isGone: true };
  return slot.approval === approval && !slot.isGone ? slot : { ...slot, approval, isGone: false };
}

/** An answer tells less than the list of those that are over. */
const withWhy = (slot: Slot, over: Outcome | undefined): Slot =>
  over?.why && slot.outcome !== null && !slot.outcome.why
    ? { ...slot, outcome: { ...slot.outcome, why: over.why } }
    : slot;

const end = (slot: Slot, outcome: Outcome, now: number): Slot => ({
  ...slot,
  outcome,
  endedAt: now,
  isGone: false,
});

/** The deck once one card is known to be over. What is over stays as it is. */
export const conclude = (deck: ApprovalQueue, id: string, outcome: Outcome, now: number): ApprovalQueue =>
  deck.map((slot) => (slot.approval.id === id && slot.outcome === null ? end(slot, outcome, now) : slot));

/** The deck without one that waits no more, and of which the gateway doesn't know how it ended. */
export const forget = (deck: ApprovalQueue, id: string): ApprovalQueue =>
  deck.filter((slot) => slot.approval.id !== id || !slot.isGone);

/** When the next card is to leave its place; null where none is. */
export function nextLeave(deck: ApprovalQueue): number | null {
  const times = deck.flatMap(({ endedAt }) => (endedAt === null ? [] : [endedAt + STAY_MS]));
  return times.length === 0 ? null : Math.min(...times);
}

/** When the next card that waits expires by the gateway's clock; null where none does. */
export function nextExpiry(deck: ApprovalQueue): number | null {
  const times = deck
    .filter(({ outcome, isGone }) => outcome === null && !isGone)
    .map(({ approval }) => Date.parse(approval.expires_at))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? null : Math.min(...times);
}

/** What a change of the deck is to whoever doesn't see it. */
export interface News {
  readonly asked: readonly Approval[];
  readonly ended: readonly Slot[];
}

export function newsOf(before: ApprovalQueue, after: ApprovalQueue): News {
  const known = new Map(before.map((slot) => [slot.approval.id, slot]));
  return {
    asked: after.filter(({ approval }) => !known.has(approval.id)).map(({ approval }) => approval),
    ended: after.filter(({ approval, outcome }) => {
      const old = known.get(approval.id);
      return outcome !== null && old !== undefined && old.outcome === null;
    }),
  };
}
