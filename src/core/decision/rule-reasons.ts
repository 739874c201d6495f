/**
 * What the policy's conditions say of a call: the results of its rules, and why a person must approve it. A rule that
 * can't be evaluated counts as true.
 */
import { Meter } from "../plan/meter.ts";
import { approvalInRole } from "../policy/roles.ts";
import type { Rule } from "../policy/rules.ts";
import type { ConditionFacts } from "../tools/condition.ts";
import { isPartOfCall } from "../tools/methods.ts";
import { type Approval, parseToolId, type Tool } from "../tools/tool.ts";
import type { DecisionContext } from "./decision-context.ts";
import type { AskCause, RuleApplies } from "./reason.ts";

/** The reasons that rules give against a call. */
export interface RuleReasons {
  readonly denials: readonly RuleApplies[];
  readonly asks: readonly RuleApplies[];
}

const NONE: readonly never[] = Object.freeze([]);
const NO_RULES: RuleReasons = Object.freeze({ denials: NONE, asks: NONE });

/** What all rules may cost for one call, in steps: about two hundredths of a second. */
const MAX_STEPS = 400_000;

/** `args` undefined: a plan without them, so conditions on them count as true. */
export function ruleReasons(
  context: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
): RuleReasons {
  const { rules } = context.policy;
  if (rules.length === 0) return NO_RULES;
  const facts = toConditionFacts(context, tool, args ?? UNKNOWN_ARGUMENTS);
  const meter = context.facts.meter ?? new Meter(MAX_STEPS);
  const found = rules.flatMap((rule) => {
    const holds = evaluate(rule, facts, meter);
    if (holds === false) return NONE;
    const result = holds === true ? "holds" : args === undefined ? "unknown" : "unclear";
    const code = rule.effect === "deny" ? "denied-by-rule" : "rule-asks";
    return { code, tool: tool.name, rule: rule.name, result } as const;
  });
  return {
    denials: found.filter(({ code }) => code === "denied-by-rule"),
    asks: found.filter(({ code }) => code === "rule-asks"),
  };
}

/** Null if it can't be evaluated. */
function evaluate({ when }: Rule, facts: ConditionFacts, meter: Meter): boolean | null {
  try {
    const holds: unknown = when.holds(facts, meter);
    return typeof holds === "boolean" ? holds : null;
  } catch {
    return null;
  }
}

function unknown(): never {
  throw new TypeError("The arguments aren't known yet.");
}

/** Stands for unknown arguments: reading one throws. It isn't a plain object, so no condition reads it. */
const UNKNOWN_ARGUMENTS: Readonly<Record<string, unknown>> = new Proxy(Object.create(null), {
  get: unknown,
  has: unknown,
  ownKeys: unknown,
  getOwnPropertyDescriptor: unknown,
  getPrototypeOf: () => UNREADABLE,
});

const UNREADABLE = Object.freeze({});

/**
 * The causes of one call; none if it needs no approval. `args` undefined: a plan without them, so the worst case is
 * assumed. `others`: further causes.
 */
export function causesOf(
  context: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
  others: readonly AskCause[],
): readonly AskCause[] {
  const declared = declaredCause(context, tool, args);
  const found = context.facts.asks ?? NONE;
  if (declared === null && found.length === 0) return others;
  return [...(declared === null ? NONE : [declared]), ...found, ...others];
}

function declaredCause(
  context: DecisionContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
): AskCause | null {
  const approval = approvalOf(context, tool);
  if (approval === "never") return null;
  if (approval === "always") return tool.classified ? "always" : "unclassified";
  if (args === undefined) return "condition";
  try {
    const answer: unknown = approval.holds(toConditionFacts(context, tool, args), context.facts.meter);
    // INVARIANT: only an explicit `false` needs no approval.
    return answer === false ? null : answer === true ? "condition" : "condition-unclear";
  } catch {
    return "condition-unclear";
  }
}

/** When approval is needed: by the role's setting for the tool, otherwise by the tool's. */
function approvalOf({ policy, role }: DecisionContext, tool: Tool): Approval {
  if (role === null || role.approval === null || !tool.classified || isPartOfCall(tool.id))
    return tool.approval;
  return approvalInRole(role.approval, tool, policy.names) ?? tool.approval;
}

/** What a condition sees of a call. */
function toConditionFacts(
  { state }: DecisionContext,
  { id, server, tags, permissions }: Tool,
  args: Readonly<Record<string, unknown>>,
): ConditionFacts {
  const { label, principal, role } = state;
  const { level, categories, trust } = label;
  // THREAT: the name that agents see changes with what servers offer, so a condition sees the tool's own.
  const { tool: name } = parseToolId(id);
  const session = { level, categories, trust, principal, role };
  return { args, tool: { name, server, tags, permissions }, session };
}
