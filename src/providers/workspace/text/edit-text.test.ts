import { describe, expect, it } from "vitest";
import { editText } from "./edit-text.ts";

const all = (text: string, oldText: string, newText: string): string =>
  editText(text, { oldText, newText, all: true }).text;

describe("an edit", () => {
  it("replaces each part from the left, as a split does (E6)", () => {
    const letters = "ab\n";
    const word = (seed: number, length: number): string =>
      Array.from({ length }, (_, at) => letters[Math.floor(seed / 3 ** at) % 3]).join("");
    for (let seed = 0; seed < 3 ** 7; seed += 1) {
      const text = word(seed, 7);
      const part = word(seed * 7, 1 + (seed % 3));
      if (text.includes(part)) expect(all(text, part, "X")).toBe(text.split(part).join("X"));
      else expect(() => all(text, part, "X")).toThrow();
    }
  });

  it.each([
    ["a part that the engine's own search takes hours for", `b${"a".repeat(200_000)}`, "isn't in the file"],
    ["more places than anybody means", "a", "too much at once"],
  ])("doesn't keep everything else waiting for %s (E6)", (_, oldText, why) => {
    const text = "a".repeat(16 * 1024 * 1024);
    expect(() => all(text, oldText, "x")).toThrow(
      expect.objectContaining({ code: "invalid-request", why: expect.stringContaining(why) }),
    );
  });

  it("makes no text that is too long for a file (E6)", () => {
    expect(() => all("ab".repeat(50_000), "b", "x".repeat(10_000))).toThrow(
      expect.objectContaining({ code: "invalid-request" }),
    );
  });
});
