import { evaluate } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factsWith, said } from "../testing/conditions.ts";

const KEYS = ["a", "b", "c"] as const;

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, -1.5, 2.25),
  fc.constantFrom("", "a", "ab", "A"),
  fc.boolean(),
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 3 }),
  ),
}));

const args = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 3 });

/** Texts of conditions; each part is drawn as what it most often should be, so that most have a value. */
const { condition } = fc.letrec<{
  condition: string;
  thing: string;
  number: string;
  text: string;
  list: string;
}>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(tie("number"), fc.constantFrom("<", "<=", ">", ">=", "==", "!="), tie("number")).map(join),
    fc.tuple(tie("text"), fc.constantFrom("==", "!=", "<"), tie("text")).map(join),
    fc.tuple(tie("thing"), fc.constantFrom("==", "!="), tie("thing")).map(join),
    fc.tuple(tie("thing"), fc.constant("in"), tie("list")).map(join),
    fc.constantFrom(...KEYS).map((key) => `has(args.${key})`),
    fc.tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition")).map(join),
    tie("condition").map((inner) => `!${inner}`),
    fc
      .tuple(
        tie("list"),
        fc.constantFrom("exists", "all", "exists_one"),
        fc.constantFrom(">", "==", "!="),
        tie("number"),
      )
      .map(([list, loop, sign, number]) => `${list}.${loop}(i, i ${sign} ${number})`),
    fc
      .tuple(tie("text"), fc.constantFrom("startsWith", "endsWith", "contains"), tie("text"))
      .map(([text, method, part]) => `${text}.${method}(${part})`),
    fc.tuple(tie("condition"), tie("condition"), tie("condition")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
  ),
  thing: fc.oneof(
    tie("number"),
    tie("text"),
    fc.constantFrom("args.a", "args.b.a", "args.c[0]", "true", "null"),
  ),
  number: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("args.a", "args.b", "args.c.a", "args.a[0]", "1", "2", "-1", "0.5", "2.0"),
    fc.tuple(tie("number"), fc.constantFrom("+", "-", "*", "/", "%"), tie("number")).map(join),
    tie("list").map((list) => `size(${list})`),
    tie("text").map((text) => `${text}.size()`),
  ),
  text: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("args.a", "args.b", "args.c[0]", "'a'", "''", "'ab'"),
    fc.tuple(tie("text"), fc.constant("+"), tie("text")).map(join),
  ),
  list: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("args.a", "args.b", "args.c", "[1, 2]", "['a', 'ab']"),
    fc.tuple(tie("list"), tie("number")).map(([list, number]) => `${list}.filter(f, f > ${number})`),
    fc.tuple(tie("list"), tie("number")).map(([list, number]) => `${list}.map(m, m + ${number})`),
  ),
}));

function join(parts: readonly string[]): string {
  return `(${parts.join(" ")})`;
}

/** What the library whose parser is used says; ours answers to it wherever both can tell. */
function theirs(text: string, given: Readonly<Record<string, unknown>>): unknown {
  try {
    return evaluate(text, factsWith(given));
  } catch {
    return "unclear";
  }
}

function ours(text: string, given: Readonly<Record<string, unknown>>): unknown {
  try {
    return said(text, given);
  } catch {
    // Its types can't fit, or it is the same for every call.
    return "unclear";
  }
}

describe("a condition", () => {
  test("has the value that CEL gives it, wherever both can tell (X3-approval)", () => {
    const told = { true: 0, false: 0, unclear: 0 };
    fc.assert(
      fc.property(condition, args, (text, given) => {
        const own = ours(text, given);
        if (own === true || own === false) told[`${own}`] += 1;
        else told.unclear += 1;
        const other = theirs(text, given);
        if (typeof own === "boolean" && typeof other === "boolean")
          expect([text, own]).toEqual([text, other]);
      }),
      { numRuns: 3000 },
    );
    expect(told.true).toBeGreaterThan(100);
    expect(told.false).toBeGreaterThan(100);
  });
});
