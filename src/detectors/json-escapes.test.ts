import { describe, expect, it } from "vitest";
import { unescapeLines } from "./json-escapes.ts";

describe("escapes of JSON", () => {
  it("are undone in the lines that have some, and each position is known (C1-detectors)", () => {
    const text = 'plain\na\\/b \\\\\\u0040c\nplain\nd\\"e\\nf';
    const lines = unescapeLines(text);
    expect(lines?.text).toBe('a/b @c\nd"e\nf');
    const wholes = ["a", "\\/", "b", " ", "\\\\\\u0040", "c", "\n", "d", '\\"', "e", "\\n", "f"];
    const starts = wholes.map((_, position) => lines?.toOriginal(position) ?? -1);
    expect(wholes.map((whole, at) => text.startsWith(whole, starts[at]))).toEqual(wholes.map(() => true));
    expect(lines?.toOriginal(wholes.length)).toBe(text.length);
  });

  it.each(["", "plain", "a \\ b", "\\d{3}-\\d{2}", "C:\\Users", "\\u00g0"])("are none in %j", (text) => {
    expect(unescapeLines(text)).toBeNull();
  });

  it.each([
    ["backslashes", "\\"],
    ["codes", "\\u0040"],
    ["signs", "\\/"],
    ["lines", "\\/\n"],
    ["lines without escapes", "\\\n"],
  ])("are undone in linear time among many %s (C1-detectors)", (_, unit) => {
    const start = performance.now();
    unescapeLines(unit.repeat(1_000_000 / unit.length));
    // Quadratic time would take minutes.
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
