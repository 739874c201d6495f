import { describe, expect, it } from "vitest";
import { parseStrictJson } from "./strict-json.ts";

describe("JSON from outside", () => {
  it("is read as it is written, however its numbers are", () => {
    const text = ' {"a" : [1.50, -0.0, 1e2, 15e-1, 0.1, 100, 1E+2, -12], "b": {"a": "x\\"y: {"}, "": null} ';
    expect(parseStrictJson(text)).toEqual({
      a: [1.5, -0, 100, 1.5, 0.1, 100, 100, -12],
      b: { a: 'x"y: {' },
      "": null,
    });
  });

  it("keeps fractions of fifteen and more digits where a double has them", () => {
    const text = "[0.123456789012345,123456789012.345e-20,0.30000000000000004,1.0000000000000000,5e-324,0e9]";
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["a key twice", '{"a":1,"a":2}'],
    ["a key twice, once escaped", '{"\\u0061":1,"a":2}'],
    ["a key twice, deep inside", '[{"b":{"c":1,"c":1}}]'],
    ["__proto__ as a key", '{"__proto__":1}'],
    ["a lone surrogate in a string", '["\\ud800"]'],
    ["a lone surrogate in a key", '{"\\udc00":1}'],
    ["a whole number that no double has", "[9007199254740993]"],
    ["a number that is too large", "[1e400]"],
    ["a number that is too small", "[1e-400]"],
    ["a fraction that no double has", "[0.1000000000000000055]"],
    ["a fraction with an exponent that no double has", "[1.000000000000000055e-1]"],
    ["a number of a hundred thousand digits", `[0.1${"0".repeat(100_000)}1]`],
    ["too many levels", "[".repeat(65) + "]".repeat(65)],
    ["no JSON", "nope"],
    ["two documents", "{} {}"],
  ])("with %s is refused", (_, text) => {
    expect(() => parseStrictJson(text)).toThrow(expect.objectContaining({ code: "malformed-json" }));
  });

  const list = (count: number, item: string): string => `[${Array(count).fill(item).join()}]`;
  const names = (count: number): string =>
    `{${Array.from({ length: count }, (_, at) => `"k${at}":[{"k${at}":1}]`).join()}}`;

  const members = (count: number, name: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => `"${name(at)}":1`).join();
  const escaped = (count: number): string => list(count, String.raw`{"caf\u00e9":1}`);

  it.each([
    ["too many values", list(50_001, "1")],
    ["too many lists", list(50_001, "[]")],
    ["too many lists, nested", list(1000, "[".repeat(60) + "]".repeat(60))],
    ["too many different names", names(6_000)],
    ["a name that is too long", `{"${"x".repeat(16_001)}":1}`],
  ])("with %s is refused before anything is built from it", (_, text) => {
    // Were it built first, it would be refused as no JSON.
    expect(() => parseStrictJson(`${text} x`)).toThrow(expect.objectContaining({ code: "limit-reached" }));
  });

  it("may have fifty thousand values, thousands of different names, and any length of text", () => {
    for (const text of [
      list(49_999, "1"),
      names(3_000),
      `{${members(5_000, (at) => `k${at}`)}}`,
      escaped(24_000),
      `{${members(200, (at) => "x".repeat(15_990) + at)}}`,
      // As Python writes a table with Russian names, and paths of Windows.
      list(1_000, `{${members(8, (at) => `${"\\u043d".repeat(18)}${at}`)}}`),
      `{${members(4_900, (at) => String.raw`C:\\Users\\ada\\project\\src\\module-${at}.ts`)}}`,
      JSON.stringify([`[{,:\\"`.repeat(500_000)]),
    ])
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});
