import { describe, expect, it } from "vitest";
import { keyedTexts } from "./keyed.ts";

describe("keyed", () => {
  it("gives equal texts different keys, also where one looks like another's key", () => {
    const keys = keyedTexts(["a", "a", "2 a", "1 a", "a"]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(5);
  });
});
