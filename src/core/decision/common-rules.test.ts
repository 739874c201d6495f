import { describe, expect, it } from "vitest";
import { commonRules } from "./common-rules.ts";
import { ruleProblem } from "./standing.ts";

const ruleOf = (...values: readonly unknown[]) => commonRules(values.map((to) => ({ to }))).to;

describe("what approved calls have in common", () => {
  it.each<[string, readonly unknown[], unknown]>([
    ["a value that stays", ["ada", "ada", "ada"], { equals: "ada" }],
    [
      "an object that stays, whatever the order of its keys",
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      { equals: { a: 1, b: 2 } },
    ],
    ["a folder", ["docs/a.md", "docs/b.md", "docs/drafts/c.md"], { prefix: "docs" }],
    ["the deepest folder", ["/home/ada/docs/a", "/home/ada/docs/b"], { prefix: "/home/ada/docs" }],
    [
      "a host",
      ["https://api.example.org/a", "https://api.example.org/b?x=1"],
      { prefix: "https://api.example.org" },
    ],
    [
      "part of an address",
      ["https://Example.org/v1/a", "https://example.org/v1/b"],
      { prefix: "https://example.org/v1" },
    ],
    ["a maximum", [12, 3, 40.5], { atMost: 40.5 }],
    ["numbers below zero", [-12, 3], { oneOf: [-12, 3] }],
    ["a few words", ["ada", "bo", "ada"], { oneOf: ["ada", "bo"] }],
    [
      "mail addresses",
      ["ada@acme.example", "bo@acme.example"],
      { oneOf: ["ada@acme.example", "bo@acme.example"] },
    ],
    ["folders of the machine", ["/etc/a", "/etc/b"], { oneOf: ["/etc/a", "/etc/b"] }],
    ["paths that lead out", ["docs/../a", "docs/../b"], { oneOf: ["docs/../a", "docs/../b"] }],
    [
      "hosts that differ",
      ["https://a.example/x", "https://b.example/x"],
      { oneOf: ["https://a.example/x", "https://b.example/x"] },
    ],
    [
      "ports that differ",
      ["http://a.example/x", "http://a.example:81/x"],
      { oneOf: ["http://a.example/x", "http://a.example:81/x"] },
    ],
    ["numbers and texts", [1, "1"], { oneOf: [1, "1"] }],
    ["lists", [["ada"], ["bo"]], { oneOf: [["ada"], ["bo"]] }],
    ["nothing and something", [null, "ada"], { oneOf: [null, "ada"] }],
    ["sentences with a slash", ["yes / no", "yes / maybe"], { oneOf: ["yes / no", "yes / maybe"] }],
  ])("is, of %s, what covers each of them (X19)", (_, values, rule) => {
    expect(ruleOf(...values)).toEqual(rule);
    for (const value of values)
      expect(ruleProblem(rule as NonNullable<ReturnType<typeof ruleOf>>, value)).toBeNull();
  });

  it.each([
    "id",
    "user_id",
    "userId",
    "userID",
    "issue-id",
    "ids",
  ])("is never a maximum for %s: another number means another thing (X19)", (name) => {
    const rules = commonRules([{ [name]: 1001 }, { [name]: 1003 }]);
    expect(rules).toEqual({ [name]: { oneOf: [1001, 1003] } });
  });

  it("is said of each argument by its own name (X19)", () => {
    const rules = commonRules([
      { constructor: 1, path: "a/b", paid: 1 },
      { constructor: 2, path: "a/c", paid: 2 },
    ]);
    expect(rules).toEqual({ constructor: { atMost: 2 }, path: { prefix: "a" }, paid: { atMost: 2 } });
  });
});
