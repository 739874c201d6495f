/** Finds the conditions of a policy file, and compiles each or tells what is wrong with it and where. */
import { type ApprovalCondition, nearMiss } from "../core/index.ts";
import type { ConditionCompiler } from "./conditions/compile-condition.ts";
import type { ConditionNames } from "./conditions/find-problems.ts";
import { quote } from "./document/quote.ts";
import type { Report } from "./document/report.ts";
import { child, isText, placeIn, type TextTree, type Tree } from "./document/tree.ts";
import { type Declared, toolTrees } from "./sections/declared.ts";
import { ruleConditions } from "./sections/rules.ts";

/** A condition of the file, and the key under which it stands. */
export interface ConditionTree {
  readonly key: "approval" | "when";
  readonly tree: TextTree;
}

/** The values of `approval` that are no word for it, and what rules look at. */
export const conditionsOf = (root: Tree, declared: Declared): readonly ConditionTree[] => [
  ...toolTrees(declared)
    .map((tool) => child(tool, "approval"))
    .filter(isText)
    .filter(({ value }) => value !== "" && value !== "always" && value !== "never")
    .map((tree) => ({ key: "approval", tree }) as const),
  ...ruleConditions(root).map((tree) => ({ key: "when", tree }) as const),
];

/** Conditions by their text, with what each names. */
export interface CompiledConditions {
  readonly conditions: ReadonlyMap<string, ApprovalCondition>;
  readonly names: ReadonlyMap<string, ConditionNames>;
}

/** The conditions; what is wrong with one is reported. */
export function compileConditions(
  trees: readonly ConditionTree[],
  declared: Declared,
  compile: ConditionCompiler,
  report: Report,
): CompiledConditions {
  const conditions = new Map<string, ApprovalCondition>();
  const names = new Map<string, ConditionNames>();
  for (const { key, tree } of trees) {
    if (key === "approval" && A_WORD.test(tree.value)) {
      report.add(tree.at, ...wordOf(tree));
      continue;
    }
    const result = compile(tree.value, declared);
    if ("condition" in result) {
      conditions.set(tree.value, { ...result.condition, when: tree.written });
      names.set(tree.value, result.names);
    }
    // THREAT: a variable may hold a secret, so what was filled in is not quoted.
    else if (tree.value !== tree.written) report.add(tree.at, ...withVariables(key));
    else {
      for (const { offset, message, fix } of result.problems) report.add(placeIn(tree, offset), message, fix);
    }
  }
  return { conditions, names };
}

const A_WORD = /^[A-Za-z_-]+$/;

const withVariables = (key: ConditionTree["key"]) =>
  [
    `The condition in \`${key}\` can't be used with what its variables hold.`,
    "Try it with the values written out.",
  ] as const;

function wordOf(tree: TextTree): readonly [message: string, fix?: string] {
  const meant = tree.value === tree.written ? meantBy(tree.value) : undefined;
  const end = meant === undefined ? "." : `; did you mean ${quote(meant)}?`;
  return [
    `\`approval\` takes \`always\`, \`never\` or a condition such as \`args.amount > 100\`, not ${quote(tree.written)}${end}`,
  ];
}

/** What people write for `always` and `never`. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ["true", "always"],
  ["false", "never"],
  ["ask", "always"],
  ["yes", "always"],
  ["on", "always"],
  ["required", "always"],
  ["no", "never"],
  ["off", "never"],
  ["none", "never"],
]);

const meantBy = (word: string): string | undefined =>
  MEANT.get(word.toLowerCase()) ?? nearMiss(word, ["always", "never"]);
