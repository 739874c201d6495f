import { expect, it } from "vitest";
import { RequestedApprovals } from "./requested-approvals.ts";

it("lets a principal and a label holder request so many within the time that one waits (D5-queue)", () => {
  const requested = new RequestedApprovals();
  const at = (seconds: number) => new Date(1_000_000_000_000 + seconds * 1000);
  const take = (principal: string, labelHolder: string, seconds = 0): boolean =>
    requested.take({ principal, labelHolder }, at(seconds), 3600);
  const flood = (principal: string, labelHolder: string, seconds?: number): number => {
    for (let count = 0; ; count += 1) if (!take(principal, labelHolder, seconds)) return count;
  };
  expect(flood("eve", "session 0")).toBe(1000);
  expect(flood("eve", "session 0", 360)).toBe(100);
  const all = Array.from({ length: 12 }, (_, at) => flood("eve", `session ${at + 1}`, 360));
  // A tenth of the time has passed since the first.
  expect(all.reduce((sum, count) => sum + count)).toBe(9900);
  expect(take("bob", "bob's", 360)).toBe(true);
  for (let session = 0; session < 20; session += 1) expect(flood("operator", `${session}`)).toBe(1000);
});

it("leaves room in the lists however long a principal's approvals can be answered (D5-queue)", () => {
  const requested = new RequestedApprovals();
  const week = 7 * 86_400;
  const counts = Array.from({ length: week / 3600 }, (_, hour) => {
    const now = new Date(1_000_000_000_000 + hour * 3_600_000);
    let count = 0;
    while (requested.take({ principal: "eve", labelHolder: `${hour} ${count % 11}` }, now, week)) count += 1;
    return count;
  });
  const all = counts.reduce((sum, count) => sum + count);
  expect(all).toBeGreaterThan(70_000);
  expect(all).toBeLessThan(80_000);
});
