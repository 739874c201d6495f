import { describe, expect, it } from "vitest";
import { definePolicy, initialState, type Label, visibleTools } from "../../../src/core/index.ts";
import { heightOf, toGauge } from "../../../src/gateway/console-data/gauge.ts";
import { gaugeAt } from "./gauge-at.ts";

const POLICY = definePolicy({
  levels: ["public", "internal", "secret"],
  servers: {
    a: {
      tools: {
        post: { permissions: ["connect"] },
        tweet: { permissions: ["connect"], onViolation: "ask" },
        mail: { permissions: ["connect"], sink: [{ level: "internal" }] },
        trusted_mail: { permissions: ["connect"], sink: [{ level: "internal", trust: "trusted" }] },
        either: {
          permissions: ["connect"],
          sink: [{ level: "public" }, { level: "secret", categories: ["hr"] }],
        },
        vault: { permissions: ["write"], sink: [{ level: "*", categories: ["*"] }] },
        nowhere: { permissions: ["connect"], sink: [] },
        read: { permissions: ["read"] },
      },
    },
  },
});
const { lattice } = POLICY;
const CLEAN = initialState(lattice);
const TOOLS = visibleTools(POLICY, CLEAN);
const GAUGED = TOOLS.map((tool) => ({
  name: tool.name,
  height: heightOf(lattice, tool),
  clearances: tool.clearances?.map((label) => ({ ...label, categories: [...label.categories] })) ?? null,
  releasable: tool.onViolation === "ask",
}));

const label = (level: string, trust: string, ...categories: string[]): Label => ({
  level,
  categories,
  trust,
});

describe("the gauge of a plan that is played", () => {
  it.each([
    ["the lowest", label("public", "trusted")],
    ["untrusted", label("public", "untrusted")],
    ["internal", label("internal", "trusted")],
    ["of a category", label("internal", "untrusted", "hr")],
    ["secret", label("secret", "untrusted", "hr", "legal")],
    ["above all", label("*", "untrusted", "*")],
  ])("is the one that the gateway draws of a session that is %s", (_, held) => {
    const drawn = toGauge(POLICY, { ...CLEAN, label: held }, TOOLS);
    const wire = { ...held, categories: [...held.categories] };
    expect(gaugeAt(lattice, GAUGED, wire)).toEqual(drawn);
  });

  it("names the first eight tools of a gate, and counts them all", () => {
    const many = Array.from({ length: 12 }, (_, at) => ({
      name: `t${at}`,
      height: 0,
      clearances: [],
      releasable: false,
    }));
    const [gate] = gaugeAt(lattice, many, { level: "public", categories: [], trust: "trusted" }).gates;
    expect(gate).toMatchObject({ tools: 12, shut: true });
    expect(gate?.names).toHaveLength(8);
  });
});
