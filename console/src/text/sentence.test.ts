import { describe, expect, it } from "vitest";
import { toSentenceParts } from "./sentence.tsx";

const shown = (sentence: string): string =>
  toSentenceParts(sentence)
    .map(({ text, isName }) => (isName ? `<${text}>` : text))
    .join("");

describe("a sentence of the gateway's", () => {
  it("has its names told apart", () => {
    expect(shown("`web_search` is blocked after `a b`.")).toBe("<web_search> is blocked after <a b>.");
  });

  it("keeps a backtick that has no other, and an empty pair", () => {
    expect(shown("a ` b")).toBe("a ` b");
    expect(shown("a `` b")).toBe("a `` b");
  });
});
