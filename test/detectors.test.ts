/** What the detectors find of each kind that the page on them claims, and how seldom they are wrong. */
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { measure, type Score } from "./detectors/score.ts";

let score: Score;
beforeAll(async () => {
  score = await measure();
});

it("finds at least 95 in 100 of each kind (C1-detectors)", () => {
  const weak = score.kinds.filter(({ count, found }) => found / count < 0.95);
  expect(weak).toEqual([]);
  expect(score.kinds.every(({ count }) => count >= 10)).toBe(true);
});

it("is right in 97 of 100 finds, with the examples of documents among what it reads (C1-detectors)", () => {
  expect(score.negatives).toBeGreaterThanOrEqual(250);
  expect(score.falseAlarms).toEqual([]);
  expect(score.precision).toBeGreaterThanOrEqual(0.97);
});

it("has samples of each kind that the page names, and of no other", () => {
  const page = readFileSync(new URL("../docs/detectors.md", import.meta.url), "utf8");
  const named = new Set(
    page.match(/`(?:secret|personal-data)\/[a-z0-9-]+`/g)?.map((kind) => kind.slice(1, -1)),
  );
  expect([...named].sort()).toEqual(score.kinds.map(({ kind }) => kind).sort());
});
