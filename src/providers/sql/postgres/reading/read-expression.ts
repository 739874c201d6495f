/** Walks an expression and notes every column, function, operator and type in it. */

import type { TypeFact } from "../facts.ts";
import {
  childrenOf,
  flagIn,
  holdsKind,
  namesIn,
  nodeIn,
  nodesIn,
  type TreeNode,
  textIn,
} from "../parsing/parse-tree.ts";
import { isTrusted } from "../value-identity.ts";
import { Dependencies } from "./dependencies.ts";
import { force, noteFunction, noteFunctionNotation, type ReadingContext } from "./reading-context.ts";
import { countsRows, isList, isOrderFree, picksByOrder, sortsItsRows } from "./row-order.ts";
import { isSystemColumn, touchEverything, touchQualified, touchUnqualified } from "./scope.ts";

type Read = (node: TreeNode, context: ReadingContext) => void;

export function readExpression(node: TreeNode, context: ReadingContext): void {
  if (node.kind !== "ColumnRef") context.reads.addComputation();
  const read = READERS.get(node.kind);
  if (read === undefined) readPlain(node, context);
  else read(node, context);
}

function readPlain(node: TreeNode, context: ReadingContext): void {
  // On a server that doesn't know this syntax, the words may be a function's name.
  if (NEWER.test(node.kind) && (context.facts.server()?.version ?? 0) < 170000) {
    context.reads.leaveUnresolved("This server is too old for its SQL/JSON to be followed.");
  }
  if (COLLECTING.has(node.kind) || countsRows(node.fields)) context.reads.dependOnOrder();
  if (!PLAIN.has(node.kind)) {
    context.reads.leaveUnresolved(`The statement holds a part that isn't followed (${node.kind}).`);
  }
  // `JSON_ARRAY(SELECT …)` returns its rows as a list.
  readChildren(node, node.kind === "JsonArrayQueryConstructor" ? { ...context, isList: true } : context);
}

/** Reads all child nodes, except some fields. */
export function readChildren(node: TreeNode, context: ReadingContext, except: readonly string[] = []): void {
  for (const child of childrenOf(node, except)) readExpression(child, context);
}

/** Kinds that read nothing themselves. Any other unknown kind leaves the query unresolved. */
const PLAIN: ReadonlySet<string> = new Set(
  `A_ArrayExpr A_Indices A_Star Alias BitString BoolExpr Boolean BooleanTest CaseExpr CaseWhen CoalesceExpr
  CollateClause ColumnDef Float GroupingFunc GroupingSet Integer JsonAggConstructor JsonArgument JsonArrayAgg
  JsonArrayConstructor JsonArrayQueryConstructor JsonBehavior JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue
  JsonObjectAgg JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr JsonTable
  JsonTableColumn JsonTablePathSpec JsonValueExpr List MinMaxExpr NamedArgExpr NullTest ParamRef RangeTableFunc
  RangeTableFuncCol ResTarget RowExpr SQLValueFunction String TypeCast WindowDef XmlExpr XmlSerialize`.split(
    /\s+/,
  ),
);

const NEWER = /^Json/;

/** Aggregates with their own syntax. */
const COLLECTING: ReadonlySet<string> = new Set(["JsonArrayAgg", "JsonObjectAgg"]);

const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["A_Const", () => {}],
  ["ColumnRef", readColumn],
  ["FuncCall", readCall],
  ["TypeName", readType],
  ["A_Expr", readOperation],
  ["SubLink", readSublink],
  ["SortBy", readSort],
  ["A_Indirection", readIndirection],
  [
    "SelectStmt",
    (node, context) => force(context.readSelect(node.fields, inside(context), "none"), context.reads),
  ],
]);

const inside = (context: ReadingContext): ReadingContext => ({ ...context, outermost: false });

function readColumn(node: TreeNode, context: ReadingContext): void {
  const fields = nodesIn(node.fields, "fields");
  const last = fields.at(-1);
  const column = last?.kind === "String" ? (textIn(last.fields, "sval") ?? "") : null;
  if (fields.length > 1) readQualified(node, column, context);
  else if (column === null) touchEverything(context.level, context.reads);
  else readUnqualified(column, context);
}

function readQualified(node: TreeNode, column: string | null, context: ReadingContext): void {
  const table = namesIn(node.fields, "fields").at(column === null ? -1 : -2) ?? "";
  const found = touchQualified(context.level, table, column, context.reads);
  if (found === "not") leaveName(context, column === null ? table : `${table}.${column}`);
  if (found === "possible" && column !== null) noteFunctionNotation(context, column);
}

function readUnqualified(name: string, context: ReadingContext): void {
  const found = touchUnqualified(context.level, name, context.reads);
  // THREAT: a table's system column hides a column of an outer query with the same name.
  if (found === "not" || isSystemColumn(name)) leaveName(context, name);
}

const leaveName = (context: ReadingContext, name: string): void =>
  context.reads.leaveUnresolved(`It isn't known which column \`${name}\` means.`);

function readCall(node: TreeNode, context: ReadingContext): void {
  const names = namesIn(node.fields, "funcname");
  const [name = "", schema = null] = names.toReversed();
  noteFunction(context, schema, name);
  const trusted = (value: TreeNode): boolean => isTrusted(value, context);
  const isFree = isOrderFree(name, context.facts.functions(schema, name));
  if (isFree ? picksByOrder(name, node.fields, trusted) : !sortsItsRows(node.fields, trusted))
    context.reads.dependOnOrder();
  if (names.length > 2) leaveName(context, names.join("."));
  const args = nodesIn(node.fields, "args");
  if (
    !context.outermost ||
    !isAggregateCall(node, context) ||
    // THREAT: `count(DISTINCT salary)` reveals whether salaries are equal.
    flagIn(node.fields, "agg_distinct") ||
    // THREAT: `count(CASE WHEN salary > 100 THEN 1 END)` doesn't just count salaries.
    !args.every(({ kind }) => kind === "ColumnRef" || kind === "A_Const")
  ) {
    readChildren(node, context, ["funcname"]);
  } else {
    readChildren(node, context, ["funcname", "args"]);
    readAggregated(name, args, context);
  }
}

function readAggregated(name: string, args: readonly TreeNode[], context: ReadingContext): void {
  const within = new Dependencies();
  for (const arg of args) if (arg.kind === "ColumnRef") readExpression(arg, { ...context, reads: within });
  // THREAT: a column of a view may be `CASE WHEN salary > 100 THEN 1 END`, or fail on some value.
  if (within.isComputed) context.reads.merge(within);
  else context.reads.mergeAggregated(name, within);
}

/** Whether it is one of PostgreSQL's own aggregates, and not over a window. */
export function isAggregateCall(node: TreeNode, context: ReadingContext): boolean {
  if (node.kind !== "FuncCall" || nodeIn(node.fields, "over") !== null) return false;
  const [name = "", schema = null] = namesIn(node.fields, "funcname").toReversed();
  const candidates = context.facts.functions(schema, name);
  return candidates.length > 0 && candidates.every(({ builtin, kind }) => builtin && kind === "a");
}

function readType(node: TreeNode, context: ReadingContext): void {
  const names = namesIn(node.fields, "names");
  const [name = "", schema = null] = names.toReversed();
  const type = context.facts.type(schema, name);
  const reason = `What a value does when it becomes a \`${name}\` isn't known.`;
  if (type === null || flagIn(node.fields, "pct_type")) context.reads.leaveUnresolved(reason);
  else if (type.builtin) noteBuiltinType(context, type, reason);
  else if (type.kind === "e" && !type.coded) context.reads.addCatalog();
  else context.reads.addOwnCode(reason);
  readChildren(node, context, ["names"]);
}

/** A built-in type. Types of names read the catalog; `age` of an `xid` reveals what others have written. */
function noteBuiltinType({ reads }: ReadingContext, { name, kind }: TypeFact, reason: string): void {
  if (!"bremp".includes(kind) || /^_?(regrole|aclitem|xid)$/.test(name)) reads.leaveUnresolved(reason);
  else if (/^_?reg/.test(name)) reads.addCatalog();
}

function readOperation(node: TreeNode, context: ReadingContext): void {
  noteOperator(context, namesIn(node.fields, "name"));
  readChildren(node, context, ["name"]);
}

function readSort(node: TreeNode, context: ReadingContext): void {
  noteOperator(context, namesIn(node.fields, "useOp"));
  readChildren(node, context, ["useOp"]);
}

/**
 * Notes an operator that isn't PostgreSQL's own. Keywords such as BETWEEN stand for operators that are examined
 * anyway.
 */
export function noteOperator(context: ReadingContext, names: readonly string[]): void {
  const [name = "", schema = null] = names.toReversed();
  if (name === "" || /^[A-Z]/.test(name)) return;
  if (context.facts.operators(schema, name).some(({ trusted }) => !trusted)) {
    context.reads.addOwnCode(`What the operator \`${name}\` reads isn't known.`);
  }
}

function readSublink(node: TreeNode, context: ReadingContext): void {
  noteOperator(context, namesIn(node.fields, "operName"));
  const select = nodeIn(node.fields, "subselect");
  const exists = textIn(node.fields, "subLinkType") === "EXISTS_SUBLINK";
  // THREAT: beside a window or a call that returns several rows, the other outputs are computed, and may fail.
  const calls = (one: TreeNode): boolean => holdsKind(one, "FuncCall");
  if (!exists || select?.kind !== "SelectStmt" || nodesIn(select.fields, "targetList").some(calls)) {
    readChildren(node, { ...context, isList: isList(node.fields) }, ["operName"]);
  } else {
    // Whether there is a row doesn't depend on its columns, so lazy outputs stay unread.
    context.readSelect(select.fields, inside(context), "columns");
  }
}

function readIndirection(node: TreeNode, context: ReadingContext): void {
  for (const name of namesIn(node.fields, "indirection")) noteFunctionNotation(context, name);
  readChildren(node, context);
}
