import { describe, expect, it } from "vitest";
import { nextPlace } from "./move-focus.ts";

describe("nextPlace", () => {
  it.each([
    ["goes on", 2, 1, 3],
    ["goes back", 2, -1, 1],
    ["stays at the end", 9, 1, 9],
    ["stays at the beginning", 0, -1, 0],
    ["begins with the first that can be seen", -1, 1, 4],
  ] as const)("%s", (_, current, step, expected) => {
    expect(nextPlace(current, step, 10, 4)).toBe(expected);
  });

  it("is nowhere in an empty list", () => {
    expect(nextPlace(-1, 1, 0, -1)).toBe(-1);
  });
});
