import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureJson } from "./measure-json.ts";

describe("the measure of a JSON value", () => {
  it("is its size as JSON without escapes, but for a byte at each list and object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        const slack = [...json].filter((character) => character === "[" || character === "{").length;
        const bytes = Buffer.byteLength(json.replaceAll(/\\u[0-9a-f]{4}|\\./g, "-"));
        expect(measureJson(value, { bytes: bytes + slack, depth: 1000 })).toBe("fits");
        expect(measureJson(value, { bytes: bytes - 1, depth: 1000 })).toBe("too-large");
      }),
    );
  });

  it("is its depth, even where JSON can't be written any more", () => {
    const nest = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`);
    expect(measureJson(nest(2), { bytes: 1000, depth: 4 })).toBe("fits");
    expect(measureJson(nest(2), { bytes: 1000, depth: 3 })).toBe("too-deep");
    expect(measureJson(nest(100_000), { bytes: 1e9, depth: 1e6 })).toBe("large");
    expect(measureJson(nest(100_000), { bytes: 1e9, depth: 128 })).toBe("too-deep");
  });

  it("is bounded by its values, and large by many", () => {
    const measures = [9_000, 20_000, 30_000].map((count) =>
      measureJson(Array(count).fill(1), { bytes: 1e6, depth: 10, values: 20_000 }),
    );
    expect(measures).toEqual(["fits", "large", "too-large"]);
  });

  it("counts the different member names, wherever they stand", () => {
    const named = (count: number): unknown =>
      Array.from({ length: 100 }, (_, at) => ({ [`name_${at % count}`]: [{ [`inner_${at % count}`]: at }] }));
    const bounds = { bytes: 1e6, depth: 10, names: 20 };
    expect([10, 11].map((count) => measureJson(named(count), bounds))).toEqual(["fits", "too-large"]);
  });
});
