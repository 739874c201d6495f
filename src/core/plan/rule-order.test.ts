import { expect, it } from "vitest";
import { definePolicy } from "../policy/policy.ts";
import type { RuleDeclaration } from "../policy/rules.ts";
import { initialState } from "../state/state.ts";
import type { ConditionFacts } from "../tools/condition.ts";
import { checkPlan } from "./plan.ts";
import type { PlannedCall } from "./planned-call.ts";

const check = (calls: readonly PlannedCall[], holds: (facts: ConditionFacts) => boolean) => {
  const rule: RuleDeclaration = { name: "r", effect: "deny", when: { when: "…", holds } };
  const policy = definePolicy({
    tools: {
      read: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
      pay: { permissions: ["write"] },
      post: { permissions: ["connect"], sink: [{ level: "public", trust: "trusted" }] },
    },
    rules: [rule],
  });
  return checkPlan(policy, initialState(policy.lattice), calls);
};

const bigPay = ({ tool, args }: ConditionFacts): boolean => tool.name === "pay" && Number(args.amount) > 100;
const payAfterReading = ({ tool, session }: ConditionFacts): boolean =>
  tool.name === "pay" && session.trust === "untrusted";

it("decides on the arguments that a plan gives, and takes those that it doesn't at their worst (X3-rules, C5)", () => {
  const pay = (amount: number) => ({ tool: "pay", arguments: { amount } });
  expect(check([pay(5), "read"], bigPay)).toMatchObject({ valid: true });
  expect(check([pay(500), "read"], bigPay)).toMatchObject({
    valid: false,
    safeOrdering: null,
    inTheWay: ["pay"],
    violations: [{ atStep: 0, code: "denied-by-rule", suggestion: "change it, or ask the operator" }],
  });
  expect(check(["pay"], bigPay)).toMatchObject({
    valid: false,
    violations: [{ code: "denied-by-rule", suggestion: "plan it with its arguments" }],
    steps: [{ dependsOnArguments: true }],
  });
});

it("finds the order in which a rule on what the session holds denies nothing (X3-rules, C5)", () => {
  const found = check(["read", "pay", "post", "pay"], payAfterReading);
  expect(found).toMatchObject({ valid: false, violations: [{ atStep: 1 }, { atStep: 2 }, { atStep: 3 }] });
  expect(found.safeOrdering).toEqual(["pay", "post", "pay", "read"]);
});

it("leaves the order that is safe without rules where they deny nothing in it (X3-rules)", () => {
  const found = check(["read", "post", { tool: "pay", arguments: { amount: 5 } }], bigPay);
  expect(found.safeOrdering).toEqual(["post", "read", "pay"]);
});

it("claims no order where a rule asks for less trust and another call for more (X3-rules)", () => {
  const onlyAfterReading = ({ tool, session }: ConditionFacts): boolean =>
    tool.name === "pay" && session.trust === "trusted";
  const found = check(["pay", "read", "post"], onlyAfterReading);
  expect(found.valid).toBe(false);
  expect(found.safeOrdering).toBe("undetermined");
  expect(found.waysOut.join()).toContain("a rule of the operator's policy looks at what the session holds");
});

it("names a call that a rule denies wherever it stands (X3-rules)", () => {
  expect(check(["read", "pay"], ({ tool }) => tool.name === "pay")).toMatchObject({
    safeOrdering: null,
    inTheWay: ["pay"],
  });
});
