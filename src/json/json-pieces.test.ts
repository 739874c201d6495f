import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { machineSlowness } from "../../test/fixtures/machine-slowness.ts";
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
      { numRuns: 60 },
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
    const value = { [unit.repeat(100_000)]: 1, text: unit.repeat(300_000) };
    const pieces = [...jsonPieces(value)];
    expect(pieces.join("")).toBe(JSON.stringify(value));
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThan(200_000);
      expect(piece.isWellFormed()).toBe(true);
    }
  });

  it("are as many as the value is long, however deep it is, and each is short", () => {
    const nest = (depth: number): unknown =>
      Array.from({ length: depth }).reduce((inner) => [inner, ...Array(500).fill(0)], null);
    const names = (depth: number): unknown =>
      Array.from({ length: depth }).reduce(
        (inner) => ({ ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [at * 7, 1])), inner }),
        null,
      );
    for (const value of [nest(118), names(115)]) {
      const start = process.cpuUsage();
      const pieces = [...jsonPieces(value)];
      const { user, system } = process.cpuUsage(start);
      expect(pieces.join("")).toBe(JSON.stringify(value));
      expect(pieces.length).toBeGreaterThan(20);
      expect((user + system) / 1000).toBeLessThan(200 * machineSlowness());
    }
  });

  it("has what JSON.stringify has of values that aren't plain", () => {
    const odd = { a: () => 1, b: Symbol("b"), c: new Date(0), d: { toJSON: () => undefined }, e: -0, f: [] };
    const value = { text: "x".repeat(20_000), odd, list: [odd.a, odd.b, odd.c, odd.d, undefined, 1] };
    expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value));
  });

  it("has one for a value that is short", () => {
    expect([...jsonPieces({ a: [1, "b", null, { c: undefined }], d: {} })]).toEqual([
      '{"a":[1,"b",null,{}],"d":{}}',
    ]);
  });
});
