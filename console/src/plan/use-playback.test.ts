import { describe, expect, it } from "vitest";
import { advance, begin } from "./use-playback.ts";

describe("a plan that is played", () => {
  it("begins at its first step, and goes on to its last, where it stays", () => {
    const first = begin(2);
    expect(first).toEqual({ at: 0, isRunning: true });
    const second = first && advance(first, 2);
    expect(second).toEqual({ at: 1, isRunning: true });
    expect(second && advance(second, 2)).toEqual({ at: 1, isRunning: false });
  });

  it("doesn't begin without a step", () => {
    expect(begin(0)).toBeNull();
  });
});
