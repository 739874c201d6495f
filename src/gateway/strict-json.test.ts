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
});
