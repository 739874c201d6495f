import { describe, expect, test } from "vitest";
import { nearMiss } from "../../core/index.ts";
import { createSuggester, didYouMean } from "./quote.ts";
import type { TextTree } from "./tree.ts";

const KNOWN = ["source", "sink", "permissions", "is_external", "tags"];

describe("a near miss", () => {
  test.each([
    ["sorce", "source"],
    ["Source", "source"],
    ["snik", "sink"],
    ["permisions", "permissions"],
    ["premissoins", "permissions"],
    ["isExternal", "is_external"],
    ["is-external", "is_external"],
    ["tag", "tags"],
    ["zebra", undefined],
    ["link", "sink"],
    ["x", undefined],
    ["", undefined],
    ["s".repeat(100), undefined],
  ])("of %j is %j", (wrong, right) => {
    expect(nearMiss(wrong, KNOWN)).toBe(right);
  });

  test("is the nearest of several, the first of equals", () => {
    expect(nearMiss("search_emai", ["search_mail", "search_email", "search_emails"])).toBe("search_email");
    expect(nearMiss("tool_x", ["tool_a", "tool_b"])).toBe("tool_a");
  });

  test("is none of one or two letters, which are near to everything", () => {
    expect(nearMiss("c", ["b"])).toBeUndefined();
    expect(nearMiss("to", ["go"])).toBeUndefined();
  });

  test("ends a sentence either way", () => {
    expect(didYouMean("sorce", KNOWN)).toBe("; did you mean `source`?");
    expect(didYouMean("zebra", KNOWN)).toBe(".");
  });
});

describe("a suggester", () => {
  const wrong = (value: string, written = value): TextTree => ({
    kind: "scalar",
    at: { line: 1, column: 1 },
    value,
    written,
    inset: null,
    unresolved: false,
  });

  test("suggests nothing for what a variable filled in", () => {
    const suggest = createSuggester(["search"]);
    expect(suggest(wrong("serch"))).toBe("; did you mean `search`?");
    expect(suggest(wrong("serch", "$" + "{TOOL}"))).toBe(".");
  });

  test("gives up where a file has very many wrong names", () => {
    const suggest = createSuggester(Array.from({ length: 30_000 }, (_, index) => `tool_${index}`));
    expect([1, 2, 3].map(() => suggest(wrong("tol_1")))).toEqual([
      "; did you mean `tool_1`?",
      "; did you mean `tool_1`?",
      ".",
    ]);
  });
});
