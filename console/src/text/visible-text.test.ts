import { describe, expect, it } from "vitest";
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
