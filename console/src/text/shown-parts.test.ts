import { describe, expect, it } from "vitest";
import { toBlocks, toShownParts, toSize } from "./shown-parts.ts";

const shown = (text: string): string =>
  toShownParts(text)
    .map((part) => (part.kind === "code" ? `[${part.text}]` : part.text))
    .join("");

describe("a text's parts", () => {
  it.each([
    ["plain text, with one blank", "plain text, with one blank"],
    [" led and trailed ", "·led and trailed·"],
    ["a   b", "a···b"],
    [`a${" ".repeat(2_000)}b`, "a[2,000 blanks]b"],
    ["first \n  second", "first·\n··second"],
    [`a${"\n".repeat(500)}b`, "a[500 line breaks]b"],
    ["a\n\n\nb", "a\n\n\nb"],
    ["pay\u200Bpal", "pay[U+200B]pal"],
    [`a${"\u200B".repeat(1_000)}b`, "a[U+200B ×1,000]b"],
    ["\u202E\u202D", "[U+202E][U+202D]"],
    ["Größe 漢字", "Größe 漢字"],
  ])("shows what an eye would pass over: %j", (text, seen) => {
    expect(shown(text)).toBe(seen);
  });

  it("begin where they stand, each once", () => {
    const parts = toShownParts(" a\u200B\u200Bb ");
    expect(parts.map(({ at }) => at)).toEqual([0, 1, 2, 4, 5]);
  });
});

describe("a long text's blocks", () => {
  it.each([
    ["lines", "a line of text\n".repeat(5_000)],
    ["one line", "0123456789".repeat(50_000)],
    ["pairs", "\u{1F600}".repeat(30_000)],
    ["a hole", `a${"\n".repeat(100_000)}b`],
    ["nothing", ""],
  ])("are all of it, and none is too long: %s", (_, text) => {
    const blocks = toBlocks(text);
    expect(blocks.map((block) => block.text).join("")).toBe(text);
    for (const block of blocks) expect(block.text.replace(/\n+/g, "\n").length).toBeLessThanOrEqual(20_000);
    expect(blocks.every((block) => block.text.isWellFormed())).toBe(true);
  });

  it("keep a hole in one piece, so that it is told as one", () => {
    expect(toBlocks(`a${"\n".repeat(100_000)}b`).map(({ text }) => shown(text))).toContain(
      "a[100,000 line breaks]",
    );
  });
});

describe("a size", () => {
  it.each([
    [820, "820 characters"],
    [1_600, "1.6 kB"],
    [12_345, "12 kB"],
    [999_700, "1.0 MB"],
    [5_242_890, "5.2 MB"],
  ])("of %i is told in a person's unit", (characters, told) => {
    expect(toSize(characters)).toBe(told);
  });
});
