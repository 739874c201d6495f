import { expect, it } from "vitest";
import { backOffDelay } from "./schedule.ts";

it("doubles from 250 ms to 30 s, and takes a random half of it off", () => {
  const failures = [1, 2, 3, 7, 8, 9, 2000];
  expect(failures.map((count) => backOffDelay(count, () => 1))).toEqual([
    250, 500, 1000, 16000, 30000, 30000, 30000,
  ]);
  expect(failures.map((count) => backOffDelay(count, () => 0))).toEqual([
    125, 250, 500, 8000, 15000, 15000, 15000,
  ]);
});
