/** What an operator has frozen is denied, whatever else holds. */
import { describe, expect, it } from "vitest";
import { checkPlan } from "../plan/plan.ts";
import { definePolicy } from "../policy/policy.ts";
import { initialState } from "../state/state.ts";
import { decide } from "./decide.ts";
import type { Frozen } from "./decision-context.ts";

const policy = definePolicy({
  servers: { mail: { tools: { search: { permissions: ["read"] } } } },
  tools: { note: { permissions: ["write"] }, pay: { permissions: ["write"], approval: "always" } },
});
const state = initialState(policy.lattice);
const frozen = (given: Partial<Frozen>): Frozen => ({
  session: null,
  servers: new Set(),
  tools: new Set(),
  ...given,
});
const scopeOf = (tool: string, given: Partial<Frozen>) =>
  decide(policy, state, { tool }, { frozen: frozen(given) }).reasons.map((reason) =>
    reason.code === "frozen" ? reason.scope : reason.code,
  );

describe("a freeze", () => {
  it.each([
    ["everything", { session: "everything" }, ["everything"], ["everything"]],
    ["a principal", { session: "principal" }, ["principal"], ["principal"]],
    ["a session", { session: "session" }, ["session"], ["session"]],
    ["a server", { servers: new Set(["mail"]) }, ["server"], []],
    ["a tool", { tools: new Set(["note"]) }, [], ["tool"]],
    ["nothing", {}, [], []],
  ] as const)("of %s denies what it names and nothing else (X22)", (_, given, search, note) => {
    expect([scopeOf("search", given), scopeOf("note", given)]).toEqual([search, note]);
  });

  it("stands first, and asks nobody (X22)", () => {
    const facts = { frozen: frozen({ session: "everything" }) };
    const { effect, reasons } = decide(policy, state, { tool: "pay" }, facts);
    expect([effect, reasons.map(({ code }) => code)]).toEqual(["deny", ["frozen", "approval-required"]]);
  });

  it("is seen by the plan check (X22)", () => {
    const { violations } = checkPlan(policy, state, ["note", "search"], {
      frozen: frozen({ servers: new Set(["mail"]) }),
    });
    expect(violations.map(({ atStep, code }) => [atStep, code])).toEqual([[1, "frozen"]]);
  });
});
