import { expect, it } from "vitest";
import { toVisible, toVisibleJson } from "./visible-json.ts";

it.each([
  ["an escape sequence", "\u001b[31m", "\\u{1b}[31m"],
  ["a C1 control", "\u009b2J", "\\u{9b}2J"],
  ["line breaks of every kind", "a\r\n\u0085\u2028\u2029b", "a\\u{d}\\u{a}\\u{85}\\u{2028}\\u{2029}b"],
  ["bidirectional controls", "\u202e\u2066\u200f", "\\u{202e}\\u{2066}\\u{200f}"],
  ["what takes no place", "a\u200b\u3164\u{e0041}b", "a\\u{200b}\\u{3164}\\u{e0041}b"],
  ["blanks other than the space", "a b\u00a0\u2003\u2800\u3000", "a b\\u{a0}\\u{2003}\\u{2800}\\u{3000}"],
  ["marks that are piled up", `a${"\u0335".repeat(6)}`, `a${"\u0335".repeat(4)}\\u{335}\\u{335}`],
  ["half a surrogate pair", "\ud800", "\\u{d800}"],
  ["delete and tab", "\u007f\t", "\\u{7f}\\u{9}"],
])("makes %s visible", (_, text, visible) => {
  expect(toVisible(text)).toBe(visible);
});

it("leaves text of any script as it is", () => {
  const text = "Grüße, мир, 世界, שלום, 🙂 `x`";
  expect(toVisible(text)).toBe(text);
});

it("escapes the same in JSON, which reads back exactly", () => {
  const value = { "k\u202e": ["\u001b\u009b\u{e0041}\n\ud800", "世界"] };
  for (const indent of [undefined, 2]) {
    const json = toVisibleJson(value, indent);
    expect(json.replaceAll("\n", "")).not.toMatch(/[\p{C}]/u);
    expect(json).toContain("世界");
    expect(JSON.parse(json)).toEqual(value);
  }
});
