/**
 * Whether equal values are identical. 1.0 and 1.00 are equal numerics: sorting by them keeps the original order of
 * their rows, which stays visible.
 */
import { namesIn, nodeIn, nodesIn, type TreeNode, textIn } from "./parsing/parse-tree.ts";
import type { ReadingContext } from "./reading/reading-context.ts";

/**
 * `identical`: of a type whose equal values are identical. `plain`: a stored column, whose values the query can't
 * choose. `loose`: anything else.
 */
export type ValueKind = "identical" | "plain" | "loose";

/** The kind of a value that may be either. */
export const eitherKind = (one: ValueKind, other: ValueKind): ValueKind => (one === other ? one : "loose");

export function kindOfValue(node: TreeNode, context: ReadingContext): ValueKind {
  if (node.kind === "ColumnRef") return kindOfColumn(node, context);
  if (isIdentical(node, context)) return "identical";
  return isPlainAggregate(node, context) ? "plain" : "loose";
}

export const isTrusted = (node: TreeNode, context: ReadingContext): boolean =>
  kindOfValue(node, context) !== "loose";

function kindOfColumn({ fields }: TreeNode, { level }: ReadingContext): ValueKind {
  const parts = nodesIn(fields, "fields");
  const names = namesIn(fields, "fields");
  const column = names.at(-1);
  if (column === undefined || names.length !== parts.length) return "loose";
  const table = names.length > 1 ? names.at(-2) : null;
  const kinds: ValueKind[] = [];
  for (let at = level; at !== null; at = at.outer) {
    // An open entry may be meant too, and its columns are unknown.
    const entries = at.entries.filter(
      ({ name, columns, open }) => (table === null || name === table) && (open || columns.has(column)),
    );
    for (const { columns, kindOf } of entries)
      kinds.push((columns.has(column) && kindOf?.(column)) || "loose");
    if (kinds.length > 0 && at.complete) break;
  }
  return kinds.length === 0 ? "loose" : kinds.reduce(eitherKind);
}

/** `sum(total)`, `max(placed)` */
function isPlainAggregate({ kind, fields }: TreeNode, context: ReadingContext): boolean {
  const args = nodesIn(fields, "args");
  const name = namesIn(fields, "funcname").at(-1) ?? "";
  return kind === "FuncCall" && AGGREGATES.has(name) && args.every((arg) => isTrusted(arg, context));
}

const AGGREGATES: ReadonlySet<string> = new Set(["avg", "max", "min", "sum"]);

type Check = (node: TreeNode, context: ReadingContext) => boolean;

const isIdentical: Check = (node, context) => CHECKS.get(node.kind)?.(node, context) ?? false;

const allIdentical = (nodes: readonly TreeNode[], context: ReadingContext): boolean =>
  nodes.every((node) => isIdentical(node, context));

const always: Check = () => true;

const hasIdenticalArgs: Check = ({ fields }, context) => allIdentical(nodesIn(fields, "args"), context);

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  // A number with a decimal point is a numeric.
  ["A_Const", ({ fields }) => !Object.hasOwn(fields, "fval")],
  ["ColumnRef", (node, context) => kindOfColumn(node, context) === "identical"],
  ["TypeCast", isIdenticalCast],
  ["FuncCall", isIdenticalCall],
  ["A_Expr", isIdenticalOperation],
  ["CaseExpr", isIdenticalCase],
  ["CoalesceExpr", hasIdenticalArgs],
  ["MinMaxExpr", hasIdenticalArgs],
  ["BoolExpr", always],
  ["BooleanTest", always],
  ["NullTest", always],
  ["SQLValueFunction", always],
  ["SubLink", ({ fields }) => /^(EXISTS|ANY|ALL)_SUBLINK$/.test(textIn(fields, "subLinkType") ?? "")],
]);

function isIdenticalCast({ fields }: TreeNode, { facts }: ReadingContext): boolean {
  const type = nodeIn(fields, "typeName")?.fields ?? {};
  const [name = "", schema = null] = namesIn(type, "names").toReversed();
  return nodesIn(type, "arrayBounds").length === 0 && facts.type(schema, name)?.identical === true;
}

/** Functions that return one of their arguments, or a value of its type. */
const PASSING: ReadonlySet<string> = new Set(
  `abs any_value btrim date_bin date_trunc first_value generate_series lag last_value lead lower ltrim max min mod
  nth_value rtrim substring upper`.split(/\s+/),
);

function isIdenticalCall(node: TreeNode, context: ReadingContext): boolean {
  const [name = "", schema = null] = namesIn(node.fields, "funcname").toReversed();
  const candidates = context.facts.functions(schema, name);
  if (candidates.length === 0 || candidates.some(({ builtin }) => !builtin)) return false;
  if (candidates.every(({ identical }) => identical)) return true;
  // All values of one field have the same scale.
  if (name === "extract") return nodesIn(node.fields, "args")[0]?.kind === "A_Const";
  return PASSING.has(name) && hasIdenticalArgs(node, context);
}

function isIdenticalOperation({ fields }: TreeNode, context: ReadingContext): boolean {
  const kind = textIn(fields, "kind") ?? "";
  const sides = [nodeIn(fields, "lexpr"), nodeIn(fields, "rexpr")].filter((side) => side !== null);
  // Its result has the type of the comparison.
  if (kind === "AEXPR_NULLIF") return allIdentical(sides, context);
  if (kind !== "AEXPR_OP") return true;
  const name = namesIn(fields, "name").at(-1) ?? "";
  if (/^([<>=]|<>|!=|<=|>=|!?~\*?)$/.test(name)) return true;
  // The difference of two times is an interval, whose equal values may differ.
  return /^([+*/%]|\|\|)$/.test(name) && allIdentical(sides, context);
}

function isIdenticalCase({ fields }: TreeNode, context: ReadingContext): boolean {
  const results = nodesIn(fields, "args").map((when) => nodeIn(when.fields, "result"));
  const all = [...results, nodeIn(fields, "defresult")].filter((result) => result !== null);
  return allIdentical(all, context);
}
