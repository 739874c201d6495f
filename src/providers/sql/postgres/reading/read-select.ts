/** Walks a SELECT: its WITH, its FROM, its outputs, and everything that decides which rows there are. */

import {
  type Fields,
  flagIn,
  namesIn,
  nodeIn,
  nodesIn,
  type TreeNode,
  textIn,
} from "../parsing/parse-tree.ts";
import { eitherKind, isTrusted } from "../value-identity.ts";
import { Dependencies } from "./dependencies.ts";
import { isAggregateCall, readExpression } from "./read-expression.ts";
import { readFrom } from "./read-from.ts";
import { readOutputs } from "./read-outputs.ts";
import { type Derived, force, type Lazy, type ReadingContext } from "./reading-context.ts";
import { cutsByPlace, sortsTotally } from "./row-order.ts";
import type { Entry, Level } from "./scope.ts";

/** Reads a SELECT, VALUES or TABLE; `around.level` is the outer level. */
export function readSelect(select: Fields, around: ReadingContext, lazy: Lazy): Derived {
  const { outermost } = around;
  const within = { ...around, outermost: false, isList: false };
  const context = { ...within, ctes: readWith(select, within) };
  if (nodeIn(select, "larg") !== null) {
    const both = readSetOperation(select, context);
    noteOrder(select, around, (_value, place) => (both.kindsByPlace?.[place] ?? "loose") !== "loose");
    return both;
  }
  const entries: Entry[] = [];
  const from: Level = { entries, complete: false, outer: around.level };
  const rows = new Dependencies();
  for (const item of nodesIn(select, "fromClause")) {
    entries.push(...readFrom(item, { ...context, reads: rows, level: from }));
  }
  const counting = outermost && !decidesRows(select) ? aggregatesOf(select, around) : [];
  if (counting.length > 0) around.reads.mergeCounted(counting, rows);
  else around.reads.merge(rows);
  const level: Level = { entries, complete: true, outer: around.level };
  noteOrder(select, around, (value) => isTrusted(value, { ...context, level }));
  if (outermost && !onlyCounts(select, rows, { ...context, level })) around.reads.mayShowIndexes();
  const outputs = readOutputs(select, { ...context, outermost, level }, decidesRows(select) ? "none" : lazy);
  for (const row of nodesIn(select, "valuesLists")) readExpression(row, { ...context, level });
  readClauses(select, { ...context, level });
  // VALUES names its columns `column1` and so on.
  return outputs.columns.size === 0 ? { ...outputs, open: true } : outputs;
}

function noteOrder(
  select: Fields,
  around: ReadingContext,
  isTrusted: (value: TreeNode, place: number) => boolean,
): void {
  const shows = around.outermost || around.isList === true || cutsByPlace(select);
  if (shows && !sortsTotally(select, isTrusted) && !givesOneRow(select, around)) around.reads.dependOnOrder();
  if (around.outermost && nodeIn(select, "larg") !== null) around.reads.mayShowIndexes();
}

/** Whether outputs may also decide about rows: `GROUP BY 1`, `DISTINCT`, an order with a limit. */
const decidesRows = (select: Fields): boolean =>
  [
    "distinctClause",
    "groupClause",
    "havingClause",
    "windowClause",
    "sortClause",
    "limitOffset",
    "limitCount",
  ].some((name) => nodeIn(select, name) !== null || Array.isArray(select[name]));

/** The aggregates of a select list that contains nothing else, so that there is one row in any case. */
function aggregatesOf(select: Fields, context: ReadingContext): readonly string[] {
  const calls = nodesIn(select, "targetList").map((target) => nodeIn(target.fields, "val"));
  return calls.every((call) => call !== null && isAggregateCall(call, context))
    ? calls.flatMap((call) => namesIn(call?.fields ?? {}, "funcname").at(-1) ?? [])
    : [];
}

/** Whether there is one row in any case: only aggregates, or no table. */
function givesOneRow(select: Fields, context: ReadingContext): boolean {
  const isPlain = nodeIn(select, "larg") === null && nodesIn(select, "valuesLists").length === 0;
  const isWhole = nodesIn(select, "groupClause").length === 0 && aggregatesOf(select, context).length > 0;
  return isPlain && (isWhole || nodesIn(select, "fromClause").length === 0);
}

/**
 * Whether the query only counts all rows of tables. Only then the order of processing can't affect the result:
 * otherwise an expression may fail, or one of several equal values be returned.
 */
function onlyCounts(select: Fields, rows: Dependencies, context: ReadingContext): boolean {
  const args = new Dependencies();
  const counts = nodesIn(select, "targetList").every((target) => {
    const call = nodeIn(target.fields, "val");
    if (call === null || !isPlainCount(call, context)) return false;
    for (const arg of nodesIn(call.fields, "args")) readExpression(arg, { ...context, reads: args });
    return true;
  });
  const isPlain =
    !decidesRows(select) &&
    ["whereClause", "withClause"].every((name) => nodeIn(select, name) === null) &&
    nodesIn(select, "valuesLists").length === 0 &&
    nodesIn(select, "fromClause").every(({ kind }) => kind === "RangeVar");
  return counts && isPlain && !rows.isComputed && !args.isComputed;
}

/** Whether it is `count(*)` or `count(column)`. */
const isPlainCount = (call: TreeNode, context: ReadingContext): boolean =>
  isAggregateCall(call, context) &&
  namesIn(call.fields, "funcname").at(-1) === "count" &&
  !flagIn(call.fields, "agg_distinct") &&
  nodeIn(call.fields, "agg_filter") === null &&
  nodesIn(call.fields, "agg_order").length === 0 &&
  nodesIn(call.fields, "args").every(({ kind }) => kind === "ColumnRef");

function readSetOperation(select: Fields, context: ReadingContext): Derived {
  const [left, right] = ["larg", "rarg"].map((side) =>
    readSelect(nodeIn(select, side)?.fields ?? {}, context, "none"),
  );
  readClauses(select, { ...context, level: { entries: [], complete: true, outer: context.level } });
  const kindsByPlace = (left?.kindsByPlace ?? []).map((kind, place) =>
    eitherKind(kind, right?.kindsByPlace?.[place] ?? "loose"),
  );
  const columns = left?.columns ?? new Set();
  // If each output has a unique name, names are in the order of positions.
  const kinds = new Map(
    columns.size === kindsByPlace.length
      ? [...columns].map((name, place) => [name, kindsByPlace[place] ?? "loose"])
      : [],
  );
  return { columns, open: left?.open ?? true, outputs: new Map(), places: null, kinds, kindsByPlace };
}

const CLAUSES = ["whereClause", "havingClause", "limitOffset", "limitCount"];
/** Clauses that may name an output, so that no table need have such a column. */
const NAMING_OUTPUTS = ["groupClause", "windowClause", "distinctClause", "sortClause"];

const OUTPUTS: Entry = {
  name: "",
  columns: new Set(),
  open: true,
  touch: () => {},
  touchAll: () => {},
  dependOnUnknown: () => {},
};

function readClauses(select: Fields, context: ReadingContext & { readonly level: Level }): void {
  for (const clause of CLAUSES.flatMap((name) => nodeIn(select, name) ?? [])) readExpression(clause, context);
  const level = { ...context.level, entries: [...context.level.entries, OUTPUTS] };
  for (const node of NAMING_OUTPUTS.flatMap((name) => nodesIn(select, name))) {
    readExpression(node, { ...context, level });
  }
}

/** The queries that names mean in this SELECT; a later name hides an earlier one, and a table. */
function readWith(select: Fields, context: ReadingContext): ReadonlyMap<string, Derived> {
  const clause = nodeIn(select, "withClause");
  if (clause === null) return context.ctes;
  const ctes = new Map(context.ctes);
  const queries = nodesIn(clause.fields, "ctes");
  const recursive = flagIn(clause.fields, "recursive");
  if (recursive) for (const query of queries) ctes.set(nameOf(query), UNKNOWN);
  for (const query of queries) {
    const derived = readQuery(query, { ...context, inWith: true, ctes: new Map(ctes) }, recursive);
    ctes.set(nameOf(query), recursive ? UNKNOWN : derived);
  }
  return ctes;
}

const nameOf = (query: TreeNode): string => textIn(query.fields, "ctename") ?? "";

/** Everything read through it is noted already, and any name may be one of its columns. */
const UNKNOWN: Derived = { columns: new Set(), open: true, outputs: new Map(), places: null };

function readQuery(query: TreeNode, context: ReadingContext, recursive: boolean): Derived {
  const select = nodeIn(query.fields, "ctequery");
  if (query.kind !== "CommonTableExpr" || select?.kind !== "SelectStmt") {
    context.reads.leaveUnresolved("A query in WITH isn't a SELECT.");
    return UNKNOWN;
  }
  const renamed = namesIn(query.fields, "aliascolnames").length > 0;
  const eager = recursive || renamed;
  const derived = context.readSelect(select.fields, context, eager ? "none" : "columns");
  if (!eager) return derived;
  force(derived, context.reads);
  return UNKNOWN;
}
