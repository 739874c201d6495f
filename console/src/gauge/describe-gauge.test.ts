import { describe, expect, it } from "vitest";
import { describeGauge } from "./describe-gauge.ts";

const LEVELS = ["public", "internal", "confidential", "secret"];
const gate = (height: number, shut: boolean, names: string[], releasable = false) => ({
  height,
  shut,
  releasable,
  tools: names.length,
  names,
});

describe("a gauge in words", () => {
  it("says the level, then what is shut and what is open", () => {
    const gauge = { level: 1, gates: [gate(0, true, ["web_search"]), gate(1, false, ["github_create_pr"])] };
    expect(describeGauge(gauge, LEVELS)).toBe(
      "The session stands at internal. Shut: web_search (public). Open: github_create_pr (internal).",
    );
  });

  it("says which gates a person may release", () => {
    const gauge = { level: 2, gates: [gate(0, true, ["slack_post"], true)] };
    expect(describeGauge(gauge, LEVELS)).toContain("slack_post (public, a person may release)");
  });

  it("counts the tools that it doesn't name", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    expect(describeGauge({ level: 0, gates: [gate(0, false, names)] }, LEVELS)).toContain("e and 2 more");
  });

  it("says that there is no way out, and that a session is above all levels", () => {
    expect(describeGauge({ level: 4, gates: [] }, LEVELS)).toBe(
      "The session holds data above all levels. It has no way out.",
    );
  });
});
