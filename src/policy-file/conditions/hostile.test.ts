import { describe, expect, test } from "vitest";
import { compiled, factsWith, said } from "../testing/conditions.ts";

/** Far more than any of these takes, and far less than they would take unbounded. */
const SOON_MS = 2000;

const LONG = "a".repeat(1024 * 1024);
const NUMBERS = Array.from({ length: 100_000 }, (_, index) => index);
const ROWS = NUMBERS.map(() => ({}));
const DEEP = nested(50_000);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function timed(text: string, args: Readonly<Record<string, unknown>>): { says: unknown; ms: number } {
  said(text, { a: 1 });
  const start = performance.now();
  const says = said(text, args);
  return { says, ms: performance.now() - start };
}

describe("hostile arguments", () => {
  test.each([
    ["args.s.contains(args.part)", { s: LONG, part: `${LONG.slice(0, 5000)}b${LONG.slice(0, 5000)}` }],
    [`args.s.contains("${"a".repeat(900)}b${"a".repeat(900)}")`, { s: LONG }],
    ["args.list.exists(a, args.list.exists(b, a == b + 1000000))", { list: NUMBERS }],
    ["args.list.exists(a, a < 0)", { list: NUMBERS }],
    ["args.list.all(row, row.a > 1)", { list: ROWS }],
    ["args.list.exists(row, row.a > 1 || row.b > 1)", { list: ROWS }],
    ["args.list.map(a, args.s + args.s).size() > 1", { list: NUMBERS, s: LONG }],
    ["args.list.map(a, args.list + args.list).size() > 1", { list: NUMBERS }],
    ["args.list.map(a, args.list.filter(b, b > a)).size() > 1", { list: NUMBERS }],
    ["args.list.exists(a, args.s == args.t)", { list: NUMBERS, s: `${LONG}x`, t: `${LONG}y` }],
    ["args.list.exists(a, a + 'x' in args.list)", { list: NUMBERS.map((n) => `${n}`.padStart(500, "0")) }],
    ["args.s.lowerAscii().upperAscii() == args.s", { s: LONG }],
    ["args.a == args.b", { a: DEEP, b: DEEP }],
  ])("can't make %s take long, and are asked about (X3-approval)", (text, args) => {
    const { says, ms } = timed(text, args);
    expect(says).toBe("unclear");
    expect(ms).toBeLessThan(SOON_MS);
  });

  test("are told where they are merely large (X3-approval)", () => {
    expect(said("args.s.contains('secret')", { s: `${LONG}secret` })).toBe(true);
    expect(said("args.s == args.t", { s: LONG, t: LONG })).toBe(true);
    expect(said("args.list.exists(a, a == 19999)", { list: NUMBERS.slice(0, 20_000) })).toBe(true);
    expect(said("args.list.size() > 1000", { list: NUMBERS })).toBe(true);
  });

  test.each([
    "args.constructor == null",
    "args.__proto__ == null",
    "args['__proto__'] == null",
    "args.toString == null",
    "args.x.constructor.name == 'Object'",
    "args.s.length > 0",
    "args.list.length > 0",
    "args.list['length'] > 0",
    "args.list['0'] > 0",
    "args.s[0] == 'a'",
  ])("can't reach what JavaScript's objects inherit by %s (X3-approval)", (text) => {
    expect(said(text, { s: "abc", list: [1], x: {} })).toBe("unclear");
  });

  test("have no inherited names, and their own under such names (X3-approval)", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(said(`has(args.${name})`, {})).toBe(false);
      expect(said(`'${name}' in args`, {})).toBe(false);
      const args: Record<string, unknown> = JSON.parse(`{"${name}": 5}`);
      expect(said(`args.${name} > 4`, args)).toBe(true);
      expect(said(`args["${name}"] > 4`, args)).toBe(true);
      expect(said(`{"${name}": 5} == args`, args)).toBe(true);
    }
    expect(Object.hasOwn(Object.prototype, "5")).toBe(false);
  });

  test("that are no JSON are asked about (X3-approval)", () => {
    const odd: readonly unknown[] = [
      undefined,
      () => true,
      Symbol("x"),
      new Date(),
      new Map([["b", 1]]),
      /x/,
      new Proxy(class {}, {}),
    ];
    for (const a of odd) {
      expect(said("args.a == 1", { a })).toBe("unclear");
      expect(said("args.a.b == 1", { a })).toBe("unclear");
      expect(said("args.a.size() > 0", { a })).toBe("unclear");
    }
  });

  test("leave nothing behind for the next call (X3-approval)", () => {
    const result = compiled("args.list.exists(a, args.list.exists(b, a == b + 1))");
    if ("problems" in result) throw new Error("It compiles.");
    const { holds } = result.condition;
    expect(() => holds(factsWith({ list: NUMBERS.map(() => 5) }))).toThrow();
    expect(holds(factsWith({ list: [1, 2] }))).toBe(true);
    expect(holds(factsWith({ list: [1, 3] }))).toBe(false);
  });
});
