import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { createLabel, createLattice, flowsTo, type Label, topLabel } from "./label.ts";
import { definePolicy } from "./policy.ts";
import { Sink } from "./sink.ts";
import { contribute, initialState } from "./state.ts";

const lattice = createLattice({ levels: ["public", "internal", "secret"], trust: ["untrusted", "trusted"] });
const levels = ["public", "internal", "secret", "*", "unheard-of"];
const categories = [[], ["a"], ["a", "b"], ["*"]];
const labels: readonly Label[] = levels.flatMap((level) =>
  categories.flatMap((some) =>
    ["untrusted", "trusted", "unheard-of"].map((trust) => createLabel(level, some, trust)),
  ),
);
const policy = definePolicy({
  servers: {
    mail: { tools: { search: { permissions: ["read"], source: { level: "internal" } } } },
    web: { tools: { post: { permissions: ["connect"] } } },
  },
});

describe("a sink", () => {
  it("receives what flows to one of its clearances, whatever the lattice knows of both", () => {
    const pairs = labels.flatMap((label) => [...labels, topLabel(lattice)].map((to) => [label, to] as const));
    const differing = pairs.filter(
      ([label, to]) => new Sink(lattice, [to], policy.names).receives(label) !== flowsTo(lattice, label, to),
    );
    expect(differing).toEqual([]);
  });

  it("of no clearance receives nothing", () => {
    expect(new Sink(lattice, [], policy.names).receives(createLabel("public", [], "trusted"))).toBe(false);
  });
});

describe("the causes of a refusal", () => {
  const origin = { dataset: "mail", at: "", call: "call_1", step: 0, tool: "mcp__mail__search" };
  const state = contribute(initialState(policy.lattice), createLabel("internal", [], "trusted"), origin);
  const told = (visible?: ReadonlySet<string>) =>
    decide(policy, state, { tool: "post" }, visible ? { visible } : {}).reasons.flatMap((reason) =>
      reason.code === "flow-blocked" ? reason.causes.map(({ tool }) => tool) : [],
    );

  it("are told anew to a run that sees less of the same session", () => {
    expect([told(), told(new Set(["mcp__web__post"])), told()]).toEqual([["search"], [null], ["search"]]);
  });
});
