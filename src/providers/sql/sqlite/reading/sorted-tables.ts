/**
 * A variant that depends only on the columns that it reads: each table is replaced by a copy with only these columns,
 * sorted by them. So no index and no key affects the result; it costs a sort of each table.
 */

import { quoteName } from "../../sql-engine.ts";
import type { CatalogueTable } from "../schema-catalog.ts";
import type { Statement } from "./check-statement.ts";
import { type Compiler, columnKey } from "./compile.ts";
import type { ColumnSet, Reading } from "./find-reading.ts";
import { namedBy, type Token, toTokens } from "./tokens.ts";

/** The used columns of each table: first those in the result, then those only in aggregates. */
interface Projection {
  readonly shown: ColumnSet;
  readonly aggregated: ColumnSet;
}

/** The query over sorted tables, or null if it can't be written so. */
export function overSortedTables(
  statement: Statement,
  { named, byRowNumber, unresolved }: Reading,
  projection: Projection,
  compiler: Compiler,
): string | null {
  if (byRowNumber || unresolved !== null || named.texts.some(({ tokens }) => namesSchema(tokens)))
    return null;
  const copies = named.tables.map((table) => copyOf(table, projection));
  const views = named.views.map(bodyOf);
  if (views.includes(null)) return null;
  const sql = withTables(statement, [...copies, ...views.filter((view) => view !== null)]);
  return readsOnly(compiler, sql, named.tables, projection) ? sql : null;
}

/** THREAT: a name with its schema would mean the table itself instead of the copy. */
const namesSchema = (tokens: readonly Token[]): boolean =>
  tokens.some((token, index) => {
    const next = tokens[index + 1];
    return next?.kind === "symbol" && next.text === "." && ["main", "temp"].includes(namedBy(token));
  });

function copyOf({ name, columns }: CatalogueTable, { shown, aggregated }: Projection): string {
  const own = columns.map((column) => ({ ...column, key: columnKey(name, column.name) }));
  const values = own.map((column) =>
    shown.has(column.key) || aggregated.has(column.key) ? quoteName(column.name) : "NULL",
  );
  const sorted = [shown, aggregated].flatMap((set) => own.filter(({ key }) => set.has(key)));
  const order = sorted.flatMap((column) => identical(quoteName(column.name)));
  const orderBy = order.length > 0 ? ` ORDER BY ${order.join(", ")}` : "";
  // Without a limit, SQLite could drop the order.
  return `${headOf(name, columns)} AS MATERIALIZED (SELECT ${values.join(", ")} FROM main.${quoteName(name)}${orderBy} LIMIT -1)`;
}

/** What orders a column so that no two values tie that can be told apart: 1 and 1.0 are equal, and so are 0.0 and -0.0. */
const identical = (name: string): readonly string[] => [
  `${name} COLLATE BINARY`,
  `typeof(${name})`,
  `CASE WHEN typeof(${name}) = 'real' AND ${name} = 0 THEN atan2(${name}, -1) END`,
];

const headOf = (name: string, columns: CatalogueTable["columns"]): string =>
  `${quoteName(name)}(${columns.map((column) => quoteName(column.name)).join(", ")})`;

/** A view as a common table expression: the text after the AS of its declaration. */
function bodyOf({ name, sql, columns }: CatalogueTable): string | null {
  const tokens = toTokens(sql) ?? [];
  const start = tokens.findIndex(({ keyword, depth }) => keyword === "AS" && depth === 0);
  const body = tokens.slice(start + 1).filter(({ text, kind }) => !(text === ";" && kind === "symbol"));
  const [first, last] = [body[0], body.at(-1)];
  if (start < 0 || first === undefined || last === undefined || columns.length === 0) return null;
  return `${headOf(name, columns)} AS (${sql.slice(first.start, last.end)})`;
}

function withTables({ sql, tokens }: Statement, tables: readonly string[]): string {
  if (tables.length === 0) return sql;
  const [first, second, third] = tokens;
  if (first?.keyword !== "WITH") return `WITH ${tables.join(", ")} ${sql}`;
  const place = (second?.keyword === "RECURSIVE" ? third : second)?.start ?? 0;
  return `${sql.slice(0, place)}${tables.join(", ")}, ${sql.slice(place)}`;
}

/** Whether SQLite compiles it, and it reads only what the copies contain. */
function readsOnly(
  compiler: Compiler,
  sql: string,
  tables: readonly CatalogueTable[],
  { shown, aggregated }: Projection,
): boolean {
  const compiled = compiler.compile(sql);
  if (compiled.kind === "refused") return false;
  const names = new Set(tables.map(({ name }) => name));
  return compiled.reads.every(({ table, column }) => {
    const key = columnKey(table, column);
    return !names.has(table) || column === "" || shown.has(key) || aggregated.has(key);
  });
}
