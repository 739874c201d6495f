/** Rules: conditions over calls of any tool, each of which denies or asks. */
import { z } from "zod";
import {
  isMethodId,
  isPattern,
  isRuleName,
  matchesWildcard,
  parseToolId,
  type RuleDeclaration,
  toToolId,
} from "../../core/index.ts";
import type { ConditionNames } from "../conditions/find-problems.ts";
import { didYouMean, quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, isText, itemsOf, placeIn, type TextTree, type Tree, textsOf } from "../document/tree.ts";
import { type Declared, type Loaded, toolTrees } from "./declared.ts";
import { described, map, name } from "./shape.ts";
import { approvers, type Making } from "./tools.ts";

const ruleSchema = map(
  "A rule",
  {
    name: name.meta({ description: "What refusals and approvals call it." }),
    when: name.meta({
      description:
        'A condition in CEL over `args`, `tool` and `session`, such as `tool.name == "wire_transfer" && args.amount > 10000`. Where it can\'t be told, the rule counts as one that holds.',
    }),
    effect: z
      .enum(["deny", "ask"])
      .meta({ description: "What happens to such calls: they are denied, or a person is asked." }),
    approvers,
  },
  { error: "a map with `name`, `when` and `effect`" },
);

export const ruleKeys = {
  rules: described(
    z.array(ruleSchema, { error: "a list of rules" }),
    "Which calls are denied or need a person's approval, whatever else is said of their tools.",
  ),
};

export const ruleConditions = (root: Tree): readonly TextTree[] =>
  itemsOf(child(root, "rules"))
    .map((rule) => child(rule, "when"))
    .filter(isText)
    .filter(({ value }) => value !== "");

export function checkRules(root: Tree, report: Report): void {
  const seen = new Map<string, TextTree>();
  for (const rule of itemsOf(child(root, "rules"))) {
    const named = child(rule, "name");
    if (!isText(named) || named.value === "") continue;
    const before = seen.get(named.value);
    if (!isRuleName(named.value)) {
      const message = "A rule's `name` has up to 100 visible characters, and no backtick or line break.";
      report.add(named.at, message, "A refusal quotes it in a sentence.");
    } else if (before !== undefined) {
      const message = `Another rule is called ${quote(named.written)}, on line ${before.at.line}.`;
      report.add(named.at, message, "Give each rule a name of its own, since a refusal names it.");
    } else {
      seen.set(named.value, named);
    }
  }
}

/** Rules that concern less or more than their author probably thinks. `names`: by the text of each condition. */
export function warnAboutRules(
  { root, declared }: Loaded,
  names: ReadonlyMap<string, ConditionNames>,
  report: Report,
): void {
  const trees = ruleConditions(root);
  if (trees.length === 0) return;
  const known = knownNames(root, declared);
  for (const tree of trees) {
    const { roots, comparisons, isOptional } = names.get(tree.value) ?? NO_NAMES;
    for (const { root: owner, field, text, offset } of comparisons) {
      const { noun, names: all, isKnown } = known.get(`${owner}.${field}`) ?? {};
      if (noun === undefined || all === undefined || isKnown?.(text) || tree.value !== tree.written) continue;
      const message = `No ${noun} of this policy is called ${quote(text)}${didYouMean(text, all)}`;
      report.add(placeIn(tree, offset), message, "The rule concerns no call by that name.");
    }
    if (!roots.has("args") || roots.has("tool") || isOptional) continue;
    const message =
      "The rule looks at arguments and doesn't say of which tools, so it concerns every call that lacks them as well.";
    report.add(tree.at, message, 'Begin with the tool that is meant: `tool.name == "…" && …`.');
  }
}

const NO_NAMES: ConditionNames = { roots: new Set(), comparisons: [], isOptional: false };

interface Known {
  readonly noun: string;
  readonly names: readonly string[];
  readonly isKnown: (text: string) => boolean;
}

/** The names that a condition may compare these fields with. */
function knownNames(root: Tree, declared: Declared): ReadonlyMap<string, Known> {
  const tags = toolTrees(declared).flatMap((tool) => textsOf(child(tool, "tags")).map(({ value }) => value));
  const { serverIds } = declared;
  return new Map<string, Known>([
    ["tool.name", toolNamesOf(root, declared)],
    ["tool.server", { noun: "server", names: serverIds, isKnown: (text) => serverIds.includes(text) }],
    ["tool.tags", { noun: "tag", names: tags, isKnown: (text) => tags.includes(text) }],
  ]);
}

/** What tools may be called by themselves. With `unclassified: ask` a server may offer any. */
function toolNamesOf(root: Tree, { known, servers, tools }: Declared): Known {
  const names = [...new Set([...known.declared].map((id) => parseToolId(id).tool))];
  const patterns = tools.filter(({ id }) => isPattern(id)).map(({ id }) => parseToolId(id).tool);
  const unclassified = child(root, "unclassified");
  const isAny = servers.length > 0 && isText(unclassified) && unclassified.value === "ask";
  const found = new Set(names);
  return {
    noun: "tool",
    names,
    isKnown: (text) =>
      isAny ||
      found.has(text) ||
      isMethodId(toToolId("any", text)) ||
      patterns.some((pattern) => matchesWildcard(pattern, text)),
  };
}

/** Rules, for the core. */
export const toRules = (
  rules: readonly z.infer<typeof ruleSchema>[],
  { conditions }: Making,
): readonly RuleDeclaration[] =>
  rules.map(({ when, approvers, ...rule }) => ({
    ...rule,
    ...(approvers && { approvers }),
    when: conditions.get(when) ?? ALWAYS,
  }));

// INVARIANT: every condition was compiled, or the file was refused.
const ALWAYS = { when: "true", holds: () => true };
