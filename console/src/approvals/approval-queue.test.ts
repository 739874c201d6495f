import { describe, expect, it } from "vitest";
import { approvalWith } from "./approval.test-kit.ts";
import {
  type ApprovalQueue,
  forget,
  mergeLists,
  newsOf,
  nextExpiry,
  nextLeave,
  STAY_MS,
  settle,
} from "./approval-queue.ts";

const NOW = 1_000_000;
const denied = {
  status: "denied",
  answered_by: "grace",
  via: "terminal",
  ended_at: "2026-11-22T10:00:00Z",
} as const;
const over = (id: string, why: string | null = null) => ({
  ...denied,
  id,
  session_id: "s",
  tool: "t",
  name: "t",
  principal: "ada",
  why,
});
const [a, b, c] = ["a", "b", "c"].map((id) => approvalWith({ id })) as [Approval, Approval, Approval];
type Approval = ReturnType<typeof approvalWith>;

const start = (...waiting: readonly Approval[]): ApprovalQueue =>
  mergeLists([], { waiting, ended: [], now: NOW });
const shown = (queue: ApprovalQueue): string[] =>
  queue.map(
    ({ approval, outcome, isGone }) => `${approval.id} ${outcome?.status ?? (isGone ? "gone" : "waits")}`,
  );

describe("the queue of cards", () => {
  it("begins as the gateway lists what waits", () => {
    expect(shown(start(a, b))).toEqual(["a waits", "b waits"]);
  });

  it("keeps a decided card in its place, and puts new ones at the end", () => {
    const next = mergeLists(start(a, b), { waiting: [c, b], ended: [over("a")], now: NOW });
    expect(shown(next)).toEqual(["a denied", "b waits", "c waits"]);
  });

  it("puts new ones before those whose caller has gone, and these last, and moves no card for it (D5-queue)", () => {
    const gone = approvalWith({ id: "gone", caller_gone: true });
    const more = approvalWith({ id: "more", caller_gone: true });
    const first = start(a, gone);
    expect(shown(mergeLists(first, { waiting: [b, a, more, gone], ended: [], now: NOW }))).toEqual([
      "a waits",
      "b waits",
      "gone waits",
      "more waits",
    ]);
    const left = { ...a, caller_gone: true };
    expect(shown(mergeLists(start(a, b), { waiting: [b, left], ended: [], now: NOW }))).toEqual([
      "a waits",
      "b waits",
    ]);
  });

  it("lets go of a card of which nobody knows how it ended, and of no other", () => {
    const gone = mergeLists(start(a, b), { waiting: [b], ended: [], now: NOW });
    expect(shown(gone)).toEqual(["a gone", "b waits"]);
    expect(shown(forget(gone, "a"))).toEqual(["b waits"]);
    expect(shown(forget(gone, "b"))).toEqual(["a gone", "b waits"]);
  });

  it("lets a decided card go after its time, and no sooner", () => {
    const decided = mergeLists(start(a, b), { waiting: [b], ended: [over("a")], now: NOW });
    const lists = { waiting: [b], ended: [over("a")] };
    expect(shown(mergeLists(decided, { ...lists, now: NOW + STAY_MS - 1 }))).toEqual(["a denied", "b waits"]);
    expect(shown(mergeLists(decided, { ...lists, now: NOW + STAY_MS }))).toEqual(["b waits"]);
    expect(nextLeave(decided)).toBe(NOW + STAY_MS);
  });

  it("brings a decided card back from no list that is still out of date", () => {
    const decided = settle(start(a), "a", denied, NOW);
    const stale = mergeLists(decided, { waiting: [a], ended: [], now: NOW + 2 * STAY_MS });
    expect(shown(stale)).toEqual(["a denied"]);
  });

  it("says of a card that no list has any more that it is gone, until its end is known", () => {
    const gone = mergeLists(start(a), { waiting: [], ended: [], now: NOW });
    expect(shown(gone)).toEqual(["a gone"]);
    expect(shown(mergeLists(gone, { waiting: [a], ended: [], now: NOW }))).toEqual(["a waits"]);
    expect(shown(settle(gone, "a", denied, NOW))).toEqual(["a denied"]);
  });

  it("keeps the first end that it learned, and takes the person's words from the list", () => {
    const decided = settle(start(a), "a", { ...denied, status: "approved" }, NOW);
    expect(shown(settle(decided, "a", denied, NOW))).toEqual(["a approved"]);
    const [slot] = mergeLists(decided, { waiting: [], ended: [over("a", "a bad address")], now: NOW });
    expect(slot?.outcome).toMatchObject({ status: "approved", why: "a bad address" });
  });

  it("is the very same where nothing has changed, so that nothing is rendered", () => {
    const queue = start(a, b);
    expect(mergeLists(queue, { waiting: [a, b], ended: [over("z")], now: NOW + 1 })).toBe(queue);
  });

  it("knows when the next card that waits expires", () => {
    const soon = approvalWith({ id: "soon", expires_at: "2026-11-22T10:00:05Z" });
    const late = approvalWith({ id: "late", expires_at: "2026-11-22T10:09:00Z" });
    expect(nextExpiry(start(late, soon))).toBe(Date.parse("2026-11-22T10:00:05Z"));
    expect(nextExpiry(settle(start(soon), "soon", denied, NOW))).toBeNull();
  });

  it("tells what is new: what was asked, and what ended, each once", () => {
    const before = start(a);
    const after = mergeLists(before, { waiting: [b], ended: [over("a")], now: NOW });
    const news = newsOf(before, after);
    expect(news.asked.map(({ id }) => id)).toEqual(["b"]);
    expect(news.ended.map(({ approval }) => approval.id)).toEqual(["a"]);
    expect(newsOf(after, after)).toEqual({ asked: [], ended: [] });
  });
});
