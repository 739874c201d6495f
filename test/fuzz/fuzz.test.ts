/** A few thousand random inputs to each target, the same in each run; `npm run fuzz` gives a million others. */
import { expect, it } from "vitest";
import { TARGETS } from "./fuzz.ts";

const CASES = 3000;

it.each(
  Object.keys(TARGETS),
)("answers whatever comes in, and allows nothing by it: %s (A5)", async (name) => {
  const outcomes = await TARGETS[name]?.({ cases: CASES, seed: 20_261_123 });
  expect([...(outcomes?.values() ?? [])].reduce((sum, count) => sum + count, 0)).toBe(CASES);
  expect(outcomes?.size).toBeGreaterThan(1);
});
