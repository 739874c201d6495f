import { describe, expect, it } from "vitest";
import { createLabel, type Label } from "../label/label.ts";
import { definePolicy } from "../policy/policy.ts";
import { apply, initialState } from "../state/state.ts";
import { decide } from "./decide.ts";

const policy = definePolicy({
  levels: ["public", "internal", "confidential"],
  tools: {
    query: {
      permissions: ["read"],
      source: { level: "confidential", categories: ["hr"] },
      sourceBound: "most",
    },
    search: { permissions: ["read"], source: { level: "internal" } },
    note: { permissions: ["write"] },
  },
});
const opened = {
  kind: "session-opened",
  principal: "ada",
  role: null,
  tools: null,
  task: false,
} as const;
const state = apply(initialState(policy.lattice), opened, "2026-01-01T00:00:00Z");

const label = (level: string, categories: readonly string[] = [], trust = "trusted"): Label =>
  createLabel(level, categories, trust);

const sourceOf = (tool: string, source?: Label): Label | null =>
  decide(policy, state, { tool }, source === undefined ? {} : { source }).source;

describe("what a call brings in", () => {
  it.each([
    ["all that is declared, where nothing was found out", undefined, label("confidential", ["hr"])],
    ["less than the most that is declared", label("public"), label("public")],
    ["a part of the categories", label("internal", ["hr"]), label("internal", ["hr"])],
    [
      "both, where more was found than is declared",
      label("public", ["pay"]),
      label("confidential", ["hr", "pay"]),
    ],
    [
      "both, where the trust is lower",
      label("public", [], "untrusted"),
      label("confidential", ["hr"], "untrusted"),
    ],
    ["the top, where a name is unknown", label("odd"), label("*", ["*"], "untrusted")],
  ])("is %s (X11-call)", (_, found, expected) => {
    expect(sourceOf("query", found)).toEqual(expected);
  });

  it("is never less than a tool's declaration that is the least (X11-call)", () => {
    expect(sourceOf("search", label("public"))).toEqual(label("internal"));
    expect(sourceOf("search", label("confidential"))).toEqual(label("confidential"));
  });

  it("is what was found, where the tool declares nothing (X11-call)", () => {
    expect(sourceOf("note")).toBeNull();
    expect(sourceOf("note", label("internal"))).toEqual(label("internal"));
  });
});
