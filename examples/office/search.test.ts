import { describe, expect, it } from "vitest";
import { toExcerpt } from "./excerpt.ts";
import { search } from "./search.ts";

const items = [
  { title: "Lunch", text: "Soup on Monday, and soup on Tuesday." },
  { title: "Q3 figures", text: "Revenue is up." },
  { title: "Minutes", text: "We looked at the Q3 figures and at the soup." },
];

function titles(query: string, limit = 5) {
  const fields = (item: (typeof items)[number]) => [
    { text: item.title, weight: 3 },
    { text: item.text, weight: 1 },
  ];
  const found = search({ query, items, limit, fields });
  return { titles: found.items.map((item) => item.title), total: found.total };
}

describe("search", () => {
  it.each([
    ["q3", ["Q3 figures", "Minutes"]],
    ["FIGURE", ["Q3 figures", "Minutes"]],
    ["the soup", ["Lunch", "Minutes"]],
    ["reve", ["Q3 figures"]],
    ["rev", []],
    ["holiday", []],
    ["?!", []],
  ])("finds for %j the items %j, best first", (query, expected) => {
    expect(titles(query).titles).toEqual(expected);
  });

  it("says how many there are beyond the limit", () => {
    expect(titles("soup", 1)).toEqual({ titles: ["Lunch"], total: 2 });
  });
});

describe("excerpt", () => {
  const text = "Nothing here. The price fell in September. More follows later on.";

  it("begins at the sentence with the query's words", () => {
    expect(toExcerpt(text, "price september")).toBe("… The price fell in September. More follows later on.");
  });

  it("ends between two words", () => {
    expect(toExcerpt(text, "price", 16)).toBe("… The price fell …");
  });
});
