/**
 * Which cards are shown, and in which order. The gateway says what is pending and what is over; a decided card keeps
 * its position for a while, so that nothing moves under a finger, and new ones come last.
 */
import type { Approval, EndedApproval, RecentApproval } from "../api/queries.ts";

export type Outcome = Pick<EndedApproval, "status" | "answered_by" | "via" | "ended_at"> & {
  /** The person's comment, if known. */
  readonly why?: string | null;
};

export interface Slot {
  readonly approval: Approval;
  /** Null while it is pending. */
  readonly outcome: Outcome | null;
  /** When the page learned that it is over, in milliseconds since 1970. */
  readonly endedAt: number | null;
  /** It can't be answered now: its outcome isn't known yet, or another one of its session comes first. */
  readonly isGone: boolean;
}

export type ApprovalQueue = readonly Slot[];

/** How long a decided card keeps its position. */
export const STAY_MS = 30_000;

interface ApprovalLists {
  readonly waiting: readonly Approval[];
  readonly ended: readonly RecentApproval[];
  readonly now: number;
}

/** The queue after new lists or after some time. The same object if nothing changed. */
export function mergeLists(queue: ApprovalQueue, { waiting, ended, now }: ApprovalLists): ApprovalQueue {
  const open = new Map(waiting.map((approval) => [approval.id, approval]));
  const over = new Map(ended.map((approval) => [approval.id, approval]));
  const known = new Set(queue.map(({ approval }) => approval.id));
  const kept = queue
    // An older list may still contain it, and would add it again.
    .filter(({ approval, endedAt }) => endedAt === null || now - endedAt < STAY_MS || open.has(approval.id))
    .map((slot) => renew(slot, open.get(slot.approval.id), over.get(slot.approval.id), now));
  const added = waiting
    .filter(({ id }) => !known.has(id))
    .map((approval): Slot => ({ approval, outcome: null, endedAt: null, isGone: false }));
  const here = added.filter((slot) => !isDeparted(slot));
  // Cards whose caller has gone come last; new ones come before them.
  const last = kept.findLastIndex((slot) => !isDeparted(slot)) + 1;
  const next = [...kept.slice(0, last), ...here, ...kept.slice(last), ...added.filter(isDeparted)];
  return next.length === queue.length && next.every((slot, at) => slot === queue[at]) ? queue : next;
}

/** Whether it is pending and its caller has gone. */
export const isDeparted = ({ approval, outcome, isGone }: Slot): boolean =>
  outcome === null && !isGone && approval.caller_gone;

function renew(slot: Slot, approval: Approval | undefined, over: Outcome | undefined, now: number): Slot {
  if (slot.outcome !== null) return withWhy(slot, over);
  if (over !== undefined) return end(slot, over, now);
  if (approval === undefined) return slot.isGone ? slot : { ...slot, isGone: true };
  return slot.approval === approval && !slot.isGone ? slot : { ...slot, approval, isGone: false };
}

/** An answer's reply has less than the list of ended approvals. */
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

/** The queue once one card is known to be over. An earlier outcome stays. */
export const settle = (queue: ApprovalQueue, id: string, outcome: Outcome, now: number): ApprovalQueue =>
  queue.map((slot) => (slot.approval.id === id && slot.outcome === null ? end(slot, outcome, now) : slot));

/** The queue without one that isn't pending and whose outcome the gateway doesn't know. */
export const forget = (queue: ApprovalQueue, id: string): ApprovalQueue =>
  queue.filter((slot) => slot.approval.id !== id || !slot.isGone);

/** When the next decided card leaves; null if there is none. */
export function nextLeave(queue: ApprovalQueue): number | null {
  const times = queue.flatMap(({ endedAt }) => (endedAt === null ? [] : [endedAt + STAY_MS]));
  return times.length === 0 ? null : Math.min(...times);
}

/** When the next pending card expires by the gateway's clock; null if there is none. */
export function nextExpiry(queue: ApprovalQueue): number | null {
  const times = queue
    .filter(({ outcome, isGone }) => outcome === null && !isGone)
    .map(({ approval }) => Date.parse(approval.expires_at))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? null : Math.min(...times);
}

/** Changes of the queue, for screen readers. */
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
