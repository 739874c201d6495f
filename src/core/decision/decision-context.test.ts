import { describe, expect, it } from "vitest";
import { createLabel } from "../label/label.ts";
import { definePolicy, type Policy, tighten, withOffered } from "../policy/policy.ts";
import { initialState, type SessionState } from "../state/state.ts";
import { type Facts, visibleTools } from "./decision-context.ts";

const policy = definePolicy({
  servers: { mail: { tools: { search: { permissions: ["read"] }, send: { permissions: ["connect"] } } } },
  tools: {
    pay: { permissions: ["write"], approval: "always" },
    note: { permissions: [] },
    "own_*": { permissions: [] },
  },
  roles: { reader: { tools: ["search", "send", "note"], permissions: ["read"] } },
});

const seen = (state: Partial<SessionState> = {}, facts: Facts = {}, by: Policy = policy) =>
  visibleTools(by, { ...initialState(by.lattice), ...state }, facts).map(({ name }) => name);

describe("the tools that a run sees", () => {
  it("are all that the policy has, in its order, those that ask among them", () => {
    expect(seen()).toEqual(["search", "send", "pay", "note"]);
  });

  it("keep those that the label has shut, since their refusal explains itself", () => {
    expect(seen({ label: createLabel("secret", [], "untrusted") })).toContain("send");
  });

  it.each<[string, Partial<SessionState>, Facts, Policy, string[]]>([
    ["the policy takes away", {}, {}, tighten(policy, { deniedTools: ["s*"] }), ["pay", "note"]],
    ["the role doesn't have or may not call", { role: "reader" }, {}, policy, ["search", "note"]],
    ["the session was narrowed away from", { tools: new Set(["pay"]) }, {}, policy, ["pay"]],
    ["the run was narrowed away from", {}, { visible: new Set(["mcp__mail__send"]) }, policy, ["send"]],
    ["the grant doesn't cover", {}, { granted: ["write"] }, policy, ["pay", "note"]],
    ["the server doesn't offer", {}, {}, withOffered(policy, "mail", ["send"]), ["send", "pay", "note"]],
    ["nobody classified", {}, {}, withOffered(policy, "mail", ["dance"]), ["pay", "note"]],
    ["a role that is gone had", { role: "vanished" }, {}, policy, []],
    ["a closed session had", { closed: true }, {}, policy, []],
  ])("have lost what %s (A8, B1)", (_, state, facts, by, expected) => {
    expect(seen(state, facts, by)).toEqual(expected);
  });

  it("are the same though a fact is missing: the fault refuses the call, not the sight of the tool", () => {
    expect(seen({}, { faults: [{ code: "provider", message: "No answer." }] })).toEqual(seen());
  });

  it("have unclassified ones where the policy asks about them", () => {
    const asking = withOffered(definePolicy({ servers: { mail: {} }, unclassified: "ask" }), "mail", [
      "dance",
    ]);
    expect(seen({}, {}, asking)).toEqual(["dance"]);
  });

  it("are none where there are none", () => {
    expect(seen({}, {}, definePolicy({}))).toEqual([]);
  });
});
