import { describe, expect, it } from "vitest";
import { definePolicy } from "../policy/policy.ts";
import { initialState } from "../state/state.ts";
import type { ToolDeclaration } from "../tools/tool.ts";
import { checkPlan } from "./plan.ts";
import type { PlannedCall } from "./planned-call.ts";

const UNTRUSTED = { level: "internal", trust: "untrusted" } as const;

const policy = definePolicy({
  endorsement: "strict",
  tools: {
    read_mail: { permissions: ["read"], source: UNTRUSTED },
    read_docs: { permissions: ["read"], source: { level: "internal" } },
    send: { permissions: ["connect"], sink: [{ level: "secret" }], critical: ["to"] },
    post: { permissions: ["connect"], sink: [{ level: "public" }], onViolation: "ask" },
    web: { permissions: ["connect"], sink: [{ level: "public" }] },
    pay: { permissions: ["write"], approval: "always" },
    unless_internal: {
      permissions: ["read"],
      approval: { when: "session.level", holds: ({ session }) => session.level === "public" },
    },
  },
});

const check = (calls: readonly PlannedCall[], by = policy) => {
  const { valid, safeOrdering, questions, fewestQuestions, questionsSaved } = checkPlan(
    by,
    initialState(by.lattice),
    calls,
  );
  return { valid, safeOrdering, questions, fewestQuestions, questionsSaved };
};

describe("of the orders of a plan", () => {
  it("one with fewer questions is named, and how many it saves (X6-fewest)", () => {
    expect(check(["read_mail", "send", "post"])).toEqual({
      valid: true,
      safeOrdering: ["read_mail", "send", "post"],
      questions: 2,
      fewestQuestions: ["send", "post", "read_mail"],
      questionsSaved: 2,
    });
  });

  it("none is named where the order given asks as rarely as any (X6-fewest)", () => {
    const calls = ["send", "pay", "read_mail"];
    expect(check(calls)).toEqual({
      valid: true,
      safeOrdering: calls,
      questions: 1,
      fewestQuestions: undefined,
      questionsSaved: undefined,
    });
  });

  it("the safe one asks as rarely as it can (X6-fewest)", () => {
    // The earliest safe order is docs-free first: it would leave `post` behind the mail.
    expect(check(["read_docs", "web", "post"])).toEqual({
      valid: false,
      safeOrdering: ["web", "post", "read_docs"],
      questions: 1,
      fewestQuestions: ["web", "post", "read_docs"],
      questionsSaved: 1,
    });
  });

  it("only those count that `after` allows (X6-fewest)", () => {
    const calls = [
      { id: "read", tool: "read_mail" },
      { id: "send", tool: "send", after: ["read"] },
      { id: "post", tool: "post" },
    ];
    expect(check(calls)).toMatchObject({ questions: 2, fewestQuestions: ["post", "read", "send"] });
  });

  it("one that raises the label first is best where a condition asks below it (X6-fewest)", () => {
    expect(check([{ tool: "unless_internal", arguments: {} }, "read_docs"])).toMatchObject({
      questions: 1,
      fewestQuestions: ["read_docs", "unless_internal"],
    });
  });
});

describe("in a plan of many calls", () => {
  it("reads that raise the same are not tried in every order (X6-fewest)", () => {
    const calls = Array.from({ length: 1000 }, (_, at) => ["read_mail", "send", "post", "pay"][at % 4] ?? "");
    const checked = check(calls);
    expect(checked).toMatchObject({ questions: 750, questionsSaved: 500 });
    expect(checked.fewestQuestions).toHaveLength(1000);
  });

  it("whose search is given up, what is named has been found (X6-fewest)", () => {
    const teams = 40;
    const tools: Record<string, ToolDeclaration> = {};
    for (let at = 0; at < teams; at += 1) {
      tools[`source_${at}`] = { permissions: ["read"], source: { categories: [`team${at}`] } };
      const categories = [0, 1, 7, 11].map((more) => `team${(at + more) % teams}`);
      tools[`sink_${at}`] = {
        permissions: ["connect"],
        sink: [{ level: "public", categories }],
        onViolation: "ask",
      };
    }
    const hard = definePolicy({ categories: Array.from({ length: teams }, (_, at) => `team${at}`), tools });
    const numbers = [...Array(teams).keys()];
    const calls = [
      ...numbers.map((at) => ({ id: `r${at}`, tool: `source_${at}` })),
      ...numbers.map((at) => ({ id: `s${at}`, tool: `sink_${at}`, after: [`r${at}`] })),
    ];
    const { questions, fewestQuestions, questionsSaved = 0 } = check(calls, hard);
    expect(questionsSaved).toBeGreaterThan(0);
    const inOrder = (fewestQuestions ?? []).map((id) => calls.find((call) => call.id === id) ?? "");
    expect(check(inOrder, hard)).toMatchObject({ valid: true, questions: questions - questionsSaved });
  });
});
