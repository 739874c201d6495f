import { describe, expect, it } from "vitest";
import { decide } from "../decision/decide.ts";
import { explain } from "../decision/explain.ts";
import { definePolicy } from "../policy/policy.ts";
import { contribute, initialState } from "../state/state.ts";
import { createLabel, createLattice, flowsTo, type Label, topLabel } from "./label.ts";
import { Sink } from "./sink.ts";

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

  it("are at most eight, each with at most eight of its categories, and the rest is counted", () => {
    const mailOf = (from: number, to: number): Label =>
      createLabel(
        "public",
        Array.from({ length: to - from }, (_, at) => `customer:${100 + from + at}`),
        "trusted",
      );
    const { lattice } = policy;
    const many = Array.from({ length: 40 }).reduce(
      (held: ReturnType<typeof initialState>, _, at) =>
        contribute(held, mailOf(0, 4 * (at + 1)), { ...origin, dataset: `set-${at}`, tool: null }),
      initialState(lattice),
    );
    const [reason] = decide(policy, many, { tool: "post" }).reasons;
    if (reason?.code !== "flow-blocked") throw new Error("It is blocked.");
    expect([reason.causes.length, reason.moreCauses]).toEqual([8, 32]);
    expect(reason.causes.map(({ label }) => label.categories.length)).toEqual([4, 8, 8, 8, 8, 8, 8, 8]);
    expect(reason.causes[7]?.moreCategories).toBe(24);
    expect(reason.label.categories).toHaveLength(8);
    expect(reason.moreCategories).toBe(152);
    const sentence = explain(lattice, reason);
    expect(sentence).toContain("and 24 more; and 32 more, and `post` may receive");
    expect(sentence.length).toBeLessThan(3000);
  });

  it("keep those of their categories that are in the way", () => {
    const some = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const sink = definePolicy({
      tools: {
        send: { permissions: ["connect"], sink: [{ level: "public", categories: some.slice(0, 11) }] },
      },
    });
    const held = contribute(initialState(sink.lattice), createLabel("public", some, "trusted"), origin);
    const [reason] = decide(sink, held, { tool: "send" }).reasons;
    expect(reason).toMatchObject({ causes: [{ label: { categories: [some[11]] } }] });
    expect(reason && explain(sink.lattice, reason)).toContain(`loaded data of \`${some[11]}\`,`);
  });
});
