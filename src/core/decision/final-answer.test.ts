import { expect, it } from "vitest";
import { definePolicy } from "../policy/policy.ts";
import { apply, initialState, type SessionState } from "../state/state.ts";
import { decideAnswer } from "./final-answer.ts";

const policy = definePolicy({
  servers: {
    mail: { tools: { search: { permissions: ["read"], source: { level: "internal" } } } },
    hr: {
      tools: { payroll: { permissions: ["read"], source: { level: "confidential", categories: ["hr"] } } },
    },
  },
  roles: {
    clerk: { clearance: [{ level: "internal" }] },
    either: { clearance: [{ level: "internal" }, { level: "secret", categories: ["hr"], trust: "trusted" }] },
    nobody: { clearance: [] },
    free: {},
  },
});

const sessionOf = (role: string | null, ...tools: readonly string[]): SessionState => {
  const opened = { kind: "session-opened", principal: "ada", role, tools: null, task: false } as const;
  const opening = apply(initialState(policy.lattice), opened, "1");
  return tools.reduce((state, id) => {
    const { source = null, server } = policy.tools.get(id) ?? { server: null };
    const told = { call: "c", tool: id, arguments: "d", dataset: server ?? id, label: state.label } as const;
    return apply(state, { kind: "call-admitted", ...told, source }, "1");
  }, opening);
};

const [SEARCH, PAYROLL] = ["mcp__mail__search", "mcp__hr__payroll"];

it.each([
  ["clerk", [SEARCH], "allow"],
  ["clerk", [SEARCH, PAYROLL], "deny"],
  ["either", [SEARCH, PAYROLL], "allow"],
  ["nobody", [], "deny"],
  ["free", [PAYROLL], "allow"],
  [null, [PAYROLL], "allow"],
  ["gone", [], "deny"],
] as const)("in the role %s after %j: %s", (role, tools, effect) => {
  expect(decideAnswer(policy, sessionOf(role, ...tools)).effect).toBe(effect);
});

it("says what is in the way", () => {
  const { reasons } = decideAnswer(policy, sessionOf("clerk", SEARCH, PAYROLL));
  expect(reasons).toMatchObject([
    { code: "answer-blocked", causes: [{ step: 1, tool: "payroll", dataset: "hr" }] },
  ]);
  expect(reasons[0]?.message).toBe(
    "This session's final answer may not be given. `payroll` (call 2) loaded confidential data and data of `hr`, and an answer of the role `clerk` may hold internal data at most. Give that part of the task to a session of its own, or ask the operator.",
  );
});

it("denies in a session that is closed", () => {
  const closed = apply(sessionOf("free"), { kind: "session-closed", reason: "reset", successor: "s" }, "2");
  expect(decideAnswer(policy, closed)).toMatchObject({
    effect: "deny",
    reasons: [{ code: "session-closed" }],
  });
});
