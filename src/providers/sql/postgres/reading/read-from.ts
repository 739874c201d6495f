/** Walks one item of a FROM: a table, a query, a function, or a join. */

import {
  type Fields,
  flagIn,
  namesIn,
  nodeIn,
  nodesIn,
  type TreeNode,
  textIn,
} from "../parsing/parse-tree.ts";
import { eitherKind } from "../value-identity.ts";
import type { Dependencies } from "./dependencies.ts";
import { readChildren, readExpression } from "./read-expression.ts";
import { readRelation } from "./read-relation.ts";
import { derivedEntry, type ReadingContext } from "./reading-context.ts";
import type { Entry } from "./scope.ts";

/**
 * The relations that the item lets the query name. Meanwhile, everything before it in the same FROM is in the
 * incomplete `context.level`.
 */
export function readFrom(item: TreeNode, context: ReadingContext): readonly Entry[] {
  if (item.kind === "RangeVar") return [aliased(readRange(item.fields, context), item.fields)];
  if (item.kind === "RangeSubselect") return [readSubselect(item, context)];
  if (item.kind === "JoinExpr") return readJoin(item.fields, context);
  if (item.kind === "RangeTableSample") return readSample(item, context);
  if (item.kind === "RangeFunction") readChildren(item, context, ["alias"]);
  else readExpression(item, context);
  return [aliased(unnamed(), item.fields)];
}

const unnamed = (): Entry => ({
  name: "",
  columns: new Set(),
  open: true,
  touch: () => {},
  touchAll: () => {},
  dependOnUnknown: () => {},
});

function readRange(fields: Fields, context: ReadingContext): Entry {
  const name = textIn(fields, "relname") ?? "";
  const schema = textIn(fields, "schemaname");
  const cte = schema === null ? context.ctes.get(name) : undefined;
  return cte === undefined ? readRelation(context, schema, name) : derivedEntry(name, cte);
}

function readSubselect(item: TreeNode, context: ReadingContext): Entry {
  const select = nodeIn(item.fields, "subquery");
  if (select?.kind !== "SelectStmt") {
    context.reads.leaveUnresolved("A subquery isn't a SELECT.");
    return aliased(unnamed(), item.fields);
  }
  return aliased(derivedEntry("", context.readSelect(select.fields, context, "columns")), item.fields);
}

function readSample(item: TreeNode, context: ReadingContext): readonly Entry[] {
  const [method = "", schema = "pg_catalog"] = namesIn(item.fields, "method").toReversed();
  if (schema !== "pg_catalog" || !["bernoulli", "system"].includes(method)) {
    context.reads.leaveUnresolved(`How \`${method}\` takes a sample isn't known.`);
  }
  readChildren(item, context, ["relation", "method"]);
  const relation = nodeIn(item.fields, "relation");
  const entries = relation === null ? [] : readFrom(relation, context);
  // Which rows a sample contains depends on how they are stored, and so on their lengths.
  for (const entry of entries) entry.touchAll(context.reads);
  return entries;
}

/** Each side sees what is before it, and the condition sees both; to the outside, a row consists of both. */
function readJoin(join: Fields, context: ReadingContext): readonly Entry[] {
  const sides: Entry[] = [];
  const beside = (): ReadingContext => ({ ...context, level: widened(context, sides) });
  const left = sideOf(join, "larg", beside());
  sides.push(...left);
  const right = sideOf(join, "rarg", beside());
  sides.push(...right);
  const using = namesIn(join, "usingClause");
  for (const name of using) touchCommon(name, left, right, context.reads);
  if (flagIn(join, "isNatural")) touchNatural(left, right, context.reads);
  const condition = nodeIn(join, "quals");
  if (condition !== null) readExpression(condition, beside());
  return [...visibleOf(join, sides), ...usingEntry(join, using, sides)];
}

function sideOf(join: Fields, name: string, context: ReadingContext): readonly Entry[] {
  const side = nodeIn(join, name);
  return side === null ? [] : readFrom(side, context);
}

const widened = ({ level }: ReadingContext, sides: readonly Entry[]) => ({
  entries: [...(level?.entries ?? []), ...sides],
  complete: false,
  outer: level?.outer ?? null,
});

function touchCommon(
  name: string,
  left: readonly Entry[],
  right: readonly Entry[],
  reads: Dependencies,
): void {
  for (const entry of [...left, ...right]) {
    if (entry.columns.has(name)) entry.touch(name, reads);
    else if (entry.open) entry.dependOnUnknown(reads);
  }
}

function touchNatural(left: readonly Entry[], right: readonly Entry[], reads: Dependencies): void {
  const all = [...left, ...right];
  if (all.some(({ open }) => open)) {
    for (const entry of all) entry.touchAll(reads);
    return;
  }
  const names = new Set(left.flatMap(({ columns }) => [...columns]));
  const common = [...names].filter((name) => right.some(({ columns }) => columns.has(name)));
  for (const name of common) touchCommon(name, left, right, reads);
}

/** An alias of a join hides the names of its sides. */
function visibleOf(join: Fields, sides: readonly Entry[]): readonly Entry[] {
  const alias = nodeIn(join, "alias");
  return alias === null ? sides : [aliased(rowOf(sides), join)];
}

const rowOf = (sides: readonly Entry[]): Entry => ({
  name: "",
  columns: new Set(sides.flatMap(({ columns }) => [...columns])),
  open: sides.some(({ open }) => open),
  touch: (column, reads) => touchCommon(column, sides, [], reads),
  touchAll: (reads) => {
    for (const side of sides) side.touchAll(reads);
  },
  kindOf: (column) =>
    sides
      .filter(({ columns }) => columns.has(column))
      .map((side) => side.kindOf?.(column) ?? "loose")
      .reduce(eitherKind),
  dependOnUnknown: (reads) => {
    for (const side of sides) if (side.open) side.dependOnUnknown(reads);
  },
});

function usingEntry(join: Fields, using: readonly string[], sides: readonly Entry[]): readonly Entry[] {
  const name = textIn(nodeIn(join, "join_using_alias")?.fields ?? {}, "aliasname");
  if (name === null) return [];
  const row = rowOf(sides);
  const touchAll = (reads: Dependencies): void => {
    for (const column of using) row.touch(column, reads);
  };
  return [
    { name, columns: new Set(using), open: false, touch: row.touch, touchAll, dependOnUnknown: () => {} },
  ];
}

/** The same under the item's alias; renamed columns aren't distinguished. */
function aliased(entry: Entry, item: Fields): Entry {
  const alias = nodeIn(item, "alias");
  if (alias === null) return entry;
  const name = textIn(alias.fields, "aliasname") ?? "";
  const renamed = nodesIn(alias.fields, "colnames").length === 0 ? [] : namesIn(alias.fields, "colnames");
  return renamed.length === 0 ? { ...entry, name } : renamedEntry(entry, name, renamed);
}

/** With renamed columns, reading one counts as reading all. */
const renamedEntry = (entry: Entry, name: string, columns: readonly string[]): Entry => ({
  name,
  columns: new Set(columns),
  open: true,
  touch: (_column, reads) => entry.touchAll(reads),
  touchAll: (reads) => entry.touchAll(reads),
  dependOnUnknown: (reads) => entry.touchAll(reads),
});
