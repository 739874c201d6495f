import { describe, expect, it } from "vitest";
import { depthOf, toJsonText, toLines, toMembers, valueAt } from "./argument-members.ts";

describe("the members of a value", () => {
  it("have a pointer each, with names escaped, and a list's are counted from 1", () => {
    expect(toMembers({ "a/b~": 1, c: [] }, "/x")).toMatchObject([
      { pointer: "/x/a~1b~0", name: "a/b~", isItem: false, isNested: false },
      { pointer: "/x/c", name: "c", isNested: false },
    ]);
    expect(toMembers(["y"], "")).toMatchObject([{ pointer: "/0", name: "1", isItem: true }]);
  });

  it("are found again by their pointers", () => {
    const whole = { "a/b~": [{ c: "here" }] };
    expect(valueAt(whole, "/a~1b~0/0/c")).toBe("here");
    expect(valueAt(whole, "")).toBe(whole);
    expect(valueAt(whole, "/constructor")).toBeUndefined();
  });

  it("may be called as nothing else can be: __proto__ is a name", () => {
    const members = toMembers(JSON.parse('{"__proto__": {"polluted": true}}'), "");
    expect(members.map(({ name }) => name)).toEqual(["__proto__"]);
  });

  it("may lie deep", () => {
    expect([depthOf(1, 9), depthOf({ a: [1] }, 9), depthOf({ a: { b: { c: 1 } } }, 2)]).toEqual([0, 2, 2]);
  });
});

describe("the lines of a text", () => {
  const told = (text: string) => toLines(text).map(({ line, isBroken }) => `${line}${isBroken ? "|" : ""}`);

  it("are told apart from a line that only was too long", () => {
    expect(told("one\ntwo")).toEqual(["one|", "two"]);
    expect(told("one\n")).toEqual(["one|"]);
    expect(told("\n\na")).toEqual(["|", "|", "a"]);
  });

  it("keep a hole of many empty ones together", () => {
    expect(told(`a\n${"\n".repeat(9)}b`)).toEqual(["a|", "\n".repeat(9), "b"]);
  });

  it("have their places, and one is the last", () => {
    expect(toLines("a\nb").map(({ at, isLast }) => [at, isLast])).toEqual([
      [0, false],
      [2, true],
    ]);
  });
});

describe("JSON in lines", () => {
  it("reads back as what it was", () => {
    const value = { a: [1, { b: null, c: [] }, "x\ny"], "": {}, d: true };
    expect(JSON.parse(toJsonText(value))).toEqual(value);
  });

  it("goes no further in than fits a page", () => {
    const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), 1);
    const indents = toJsonText(deep)
      .split("\n")
      .map((line) => line.search(/\S/));
    expect(Math.max(...indents)).toBe(20);
  });
});
