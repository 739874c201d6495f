import { describe, expect, it } from "vitest";
import { createCleanText } from "./clean-text.ts";

const KEY = "-----BEGIN KEY-----\nMIIB+line/one\nsecond line\n-----END KEY-----";
const clean = createCleanText(["hunter2!", KEY, "a&b=c d", 'quo"te', "1", "", "\ud800 lone"]);

describe("text of an upstream", () => {
  it.each([
    ["is kept where nothing is wrong with it", "Disk full: größer 日本 🔒", "Disk full: größer 日本 🔒"],
    ["stands on one line", "  a\r\n\tb\u2028c\u0085d  ", "a b c d"],
    ["shows what can't be seen", "\u001b[2J\u202e\u200b\u0000", "\\u{1b}[2J\\u{202e}\\u{200b}\\u{0}"],
    ["shows lone surrogates", "a\ud800", "a\\u{d800}"],
    ["loses its secrets", "password hunter2!, hunter2!", "password [redacted], [redacted]"],
    ["loses each line of a secret", "key MIIB+line/one!", "key [redacted]!"],
    ["loses secrets as JSON writes them", JSON.stringify({ a: 'quo"te' }), '{"a":"[redacted]"}'],
    ["loses secrets as URLs write them", "/?key=a%26b%3Dc%20d", "/?key=[redacted]"],
    ["keeps values too short to be secrets", "1 of 1", "1 of 1"],
  ])("%s", (_, text, expected) => {
    expect(clean(text, 100)).toBe(expected);
  });

  it("is cut, and no part of a secret that the cut split stays", () => {
    expect(clean("x".repeat(200), 10)).toBe(`${"x".repeat(9)}…`);
    for (let before = 0; before < 120; before += 1) {
      const cut = clean(`${"x".repeat(before)}${KEY}${KEY}${KEY}`, 100);
      expect(cut.length).toBeLessThanOrEqual(100);
      expect(cut).not.toMatch(/BEGIN|MIIB|second|END/);
    }
  });
});
