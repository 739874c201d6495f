import { describe, expect, it } from "vitest";
import { isAtEnd } from "./use-following.ts";

describe("isAtEnd", () => {
  it("follows a reader at the end or a little before it, and nobody further up", () => {
    expect(isAtEnd(5_000, 4_200, 800)).toBe(true);
    expect(isAtEnd(5_000, 4_160, 800)).toBe(true);
    expect(isAtEnd(5_000, 3_000, 800)).toBe(false);
  });

  it("takes a page that fits the window for read to its end", () => {
    expect(isAtEnd(800, 0, 800)).toBe(true);
  });
});
