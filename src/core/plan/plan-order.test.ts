import { describe, expect, it } from "vitest";
import { decide } from "../decision/decide.ts";
import { bottomLabel, createLabel, DEFAULT_LATTICE } from "../label/label.ts";
import { definePolicy } from "../policy/policy.ts";
import { initialState } from "../state/state.ts";
import { findCircles, toOrderProblem } from "./plan-order.ts";

const policy = definePolicy({
  tools: {
    mail: { permissions: ["read"], source: { level: "internal" } },
    docs: { permissions: ["read"], source: { level: "internal" } },
    crm: { permissions: ["read"], source: { level: "secret" } },
    web: { permissions: ["connect"] },
    post: { permissions: [], sink: [{ level: "public" }] },
    partner: { permissions: [], sink: [{ level: "internal" }, { level: "public" }, { level: "internal" }] },
    hole: { permissions: [], sink: [] },
    note: { permissions: [] },
  },
});

const problemOf = (tools: readonly string[], start = bottomLabel(DEFAULT_LATTICE)) => {
  const state = initialState(DEFAULT_LATTICE);
  const decisions = tools.map((tool) => decide(policy, state, { tool }));
  return toOrderProblem(DEFAULT_LATTICE, start, decisions, []);
};

describe("the order problem of a plan", () => {
  it("numbers equal labels alike, in the order of their appearance", () => {
    const { calls } = problemOf(["mail", "crm", "docs", "web", "post"]);
    expect(calls.map(({ source, sink }) => [source, sink])).toEqual([
      [0, null],
      [1, null],
      [0, null],
      [null, [0]],
      [null, [0]],
    ]);
  });

  it("has each of a sink's clearances once (X2-lattice)", () => {
    expect(problemOf(["web", "partner"]).calls.map(({ sink }) => sink)).toEqual([[0], [1, 0]]);
  });

  it("has no clearance for a sink that may receive nothing", () => {
    expect(problemOf(["hole"]).calls).toEqual([{ source: null, sink: [], after: [] }]);
  });

  it("knows which source may not flow to which clearance", () => {
    expect(problemOf(["mail", "crm", "web", "partner"]).violates).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it("knows where the starting label may not flow", () => {
    expect(problemOf(["web", "partner"], createLabel("internal", [], "trusted")).dead).toEqual([true, false]);
  });

  it("has nothing of a call that means no tool, and nothing of one that neither brings nor sends", () => {
    expect(problemOf(["dance", "note"])).toEqual({
      calls: [
        { source: null, sink: null, after: [] },
        { source: null, sink: null, after: [] },
      ],
      violates: [],
      dead: [],
    });
  });

  it("carries the `after` edges along, ids that nobody has too (C5)", () => {
    const state = initialState(DEFAULT_LATTICE);
    const decisions = ["note", "note"].map((tool) => decide(policy, state, { tool }));
    const { calls } = toOrderProblem(DEFAULT_LATTICE, state.label, decisions, [[-1], [0, 0]]);
    expect(calls.map(({ after }) => after)).toEqual([[-1], [0, 0]]);
  });
});

describe("the circles among `after` edges", () => {
  it.each([
    ["none in no plan", [], []],
    ["none among steps that wait for nobody", [[], [], []], []],
    ["none in a chain", [[], [0], [1]], []],
    ["none where two ways meet again", [[], [0], [0], [1, 2]], []],
    ["a step that waits for itself", [[], [1]], [[1]]],
    ["two steps that wait for each other", [[1], [0]], [[0, 1]]],
    ["the steps of a ring, in their order", [[2], [0], [1]], [[0, 1, 2]]],
    [
      "two that have nothing to do with each other",
      [[1], [0], [], [4], [3]],
      [
        [0, 1],
        [3, 4],
      ],
    ],
    ["two that share a step, as one", [[1], [0, 2], [1]], [[0, 1, 2]]],
    ["no step that only waits for one", [[1], [0], [0], [2]], [[0, 1]]],
    ["no step that one waits for", [[], [0, 2], [1]], [[1, 2]]],
    [
      "one after another, apart though one waits for the other",
      [[1], [0], [3, 0], [2]],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [
      "one in which an edge stands twice",
      [
        [1, 1],
        [0, 0],
      ],
      [[0, 1]],
    ],
    ["none through an id that nobody has", [[-1], [-1, 0]], []],
    ["one beside an id that nobody has", [[-1, 1], [0]], [[0, 1]]],
  ])("are found: %s (C5)", (_, edges, circles) => {
    expect(findCircles(edges)).toEqual(circles);
  });
});

describe("a thousand steps", () => {
  it("that each come after all before them are searched edge by edge, not pair by pair", () => {
    let read = 0;
    const steps = Array.from({ length: 1000 }, (_, step) => {
      const edges = Array.from({ length: step }, (__, before) => before);
      return new Proxy(edges, {
        get: (target, key) => {
          if (typeof key === "string" && /^\d+$/.test(key)) read += 1;
          return Reflect.get(target, key);
        },
      });
    });
    expect(findCircles(steps)).toEqual([]);
    expect(read).toBeLessThan(1_100_000);
  });
});
