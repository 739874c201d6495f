import fc from "fast-check";
import { expect, it } from "vitest";
import { ValueCounter } from "./value-counter.ts";

const valuesIn = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1)
    : 1;

it("counts each value of a JSON text at least once and at most twice, wherever the chunks are cut", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.nat(20)), (value, cuts) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const counter = new ValueCounter();
      counter.push(Buffer.from('{"a":["x'));
      counter.reset();
      let at = 0;
      for (const length of cuts) {
        counter.push(bytes.subarray(at, at + length));
        at += length;
      }
      counter.push(bytes.subarray(at));
      expect(counter.count).toBeGreaterThanOrEqual(valuesIn(value) - 1);
      expect(counter.count).toBeLessThanOrEqual(2 * valuesIn(value));
    }),
  );
});

it("counts nothing within a text", () => {
  const counter = new ValueCounter();
  counter.push(Buffer.from(JSON.stringify(String.raw`[{,"\,\\",[{`.repeat(100))));
  expect(counter.count).toBe(0);
});
