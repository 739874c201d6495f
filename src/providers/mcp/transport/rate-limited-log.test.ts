import { expect, it } from "vitest";
import { createRateLimitedLog } from "./rate-limited-log.ts";

it("passes a burst of lines on, then ten a second, and counts the others", () => {
  let now = 0;
  const lines: string[] = [];
  const log = createRateLimitedLog(
    (line) => lines.push(line),
    () => now,
  );
  for (let at = 0; at < 1000; at += 1) log("a");
  expect(lines.length).toBe(50);
  now += 200;
  log("b");
  log("c");
  log("d");
  expect(lines.slice(50)).toEqual(["950 lines were left out", "b", "c"]);
  now -= 10_000;
  log("the clock went back");
  expect(lines.length).toBe(53);
});

it("is not stopped by a log that fails", () => {
  const log = createRateLimitedLog(
    () => {
      throw new Error("disk full");
    },
    () => 0,
  );
  expect(() => log("a")).not.toThrow();
});
