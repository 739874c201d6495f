import { describe, expect, it } from "vitest";
import { createLabel, type Label } from "../label/label.ts";
import { checkPlan } from "../plan/plan.ts";
import { definePolicy } from "../policy/policy.ts";
import { initialState, type SessionState } from "../state/state.ts";
import type { ApprovalAnswer } from "./approval.ts";
import { type Decision, decide } from "./decide.ts";
import { visibleTools } from "./decision-context.ts";
import { explain } from "./explain.ts";
import { isBlocked, isWithin } from "./flow.ts";

const policy = definePolicy({
  tools: {
    post: { permissions: ["connect"], onViolation: "ask" },
    pay: { permissions: ["connect"], onViolation: "ask", approval: "always" },
    search: { permissions: ["connect"] },
    read_mail: { permissions: ["read"], source: { level: "internal" } },
  },
});

const AT = "2026-01-01T00:00:00.000Z";
const LATER = "2026-01-01T01:00:00.000Z";
const label = (level: string): Label => createLabel(level, [], "trusted");
const yes = (binding: string): ApprovalAnswer => ({ id: "a", binding, answer: "approved", expires: LATER });

const decideOn = (tool: string, level: string, state: Partial<SessionState> = {}, binding = "this") =>
  decide(
    policy,
    { ...initialState(policy.lattice), label: label(level), ...state },
    { tool, arguments: {} },
    { asked: { binding, at: AT } },
  );

const codesOf = ({ reasons }: Decision) =>
  reasons.map((reason) => (reason.code === "approval-required" ? reason.because : reason.code));

describe("a tool that a person may release data to", () => {
  it("asks for a release where the session's label may not go to it, and says so (D6-binding)", () => {
    const decision = decideOn("post", "internal");
    expect(decision).toMatchObject({ effect: "ask", release: true });
    expect(codesOf(decision)).toEqual(["flow-blocked", "release"]);
    expect(decision.reasons[0]).toMatchObject({ releasable: true, label: label("internal") });
    expect(explain(policy.lattice, decision.reasons[1] ?? { code: "session-closed" })).toContain("released");
  });

  it("runs as before where the label may go to it: no release is asked for, nor marked", () => {
    const decision = decideOn("post", "public");
    expect(decision.effect).toBe("allow");
    expect(decision).not.toHaveProperty("release");
    expect(codesOf(decideOn("pay", "public"))).toEqual(["always"]);
    expect(decideOn("pay", "public")).not.toHaveProperty("release");
  });

  it("runs once released, and the decision is marked", () => {
    expect(decideOn("post", "internal", { answers: [yes("this")] })).toMatchObject({
      effect: "allow",
      reasons: [],
      release: true,
    });
  });

  it("asks for both where its declaration asks too, and one yes says both", () => {
    expect(codesOf(decideOn("pay", "internal"))).toEqual(["flow-blocked", "always", "release"]);
    expect(decideOn("pay", "internal", { answers: [yes("this")] }).effect).toBe("allow");
  });

  it("stays shut after a no, or a yes to something else", () => {
    const no = { ...yes("this"), answer: "denied" as const };
    const denied = decideOn("post", "internal", { answers: [no] });
    expect(denied.effect).toBe("deny");
    expect(codesOf(denied)).toEqual(["flow-blocked", "approval-denied"]);
    expect(denied).not.toHaveProperty("release");
    expect(decideOn("post", "internal", { answers: [yes("other")] }).effect).toBe("ask");
    expect(decideOn("post", "internal", { answers: [yes("this")] }, "other").effect).toBe("ask");
  });

  it("isn't out of reach, though the label may not go to it", () => {
    const state = { ...initialState(policy.lattice), label: label("internal") };
    const tool = (name: string) => policy.tools.get(name) ?? expect.fail(name);
    expect([isWithin(state, tool("post")), isBlocked(state, tool("post"))]).toEqual([false, false]);
    expect([isWithin(state, tool("search")), isBlocked(state, tool("search"))]).toEqual([false, true]);
    expect(visibleTools(policy, state).map(({ name }) => name)).toContain("post");
  });
});

describe("a yes", () => {
  it("never lowers a blocked flow of any other tool (law-7)", () => {
    const decision = decideOn("search", "internal", { answers: [yes("this")] });
    expect(decision).toMatchObject({ effect: "deny", reasons: [{ code: "flow-blocked" }] });
    expect(decision.reasons[0]).not.toHaveProperty("releasable");
  });

  it("for a release lifts nothing else that denies", () => {
    const decision = decideOn("post", "internal", { answers: [yes("this")], closed: true });
    expect(decision).toMatchObject({ effect: "deny", source: null, reasons: [{ code: "session-closed" }] });
  });
});

describe("a plan", () => {
  it("counts a release as granted, and says that a person must say yes (C5)", () => {
    const check = checkPlan(policy, initialState(policy.lattice), ["read_mail", "post"]);
    expect(check).toMatchObject({ valid: true, safeOrdering: ["read_mail", "post"], violations: [] });
    expect(check.approvals.map(({ atStep, tool }) => [atStep, tool])).toEqual([[1, "post"]]);
    expect(check.approvals[0]?.reason).toContain("released");
  });

  it("names what refuses a step, not what would only ask (C5)", () => {
    const state = { ...initialState(policy.lattice), label: label("internal") };
    const faults = [{ code: "provider", message: "no answer" }] as const;
    const check = checkPlan(policy, state, ["post"], { faults });
    expect(check.violations).toMatchObject([{ atStep: 0, code: "fault" }]);
  });
});
