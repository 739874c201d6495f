import { describe, expect, it } from "vitest";
import { directionOf, toRuns } from "./direction.tsx";
import { toVisibleParts } from "./visible-text.tsx";

const shown = (text: string, lines = false): string =>
  toVisibleParts(text, { lines })
    .map((part) => (part.isCode ? `[${part.text}]` : part.text))
    .join("");

describe("text of strangers", () => {
  it.each([
    ["a right-to-left override", "invoice\u202Efdp.exe", "invoice[U+202E]fdp.exe"],
    ["a zero-width space", "pay\u200Bpal", "pay[U+200B]pal"],
    ["an escape sequence", "\u001B[31mred", "[ESC][31mred"],
    ["a bidirectional isolate", "\u2066x\u2069", "[U+2066]x[U+2069]"],
    ["a tag character", "a\u{E0041}b", "a[U+E0041]b"],
    ["half a surrogate pair", "a\uD800b", "a[U+D800]b"],
    ["a tab and a carriage return", "a\tb\r", "a[TAB]b[CR]"],
    ["a no-break space", "a\u00A0b", "a[U+00A0]b"],
    ["blanks at the ends, and no others", " to  be ", "[·]to  be[·]"],
    ["many blanks", `a${" ".repeat(40)}`, "a[40 blanks]"],
    ["punctuation that turns the digits around it", "111111\u05C3999999", "111111[U+05C3]999999"],
    ["a letter that turns the digits around it", "111111\u05D0999999", "111111[U+05D0]999999"],
    ["digits of another direction", "12\u066034", "12[U+0660]34"],
    ["names that are written from right to left", "שלום עולם! 3, مرحبا؟", "שלום עולם! 3, مرحبا؟"],
    ["markup, which is text", "<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  ])("shows %s (D7-console)", (_, given, expected) => {
    expect(shown(given)).toBe(expected);
  });

  it("keeps line feeds where lines are kept, and shows them elsewhere", () => {
    expect(shown("one\ntwo", true)).toBe("one\ntwo");
    expect(shown("one\ntwo")).toBe("one[LF]two");
    expect(shown("  one\n  two ", true)).toBe("  one\n  two ");
  });

  it("gives each part the place where it began", () => {
    expect(toVisibleParts("ab\u200Bc").map(({ at }) => at)).toEqual([0, 2, 3]);
  });
});

describe("the direction of a text", () => {
  it("is that of its own letters where it has no others, and from left to right in all other cases", () => {
    expect(["שלום עולם!", "pay 3", "", "שלום 3", "3 שלום 5 a"].map(directionOf)).toEqual([
      "rtl",
      "ltr",
      "ltr",
      "ltr",
      "ltr",
    ]);
  });

  it("turns no digit and no Latin letter: each run from right to left stands by itself", () => {
    const runs = (text: string) =>
      toRuns(text).map(({ text: run, isTurned }) => (isTurned ? `<${run}>` : run));
    expect(runs("to 111 אבג דה 999")).toEqual(["to 111 ", "<אבג דה>", " 999"]);
    expect(runs("plain")).toEqual(["plain"]);
    expect(runs("א1ב")).toEqual(["<א>", "1", "<ב>"]);
    expect(toRuns("א".repeat(100_000))).toHaveLength(1);
  });
});
