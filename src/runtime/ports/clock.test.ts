import { expect, it } from "vitest";
import { createSteadyClock } from "./clock.ts";

it("goes on from where it was when the system's clock is set back, and follows it forward", () => {
  const time = { ofDay: 1_000_000, passed: 0 };
  const clock = createSteadyClock(
    () => time.ofDay,
    () => time.passed,
  );
  const read = (ofDay: number, passed: number): number => {
    time.ofDay += ofDay;
    time.passed += passed;
    return clock.now().getTime();
  };
  expect(read(10, 10)).toBe(1_000_010);
  expect(read(-600_000, 5)).toBe(1_000_015);
  expect(read(20, 20)).toBe(1_000_035);
  expect(read(3_600_000, 20)).toBe(4_000_030);
});
