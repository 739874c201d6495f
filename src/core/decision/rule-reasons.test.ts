import { describe, expect, it } from "vitest";
import { definePolicy, type Policy, type PolicyDeclaration } from "../policy/policy.ts";
import type { RuleDeclaration } from "../policy/rules.ts";
import { initialState, type SessionState } from "../state/state.ts";
import type { ConditionFacts } from "../tools/condition.ts";
import { type Decision, decide } from "./decide.ts";
import type { Facts } from "./decision-context.ts";
import { explain } from "./explain.ts";
import { trailOf } from "./trail.ts";

type Holds = (facts: ConditionFacts) => unknown;

/** A function may say anything; only the type promises true or false. */
const rule = (name: string, effect: "deny" | "ask", holds: Holds): RuleDeclaration => ({
  name,
  effect,
  when: { when: "…", holds: holds as RuleDeclaration["when"]["holds"] },
});

const bigPayment: Holds = ({ tool, args }) => {
  if (tool.name !== "pay") return false;
  if (typeof args.amount !== "number") throw new TypeError("no number");
  return args.amount > 100;
};

const policyWith = (rules: readonly RuleDeclaration[], more: PolicyDeclaration = {}): Policy =>
  definePolicy({
    tools: { pay: { permissions: ["write"] }, look: { permissions: ["read"], source: { level: "secret" } } },
    ...more,
    rules,
  });

const decideOn = (
  policy: Policy,
  tool: string,
  args?: Readonly<Record<string, unknown>>,
  { facts = {}, ...state }: Partial<SessionState> & { readonly facts?: Facts } = {},
): Decision =>
  decide(
    policy,
    { ...initialState(policy.lattice), ...state },
    { tool, ...(args && { arguments: args }) },
    facts,
  );

const ASKED = { binding: "b", at: "1" } as const;
const answered = (answer: "approved" | "denied"): Partial<SessionState> & { facts: Facts } => ({
  answers: [{ id: "apr_1", binding: "b", answer, expires: "9" }],
  facts: { asked: ASKED },
});

describe("a rule that denies", () => {
  const policy = policyWith([rule("no big payments", "deny", bigPayment)]);

  it("denies the calls that it holds for, and no others (X3-rules)", () => {
    expect(decideOn(policy, "pay", { amount: 100 }).effect).toBe("allow");
    expect(decideOn(policy, "look", {}).effect).toBe("allow");
    const decision = decideOn(policy, "pay", { amount: 101 });
    expect(decision).toMatchObject({ effect: "deny", source: null });
    expect(decision.reasons).toEqual([
      { code: "denied-by-rule", tool: "pay", rule: "no big payments", result: "holds" },
    ]);
  });

  it.each([
    ["a missing argument", {}],
    ["text for a number", { amount: "1e100" }],
    ["a list", { amount: [5] }],
    ["null", { amount: null }],
  ])("denies %s, of which it can't be determined (X3-rules)", (_, args) => {
    const decision = decideOn(policy, "pay", args);
    expect(decision).toMatchObject({ effect: "deny", reasons: [{ result: "unclear" }] });
  });

  it.each([
    undefined,
    null,
    0,
    "",
    "false",
    Promise.resolve(false),
  ])("denies where its condition answers %s, which is neither true nor false (X3-rules)", (answer) => {
    const odd = policyWith([rule("odd", "deny", () => answer)]);
    expect(decideOn(odd, "look", {}).reasons).toMatchObject([{ result: "unclear" }]);
  });

  it("counts as one that holds where a plan doesn't say the arguments (X3-rules)", () => {
    expect(decideOn(policy, "pay").reasons).toMatchObject([{ code: "denied-by-rule", result: "unknown" }]);
    expect(decideOn(policy, "look").effect).toBe("allow");
    const looking: readonly Holds[] = [
      ({ args }) => "amount" in args,
      ({ args }) => Object.keys(args).length > 0,
      ({ args }) => Object.hasOwn(args, "amount"),
      ({ args }) => args.amount === 5,
    ];
    for (const holds of looking)
      expect(decideOn(policyWith([rule("looks", "deny", holds)]), "look").effect).toBe("deny");
  });

  it("is not waived by a person's yes, nor by a role (X3-rules)", () => {
    const asking = policyWith([rule("no big payments", "deny", bigPayment), rule("all", "ask", () => true)], {
      roles: { clerk: { approval: { pay: "never" } } },
    });
    const given = { ...answered("approved"), role: "clerk" };
    expect(decideOn(asking, "pay", { amount: 5 }, given).effect).toBe("allow");
    expect(decideOn(asking, "pay", { amount: 500 }, given).effect).toBe("deny");
  });

  it("hides no tool and stands in the trail between permissions and flow", () => {
    const trail = trailOf(decideOn(policy, "pay", { amount: 101 }));
    expect(trail.filter(({ result }) => result !== "pass").map(({ check }) => check)).toEqual(["rules"]);
    expect(trail.map(({ check }) => check).slice(3, 5)).toEqual(["permissions", "rules"]);
  });
});

describe("a rule that asks", () => {
  const policy = policyWith([rule("big payments", "ask", bigPayment)], {
    roles: { clerk: { approval: { pay: "never" } } },
  });

  it("asks a person, whatever the role says of approvals (X3-rules)", () => {
    for (const role of [null, "clerk"]) {
      const decision = decideOn(policy, "pay", { amount: 101 }, { role });
      expect(decision).toMatchObject({ effect: "ask" });
      expect(decision.reasons).toEqual([
        { code: "rule-asks", tool: "pay", rule: "big payments", result: "holds" },
        { code: "approval-required", tool: "pay", because: "rule" },
      ]);
    }
    expect(decideOn(policy, "pay", { amount: 1 }, { role: "clerk" }).effect).toBe("allow");
  });

  it("asks where it can't be determined, and where a plan doesn't say the arguments (X3-rules)", () => {
    expect(decideOn(policy, "pay", { amount: "101" }).reasons).toMatchObject([{ result: "unclear" }, {}]);
    expect(decideOn(policy, "pay").reasons).toMatchObject([{ result: "unknown" }, {}]);
  });

  it("is answered like every other approval (X3-rules)", () => {
    expect(decideOn(policy, "pay", { amount: 101 }, answered("approved")).reasons).toEqual([]);
    expect(decideOn(policy, "pay", { amount: 101 }, answered("denied")).effect).toBe("deny");
  });
});

describe("rules", () => {
  it("are each named in the reasons, denials first", () => {
    const policy = policyWith([
      rule("one", "ask", () => true),
      rule("two", "deny", () => true),
      rule("three", "ask", () => true),
    ]);
    const { effect, reasons } = decideOn(policy, "pay", {});
    expect(effect).toBe("deny");
    expect(reasons.map((reason) => ("rule" in reason ? reason.rule : reason.code))).toEqual([
      "two",
      "one",
      "three",
      "approval-required",
    ]);
  });

  it("see a tool by its own name, whatever other tools are called (X3-rules)", () => {
    const seen: unknown[] = [];
    const policy = definePolicy({
      servers: {
        mail: { tools: { send: { permissions: ["write"], tags: ["t"] } } },
        chat: { tools: { send: { permissions: ["write"] } } },
      },
      rules: [rule("watches", "ask", ({ tool }) => seen.push(tool) > 0)],
    });
    decideOn(policy, "mcp__mail__send", {});
    expect(seen).toEqual([{ name: "send", server: "mail", tags: ["t"], permissions: ["write"] }]);
  });

  it("name themselves in words that can't be written to", () => {
    const { lattice } = policyWith([]);
    const told = explain(lattice, { code: "rule-asks", tool: "pay", rule: "a`\u202e\nb", result: "holds" });
    expect(told).toContain("`a???b`");
  });

  it.each([
    ["an empty name", { name: "" }],
    ["a name with a line break", { name: "a\nb" }],
    ["a long name", { name: "a".repeat(101) }],
    ["another effect", { effect: "allow" }],
    ["a condition that is only text", { when: "args.x > 1" }],
    ["a key that isn't known", { unless: "x" }],
  ])("are refused with %s", (_, part) => {
    const declared = { ...rule("a", "deny", () => true), ...part } as RuleDeclaration;
    expect(() => policyWith([declared])).toThrow("The policy can't be used.");
  });

  it("count once where they are repeated, and are refused where two have one name", () => {
    const one = rule("one", "deny", () => true);
    expect(policyWith([one, { ...one }]).rules).toHaveLength(1);
    expect(() => policyWith([one, { ...one, effect: "ask" }])).toThrow("Two rules are called `one`.");
  });
});
