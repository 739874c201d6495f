import { describe, expect, it } from "vitest";
import { countAfter, hasUnsettledBefore, keepEvents } from "./kept-events.ts";
import { callOf, callsOf, pageOf } from "./timeline.test-kit.ts";

const seqs = (events: readonly { readonly seq: number }[]): number[] => events.map(({ seq }) => seq);

describe("keepEvents", () => {
  it("puts the pages together, oldest first", () => {
    const kept = keepEvents([], [pageOf(callsOf(4, 6)), pageOf(callsOf(1, 3))]);
    expect(seqs(kept)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("keeps what was shown as the newest page moves on", () => {
    const kept = keepEvents(callsOf(1, 4), [pageOf(callsOf(3, 6))]);
    expect(seqs(kept)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("drops what was shown where more has happened since than the pages hold", () => {
    expect(seqs(keepEvents(callsOf(1, 4), [pageOf(callsOf(8, 9))]))).toEqual([8, 9]);
  });

  it("takes an event as it is now, and the same object where it hasn't changed", () => {
    const before = [callOf(1), callOf(2, { outcome: "running" })];
    const kept = keepEvents(before, [pageOf([callOf(1), callOf(2, { outcome: "ok" })])]);
    expect(kept[0]).toBe(before[0]);
    expect(kept[1]).toMatchObject({ outcome: "ok" });
  });

  it("is the same array where nothing differs", () => {
    const before = keepEvents([], [pageOf(callsOf(1, 3))]);
    expect(keepEvents(before, [pageOf(callsOf(1, 3))])).toBe(before);
    expect(keepEvents(before, [])).toBe(before);
  });

  it("doesn't grow for ever while a session is busy", () => {
    const kept = keepEvents(callsOf(1, 9_000), [pageOf(callsOf(9_000, 9_100))]);
    expect(kept).toHaveLength(2_000 + 101);
    expect(kept.at(-1)?.seq).toBe(9_100);
  });
});

describe("hasUnsettledBefore", () => {
  it("tells of a call before the pages that still goes on", () => {
    const pages = [pageOf(callsOf(3, 4))];
    expect(hasUnsettledBefore([callOf(2, { outcome: "waiting" }), ...callsOf(3, 4)], pages)).toBe(true);
    expect(hasUnsettledBefore(callsOf(2, 4), pages)).toBe(false);
    expect(hasUnsettledBefore([callOf(3, { outcome: "running" })], pages)).toBe(false);
  });
});

describe("countAfter", () => {
  it("counts events that came after what was seen", () => {
    expect(countAfter(callsOf(1, 5), 3)).toBe(2);
    expect(countAfter(callsOf(1, 5), 5)).toBe(0);
    expect(countAfter(callsOf(6, 8), 5)).toBe(3);
  });
});
