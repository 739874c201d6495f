/** The results of the policy's rules for a call. A rule that can't be evaluated counts as true. */
import { Meter } from "../plan/meter.ts";
import type { Rule } from "../policy/rules.ts";
import type { ConditionFacts } from "../tools/condition.ts";
import type { Tool } from "../tools/tool.ts";
import { toConditionFacts } from "./ask-causes.ts";
import type { DecisionContext } from "./decision-context.ts";
import type { RuleApplies } from "./reason.ts";

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
