/** Finds the conditions of a policy file, and compiles each or tells what is wrong with it and where. */
import { type ApprovalCondition, nearMiss } from "../core/index.ts";
import type { ConditionCompiler } from "./conditions/load-compiler.ts";
import { quote } from "./document/quote.ts";
import type { Report } from "./document/report.ts";
import { child, entriesOf, isText, type Position, type TextTree } from "./document/tree.ts";
import type { Declared } from "./sections/declared.ts";

/** The values of `approval` that are no word for it. */
export const conditionsOf = ({ tools, workspace, databases, apis }: Declared): readonly TextTree[] =>
  [
    ...tools,
    ...[...(workspace ? [workspace] : []), ...databases].flatMap(({ value }) =>
      entriesOf(child(value, "tools")),
    ),
    ...apis.flatMap(({ value }) => entriesOf(child(value, "operations"))),
  ]
    .map(({ value }) => child(value, "approval"))
    .filter(isText)
    .filter(({ value }) => value !== "" && value !== "always" && value !== "never");

/** The conditions by their text; what is wrong with one is reported. */
export function compileConditions(
  conditions: readonly TextTree[],
  declared: Declared,
  compile: ConditionCompiler,
  report: Report,
): ReadonlyMap<string, ApprovalCondition> {
  const compiled = new Map<string, ApprovalCondition>();
  for (const tree of conditions) {
    if (A_WORD.test(tree.value)) {
      report.add(tree.at, ...wordOf(tree));
      continue;
    }
    const result = compile(tree.value, declared);
    if ("condition" in result) compiled.set(tree.value, { ...result.condition, when: tree.written });
    // THREAT: a variable may hold a secret, so what was filled in is not quoted.
    else if (tree.value !== tree.written) report.add(tree.at, ...WITH_VARIABLES);
    else {
      for (const { offset, message, fix } of result.problems) report.add(placeIn(tree, offset), message, fix);
    }
  }
  return compiled;
}

const A_WORD = /^[A-Za-z_-]+$/;

const WITH_VARIABLES = [
  "The condition in `approval` can't be used with what its variables hold.",
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

function placeIn({ at, inset }: TextTree, offset: number): Position {
  return inset === null ? at : { line: at.line, column: at.column + inset + offset };
}
