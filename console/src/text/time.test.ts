import { describe, expect, it } from "vitest";
import { toDuration, toRelative, toTiming } from "./time.tsx";

describe("times in words", () => {
  it.each([
    [0, "0 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [3_599_000, "59 min"],
    [3_600_000, "1 hour"],
    [7_200_000, "2 hours"],
    [172_800_000, "2 days"],
  ])("says %d ms as %s", (milliseconds, words) => {
    expect(toDuration(milliseconds)).toBe(words);
  });

  it("says from now, either way", () => {
    expect(toRelative(10_000, 10_400)).toBe("now");
    expect(toRelative(0, 180_000)).toBe("3 min ago");
    expect(toRelative(840_000, 0)).toBe("in 14 min");
  });

  it("says how long something took", () => {
    expect([toTiming(820), toTiming(1_430), toTiming(61_000)]).toEqual(["820 ms", "1.4 s", "1 min"]);
  });
});
