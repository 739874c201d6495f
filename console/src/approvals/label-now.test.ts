import { describe, expect, it } from "vitest";
import { labelNow } from "./label-now.ts";

const LATTICE = { levels: ["public", "internal", "confidential", "secret"], trust: ["untrusted", "trusted"] };
const label = (level: string, categories: string[] = [], trust = "trusted") => ({ level, categories, trust });
const held = (one: ReturnType<typeof label>) => ({ step: 0, tool: "t", dataset: "d", label: one, at: "" });

describe("what a session holds by now", () => {
  it("is what it held when it was asked, where nothing came in since", () => {
    const asked = label("internal", ["hr"], "untrusted");
    expect(labelNow({ label: asked, held: [], gauge: { level: 1, gates: [] } }, LATTICE)).toEqual(asked);
  });

  it("has what was read since: the level, the categories, the lower trust (D7-console)", () => {
    const since = [held(label("confidential", ["hr"])), held(label("public", ["acme"], "untrusted"))];
    const now = labelNow({ label: label("internal"), held: since, gauge: { level: 2, gates: [] } }, LATTICE);
    expect(now).toEqual(label("confidential", ["acme", "hr"], "untrusted"));
  });

  it("is above all levels where the gauge is", () => {
    const given = { label: label("internal"), held: [], gauge: { level: 4, gates: [] } };
    expect(labelNow(given, LATTICE).level).toBe("*");
  });
});
