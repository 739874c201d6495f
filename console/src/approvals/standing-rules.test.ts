import { describe, expect, it } from "vitest";
import { folderOf, type RuleKind, rowsOf, toKind, toRules } from "./standing-rules.ts";

const ROWS = rowsOf({
  arguments: { path: "docs/drafts/a.md", amount: 12, body: "two\nlines", to: ["ann"], long: "cut" },
  folded: [{ part: "arguments", pointer: "/long", characters: 9_000 }],
});

const row = (name: string, kind: RuleKind, text?: string) => {
  const found = ROWS.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  const changed = toKind(found, kind);
  return text === undefined ? changed : { ...changed, text };
};

describe("what can be said of an argument", () => {
  it("depends on its value, and on whether all of it is here (X19)", () => {
    expect(ROWS.map(({ name, kinds }) => [name, kinds.join()])).toEqual([
      ["path", "same,one-of,prefix,any"],
      ["amount", "same,one-of,at-most,any"],
      ["body", "same,any"],
      ["to", "same,any"],
      ["long", "same,any"],
    ]);
  });

  it("is at first that it stays as it is, which needs no rule (X19)", () => {
    expect(toRules(ROWS)).toEqual({ rules: {} });
  });

  it("begins with what is likely meant (X19)", () => {
    const likely = [row("path", "prefix"), row("amount", "at-most"), row("body", "any")];
    expect(toRules(likely)).toEqual({
      rules: { path: { prefix: "docs/drafts" }, amount: { at_most: 12 }, body: { any: true } },
    });
  });

  it("is one value of a line each, numbers as numbers (X19)", () => {
    const listed = [row("path", "one-of", "a\n\nb"), row("amount", "one-of", "1\n2.5")];
    expect(toRules(listed)).toEqual({
      rules: { path: { one_of: ["a", "b"] }, amount: { one_of: [1, 2.5] } },
    });
  });

  it.each([
    ["at-most", "twelve"],
    ["one-of", " "],
  ] as const)("isn't sent as %s with %o (X19)", (kind, text) => {
    expect(toRules([row("amount", kind, text)])).toHaveProperty("problem");
  });
});

it.each([
  ["https://api.example.org:8080/v1?x=1", "https://api.example.org:8080"],
  ["/home/ada/notes.txt", "/home/ada"],
  ["docs/a.md", "docs"],
  ["/notes.txt", null],
  ["ann@example.org", null],
  ["either / or", null],
])("suggests for %o the folder or host %o (X19)", (value, folder) => {
  expect(folderOf(value)).toBe(folder);
});
