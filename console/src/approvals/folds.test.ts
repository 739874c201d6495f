import { describe, expect, it } from "vitest";
import { foldsOf } from "./folds.ts";

const cut = (pointer: string, characters = 5_242_890) =>
  ({ part: "arguments", pointer, characters }) as const;
const told = (args: Record<string, unknown>, folded: Parameters<typeof foldsOf>[0]["folded"] = []) =>
  foldsOf({ arguments: args, folded }).map(({ name, size, isCut }) => [name, size, isCut]);

describe("what is folded in an approval", () => {
  it("is nothing where all of it is on the page", () => {
    expect(told({ to: "ann", items: [1, 2], nested: { deep: { er: null } } })).toEqual([]);
  });

  it("is what the gateway cut, by the names that lead to it", () => {
    const args = { body: "…", items: [{ text: "…" }], "a/b~": "…" };
    expect(told(args, [cut("/body"), cut("/items/0/text", 2_000), cut("/a~1b~0", 1_600)])).toEqual([
      ["body", "5.2 MB", true],
      ["items › 1 › text", "2.0 kB", true],
      ["a/b~", "1.6 kB", true],
    ]);
  });

  it("is opened as a whole: nothing inside of it is folded by itself", () => {
    const args = { items: ["…"], other: "…" };
    expect(told(args, [cut("/items", 90_000), cut("/items/7"), cut("/other")])).toEqual([
      ["items", "90 kB", true],
      ["other", "5.2 MB", true],
    ]);
    expect(told(args, [cut(""), cut("/other")])).toEqual([["all arguments", "5.2 MB", true]]);
  });

  it("tells names apart that only begin alike", () => {
    expect(told({ a: "…", ab: "…" }, [cut("/a"), cut("/ab")]).map(([name]) => name)).toEqual(["a", "ab"]);
  });

  it("is a change that is too long for the list, besides the arguments", () => {
    const folded = [{ part: "diff", pointer: "", characters: 40_000 }, cut("/content", 30_000)] as const;
    expect(told({ content: "…" }, [...folded]).map(([name]) => name)).toEqual(["the changes", "content"]);
  });

  it("is a long list, what is nested deep, and a long text that the gateway left whole", () => {
    const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => ({ inner }), "deepest");
    const list = Array.from({ length: 10_000 }, (_, at) => at);
    const folds = told({
      list,
      deep,
      text: "x".repeat(1_501),
      ok: "x".repeat(1_500),
      fifty: list.slice(0, 50),
    });
    expect(folds).toEqual([
      ["list", "10,000 items", false],
      [expect.stringMatching(/^deep › inner › /), expect.stringMatching(/characters$/), false],
      ["text", "1.5 kB", false],
    ]);
  });

  it("has a name that fits a button, however long the model's is", () => {
    const [[name] = []] = told({ ["n".repeat(500)]: "…" }, [cut(`/${"n".repeat(500)}`)]);
    expect(String(name).length).toBeLessThan(60);
  });
});
