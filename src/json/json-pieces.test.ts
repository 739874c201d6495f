import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonPieces } from "./json-pieces.ts";

const large = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => text.repeat(20_000)),
  fc.array(fc.jsonValue(), { maxLength: 3 }).map((items) => Array(5000).fill(items)),
);
const valueWith = (part: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(part, fc.array(part, { maxLength: 3 }), fc.dictionary(fc.string(), part, { maxKeys: 3 }));

describe("JSON in pieces", () => {
  it("is the same text as JSON.stringify's, for any value", () => {
    const values = valueWith(fc.oneof(fc.jsonValue(), large, fc.constant(undefined)));
    fc.assert(
      fc.property(values, (value) => {
        expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value) ?? "null");
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    "x",
    "\u0001",
    "é",
    "😀",
    "a😀",
    "\ud800",
    "\udc00",
  ])("ends none within a character: %j", (unit) => {
    const value = { text: unit.repeat(300_000) };
    const pieces = [...jsonPieces(value)];
    expect(pieces.join("")).toBe(JSON.stringify(value));
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThan(200_000);
      expect(piece.isWellFormed()).toBe(true);
    }
  });

  it("has one for a value that is short", () => {
    expect([...jsonPieces({ a: [1, "b", null, { c: undefined }], d: {} })]).toEqual([
      '{"a":[1,"b",null,{}],"d":{}}',
    ]);
  });
});
