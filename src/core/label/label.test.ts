import { describe, expect, it } from "vitest";
import {
  bottomLabel,
  createLabel,
  createLattice,
  DEFAULT_LATTICE,
  flowsTo,
  isKnownLabel,
  isLabelName,
  isPrivate,
  isUntrusted,
  join,
  type Label,
  lowestClearance,
  parseLabel,
  sameLabel,
  topLabel,
} from "./label.ts";

const label = (level: string, trust: string, ...categories: string[]): Label =>
  createLabel(level, categories, trust);

const FINE = createLattice({ levels: ["low", "middle", "high"], trust: ["stranger", "guest", "owner"] });
const TOP: Label = { level: "*", categories: ["*"], trust: "untrusted" };

describe("a lattice", () => {
  it("has four levels and two steps of trust where nothing else is said (X2-lattice)", () => {
    expect(createLattice()).toEqual({
      levels: ["public", "internal", "confidential", "secret"],
      trust: ["untrusted", "trusted"],
    });
  });

  it("takes one list from the caller and the other by default", () => {
    expect(createLattice({ trust: ["guest", "owner"] })).toEqual({
      levels: ["public", "internal", "confidential", "secret"],
      trust: ["guest", "owner"],
    });
  });

  it("doesn't follow the caller's list when that changes later", () => {
    const levels = ["low", "high"];
    const lattice = createLattice({ levels });
    levels.push("higher");
    expect(lattice.levels).toEqual(["low", "high"]);
  });

  it("can't be changed at run time", () => {
    const lattice: any = createLattice();
    expect(() => lattice.levels.push("higher")).toThrow(TypeError);
    expect(() => {
      lattice.trust = [];
    }).toThrow(TypeError);
  });

  it.each([
    ["no levels", { levels: [] }, "levels", "It is empty, or a name stands in it twice."],
    ["no trust", { trust: [] }, "trust", "It is empty, or a name stands in it twice."],
    ["a level twice", { levels: ["a", "b", "a"] }, "levels", "It is empty, or a name stands in it twice."],
    [
      "a level called `*`",
      { levels: ["a", "*"] },
      "levels",
      "One of its names has a character that names can't have.",
    ],
    [
      "a trust without a name",
      { trust: [""] },
      "trust",
      "One of its names has a character that names can't have.",
    ],
  ])("with %s is refused, and the error says which list and why", (_, lists, kind, why) => {
    expect(() => createLattice(lists)).toThrow(
      expect.objectContaining({
        code: "policy-invalid",
        message: `The list of ${kind} can't be used.`,
        why,
        fix: `List each of the ${kind} once, lowest first, with letters, digits and any of "_ . : / -".`,
      }),
    );
  });
});

describe("a name of a level, a category or a trust", () => {
  it.each([
    "a",
    "0",
    "customer:acme",
    "eu/de.berlin-1_x",
    "constructor",
    "x".repeat(64),
  ])("may be %j", (name) => {
    expect(isLabelName(name)).toBe(true);
  });

  it.each([
    "",
    "*",
    "_x",
    "__proto__",
    "a b",
    "a`b",
    "ä",
    "a\n",
    "in\u202eternal",
    "x".repeat(65),
  ])("may not be %j", (name) => {
    expect(isLabelName(name)).toBe(false);
  });
});

describe("the ends of a lattice", () => {
  it.each([
    ["the least label", bottomLabel, { level: "low", categories: [], trust: "owner" }],
    ["the top label", topLabel, { level: "*", categories: ["*"], trust: "stranger" }],
    ["the least clearance", lowestClearance, { level: "low", categories: [], trust: "stranger" }],
  ] as const)("hold %s", (_, end, expected) => {
    expect(end(FINE)).toEqual(expected);
  });

  it("let nothing flow where somebody made a lattice without names", () => {
    const empty = { levels: [], trust: [] };
    expect(flowsTo(empty, bottomLabel(empty), lowestClearance(empty))).toBe(false);
    expect(flowsTo(empty, topLabel(empty), topLabel(empty))).toBe(false);
  });
});

describe("a label", () => {
  it("has its categories sorted, each once", () => {
    expect(createLabel("public", ["b", "a", "b"], "trusted").categories).toEqual(["a", "b"]);
  });

  it("has every category as soon as `*` is among them", () => {
    expect(createLabel("public", ["a", "*", "b"], "trusted").categories).toEqual(["*"]);
  });

  it("can't be changed at run time, nor through the list that it was made from", () => {
    const categories = ["a"];
    const made: any = createLabel("public", categories, "trusted");
    categories.push("b");
    expect(made.categories).toEqual(["a"]);
    expect(() => made.categories.pop()).toThrow(TypeError);
    expect(() => {
      made.level = "secret";
    }).toThrow(TypeError);
  });

  it.each([
    [label("internal", "trusted"), true],
    [label("*", "untrusted", "*"), true],
    [label("internal", "trusted", "any category"), true],
    [label("galactic", "trusted"), false],
    [label("constructor", "trusted"), false],
    [label("internal", "__proto__"), false],
    [label("internal", "*"), false],
  ])("%j is known to the lattice: %s", (given, known) => {
    expect(isKnownLabel(DEFAULT_LATTICE, given)).toBe(known);
  });

  it.each([
    [label("low", "owner"), false],
    [label("low", "stranger"), false],
    [label("middle", "owner"), true],
    [label("low", "owner", "hr"), true],
    [label("*", "owner"), true],
    [label("galactic", "owner"), true],
  ])("%j is private: %s (A4)", (given, expected) => {
    expect(isPrivate(FINE, given)).toBe(expected);
  });

  it.each([
    ["owner", false],
    ["guest", true],
    ["stranger", true],
    ["nobody knows", true],
  ])("with the trust %j is untrusted: %s (X2-lattice)", (trust, expected) => {
    expect(isUntrusted(FINE, label("low", trust))).toBe(expected);
  });

  it.each([
    [label("internal", "trusted", "a", "b"), label("internal", "trusted", "b", "a"), true],
    [label("internal", "trusted"), label("public", "trusted"), false],
    [label("internal", "trusted"), label("internal", "untrusted"), false],
    [label("internal", "trusted", "a"), label("internal", "trusted", "a", "b"), false],
    [label("internal", "trusted", "a"), label("internal", "trusted", "b"), false],
  ])("%j is the same as %j: %s", (left, right, same) => {
    expect(sameLabel(left, right)).toBe(same);
  });
});

describe("data with a label", () => {
  it.each([
    ["of a lower level", label("low", "owner"), label("high", "stranger")],
    ["of the same level", label("middle", "owner"), label("middle", "stranger")],
    ["of one of the categories", label("low", "owner", "hr"), label("low", "stranger", "hr", "law")],
    [
      "of some categories, where every category may",
      label("low", "owner", "hr"),
      label("low", "stranger", "*"),
    ],
    [
      "of every category, where every category may",
      label("low", "owner", "*"),
      label("low", "stranger", "*"),
    ],
    ["of any level, where every level may", label("high", "owner"), label("*", "stranger")],
    ["of every level, where every level may", label("*", "owner"), label("*", "stranger")],
    ["of an unknown level and trust, to the top", label("galactic", "unheard", "hr"), topLabel(FINE)],
    ["of just the trust that is demanded", label("low", "guest"), label("low", "guest")],
    ["of more trust than is demanded", label("low", "owner"), label("low", "guest")],
    ["that nobody classified, to the top", topLabel(FINE), topLabel(FINE)],
  ])("%s may go there (X2-lattice)", (_, data, clearance) => {
    expect(flowsTo(FINE, data, clearance)).toBe(true);
  });

  it.each([
    ["of a higher level", label("high", "owner"), label("middle", "stranger")],
    ["of a category too many", label("low", "owner", "hr", "law"), label("low", "stranger", "hr")],
    ["of a category, where none may", label("low", "owner", "hr"), label("high", "stranger")],
    ["of every category, where some may", label("low", "owner", "*"), label("low", "stranger", "hr")],
    ["of less trust than is demanded", label("low", "stranger"), label("high", "guest")],
    ["of a level that the lattice doesn't know", label("galactic", "owner"), label("high", "stranger")],
    ["of an unknown level, where every level may", label("galactic", "owner"), label("*", "stranger")],
    ["of a level called like a property", label("constructor", "owner"), label("high", "stranger")],
    ["of a trust that the lattice doesn't know", label("low", "unheard"), label("high", "stranger")],
    ["that nobody classified", topLabel(FINE), label("high", "stranger", "*")],
    ["of the least label, to a level that isn't there", bottomLabel(FINE), label("galactic", "stranger")],
    ["of the least label, to a trust that isn't there", bottomLabel(FINE), label("high", "unheard")],
  ])("%s may not go there (X2-lattice)", (_, data, clearance) => {
    expect(flowsTo(FINE, data, clearance)).toBe(false);
  });
});

describe("the join of two labels", () => {
  it.each([
    ["the higher level", label("low", "owner"), label("high", "owner"), label("high", "owner")],
    [
      "the left level where that is higher",
      label("high", "owner"),
      label("low", "guest"),
      label("high", "guest"),
    ],
    ["the lower trust", label("low", "guest"), label("high", "owner"), label("high", "guest")],
    [
      "all categories",
      label("low", "owner", "b"),
      label("low", "owner", "a"),
      label("low", "owner", "a", "b"),
    ],
    ["every category", label("low", "owner", "b"), label("low", "owner", "*"), label("low", "owner", "*")],
    [
      "the worst of each part",
      label("high", "owner", "hr"),
      label("low", "stranger", "law"),
      label("high", "stranger", "hr", "law"),
    ],
    ["the level above them all", label("high", "owner"), label("*", "owner"), label("*", "owner")],
    ["the top where the left level is unknown", label("odd", "owner"), label("low", "owner"), topLabel(FINE)],
    ["the top where the right trust is unknown", label("low", "owner"), label("low", "odd"), topLabel(FINE)],
  ])("has %s (A4, X2-lattice)", (_, left, right, expected) => {
    expect(join(FINE, left, right)).toEqual(expected);
  });

  it("is the left one itself where the right one adds nothing", () => {
    const left = label("middle", "guest", "hr");
    expect(join(FINE, left, label("low", "owner", "hr"))).toBe(left);
    expect(join(FINE, label("low", "owner"), left)).not.toBe(left);
  });

  it("of one internal and one public data set is internal, not more (A4)", () => {
    expect(join(DEFAULT_LATTICE, label("internal", "trusted"), label("public", "trusted")).level).toBe(
      "internal",
    );
  });
});

describe("a label read from a store", () => {
  it("is taken as it stands where it is whole, with its categories in order", () => {
    const stored = { level: "internal", categories: ["b", "a", "b"], trust: "trusted", more: 1 };
    expect(parseLabel(DEFAULT_LATTICE, stored)).toEqual({
      level: "internal",
      categories: ["a", "b"],
      trust: "trusted",
    });
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "public"],
    ["a list", ["public", [], "trusted"]],
    ["an empty object", {}],
    ["no trust", { level: "public", categories: [] }],
    ["no categories", { level: "public", trust: "trusted" }],
    ["a number for a level", { level: 0, categories: [], trust: "trusted" }],
    ["a text for categories", { level: "public", categories: "a", trust: "trusted" }],
    ["a category that is no text", { level: "public", categories: ["a", null], trust: "trusted" }],
    ["an unknown level", { level: "galactic", categories: [], trust: "trusted" }],
    ["an unknown trust", { level: "public", categories: [], trust: "constructor" }],
    ["a level called `__proto__`", { level: "__proto__", categories: [], trust: "trusted" }],
  ])("is the top where it is %s (A4)", (_, stored) => {
    expect(parseLabel(DEFAULT_LATTICE, stored)).toEqual(TOP);
  });
});

describe("more categories than a label may tell apart", () => {
  it("are taken for all of them, so that a label never grows without end (law-3)", () => {
    const many = Array.from({ length: 257 }, (_, index) => `customer:${index}`);
    expect(createLabel("internal", many, "trusted").categories).toEqual(["*"]);
    expect(createLabel("internal", many.slice(1), "trusted").categories).toHaveLength(256);
  });
});
