import { expect, it } from "vitest";
import { RequestedApprovals } from "./requested-approvals.ts";

it("lets a principal request so many within the time that one waits, and others as many (D5-queue)", () => {
  const requested = new RequestedApprovals();
  const at = (seconds: number) => new Date(1_000_000_000_000 + seconds * 1000);
  const flood = (principal: string, seconds: number): number => {
    for (let count = 0; ; count += 1) if (!requested.take(principal, at(seconds), 3600)) return count;
  };
  expect(flood("eve", 0)).toBe(10_000);
  expect(flood("bob", 0)).toBe(10_000);
  expect(flood("eve", 360)).toBe(1000);
  expect(flood("eve", 36_000)).toBe(10_000);
});
