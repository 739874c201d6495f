/** Rules: conditions over any call. Where one holds, or can't be evaluated, the call is denied or a person is asked. */
import { SluicegateError } from "../../errors/index.ts";
import { type ApprovalCondition, CONDITION_SHAPE } from "../tools/condition.ts";
import { MAX_APPROVERS } from "./approval-rules.ts";
import { matching, numberFrom, oneOf, record, type Shape } from "./shape.ts";

/** A rule as people write it. */
export interface RuleDeclaration {
  /** What refusals and approvals call it: up to 100 visible characters, without a backtick. */
  readonly name: string;
  /** Over the call's arguments, its tool and its session. */
  readonly when: ApprovalCondition;
  readonly effect: "deny" | "ask";
  /** How many different people must say yes to such a call; 1 by default. */
  readonly approvers?: number;
}

/** The same, ready to decide with. */
export type Rule = RuleDeclaration;

const VISIBLE = /^[^\p{C}\p{Zl}\p{Zp}`]{1,100}$/u;

/** Whether a rule can have this name. A model reads it in a sentence. */
export const isRuleName = (name: string): boolean => VISIBLE.test(name) && name.trim() === name;

export const RULE_SHAPE: Shape = record<RuleDeclaration>(
  {
    name: matching(
      "up to 100 visible characters without a backtick",
      (value) => typeof value === "string" && isRuleName(value),
    ),
    when: CONDITION_SHAPE,
    effect: oneOf("deny", "ask"),
    approvers: numberFrom(1, MAX_APPROVERS),
  },
  ["name", "when", "effect"],
);

/**
 * The rules of a declaration; one that is repeated counts once.
 * @throws SluicegateError `policy-invalid` for two rules of one name.
 */
export function toRules(declared: readonly RuleDeclaration[] = []): readonly Rule[] {
  const rules = new Map<string, Rule>();
  for (const rule of declared) {
    const known = rules.get(rule.name);
    if (known !== undefined && !isSame(known, rule)) throw repeatedName(rule.name);
    rules.set(rule.name, rule);
  }
  return Object.freeze([...rules.values()]);
}

const isSame = (one: Rule, other: Rule): boolean =>
  one.effect === other.effect &&
  one.approvers === other.approvers &&
  one.when.when === other.when.when &&
  one.when.holds === other.when.holds;

function repeatedName(name: string): SluicegateError {
  return new SluicegateError("policy-invalid", `Two rules are called \`${name}\`.`, {
    why: "A refusal names the rule that it comes from, and this name would mean two.",
    fix: "Give each rule a name of its own.",
  });
}
