import { describe, expect, it } from "vitest";
import { bottomLabel, DEFAULT_LATTICE } from "../../core/index.ts";
import { cutText, foldApproval } from "./fold-approval.ts";
import type { ApprovalDetails } from "./kept-approvals.ts";

const details = (args: Record<string, unknown>, preview: string | null = null): ApprovalDetails => ({
  id: "appr_1",
  session: "sess_1",
  principal: "ada",
  call: "call_1",
  tool: "pay",
  arguments: args,
  reasons: [],
  why: [],
  release: false,
  targets: [],
  preview,
  label: bottomLabel(DEFAULT_LATTICE),
  at: "2026-11-22T10:00:00.000Z",
  expiresAt: "2026-11-22T11:00:00.000Z",
  policy: "1",
});

const fold = (args: Record<string, unknown>, most = 10) => {
  const folded = foldApproval(details(args), most);
  return { args: folded.details.arguments, folded: folded.folded };
};

/** Arguments that nest so deep, each level with a member that `beside` makes. */
const nested = (depth: number, beside: (at: number) => Record<string, unknown>): Record<string, unknown> => {
  let value: Record<string, unknown> = {};
  for (let at = depth; at > 0; at -= 1) value = { ...beside(at), in: value };
  return value;
};

describe("A folded approval", () => {
  it("has long texts cut, and says where and how long they are", () => {
    const args = { short: "ok", "a/b~c": "x".repeat(30), list: [1, null, true, ["y".repeat(11)]] };
    expect(fold(args)).toEqual({
      args: { short: "ok", "a/b~c": "x".repeat(10), list: [1, null, true, ["y".repeat(10)]] },
      folded: [
        { part: "arguments", pointer: "/a~1b~0c", characters: 30 },
        { part: "arguments", pointer: "/list/3/0", characters: 11 },
      ],
    });
    expect(foldApproval(details({}, "d".repeat(40)), 10)).toMatchObject({
      details: { preview: "d".repeat(10) },
      folded: [{ part: "diff", pointer: "", characters: 40 }],
    });
  });

  it("is the approval itself where nothing is too long", () => {
    const args = { text: "0123456789", deep: { list: [[], {}, 0] } };
    expect(fold(args)).toEqual({ args, folded: [] });
  });

  it("never ends a text with half of a character", () => {
    expect(cutText("ab😀cd", 3)).toBe("ab");
    expect(cutText("ab😀cd", 4)).toBe("ab😀");
    for (let most = 0; most < 8; most += 1) expect(cutText("😀😀😀😀", most).isWellFormed()).toBe(true);
  });

  it("has the first of many values, and names what has some left out, with its whole length", () => {
    const list = Array.from({ length: 100_000 }, (_, at) => at);
    const { args, folded } = fold({ a: list, z: "last" }, 1000);
    expect(args).toMatchObject({ z: "last" });
    expect(args.a).toEqual(list.slice(0, 498));
    expect(folded).toEqual([{ part: "arguments", pointer: "/a", characters: JSON.stringify(list).length }]);
  });

  it("leaves out what stands under a name that is too long, and says so", () => {
    const args = { ["k".repeat(2_000_000)]: "hidden", plain: 1 };
    const { args: shown, folded } = fold(args);
    expect(shown).toEqual({ plain: 1 });
    expect(folded).toEqual([{ part: "arguments", pointer: "", characters: JSON.stringify(args).length }]);
  });

  it("measures what is left out at every depth in one go, and says exactly how long it is", () => {
    const args = nested(120, (at) => ({ ["k".repeat(60_000)]: `"\u0001${at}` }));
    const began = performance.now();
    const { folded } = fold(args);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(folded[0]).toEqual({
      part: "arguments",
      pointer: "",
      characters: JSON.stringify(args).length,
    });
    expect(folded.length).toBeGreaterThan(20);
  });

  it.each([
    ["long names that nest", nested(120, (at) => ({ ["n".repeat(1000)]: { [`t${at}`]: "x".repeat(3000) } }))],
    ["many long texts", Object.fromEntries(Array.from({ length: 400 }, (_, at) => [at, "x".repeat(9999)]))],
    [
      "a long path to many texts",
      {
        ["p".repeat(1000)]: {
          ["q".repeat(1000)]: Object.fromEntries(
            Array.from({ length: 480 }, (_, at) => [`k${at}`, "x".repeat(2000)]),
          ),
        },
      },
    ],
  ])("stays short, and tells that it isn't whole, with %s", (_, args) => {
    const { args: shown, folded } = fold(args, 1000);
    expect(JSON.stringify(folded).length + JSON.stringify(shown).length).toBeLessThan(100_000);
    expect(folded.length).toBeGreaterThan(0);
    // Whatever differs from the whole lies at or below a place that is named.
    const places = folded.map(({ pointer }) => pointer);
    for (const place of differences(args, shown)) {
      expect(places.some((named) => place === named || place.startsWith(`${named}/`))).toBe(true);
    }
  });
});

/** The places where two values differ, as JSON Pointers; a container with other members is one. */
function differences(whole: unknown, shown: unknown, place = ""): readonly string[] {
  if (typeof whole !== "object" || whole === null || typeof shown !== "object" || shown === null)
    return whole === shown ? [] : [place];
  const keys = Object.keys(whole);
  const missing = keys.length > Object.keys(shown).length ? [place] : [];
  const inner = Object.keys(shown).flatMap((key) =>
    differences(Reflect.get(whole, key), Reflect.get(shown, key), `${place}/${key}`),
  );
  return [...missing, ...inner];
}
