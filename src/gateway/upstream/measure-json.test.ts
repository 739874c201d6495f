import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureJson } from "./measure-json.ts";

describe("the measure of a JSON value", () => {
  it("is its size as JSON, but for a byte at each list and object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        const slack = [...json].filter((character) => character === "[" || character === "{").length;
        expect(measureJson(value, Buffer.byteLength(json) + slack, 1000)).toBe("fits");
        expect(measureJson(value, Buffer.byteLength(json) - 1, 1000)).toBe("too-large");
      }),
    );
  });

  it("is its depth, even where JSON can't be written any more", () => {
    const nest = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`);
    expect(measureJson(nest(2), 1000, 4)).toBe("fits");
    expect(measureJson(nest(2), 1000, 3)).toBe("too-deep");
    expect(measureJson(nest(100_000), 1e9, 1e6)).toBe("fits");
    expect(measureJson(nest(100_000), 1e9, 128)).toBe("too-deep");
  });
});
