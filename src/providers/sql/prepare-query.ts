/** A query: examined, labelled by what it reads, and run as the variant with the lowest label. */
import { flowsTo, type Label, sameLabel } from "../../core/index.ts";
import type { JsonObject, ToolResult } from "../../runtime/index.ts";
import { checkQuery, checkRow } from "./check-arguments.ts";
import { type ColumnLabels, labelOfReading } from "./column-labels.ts";
import { type Database, type PreparedQuery, sentencesOf, succeeded, toNothing, toWrong } from "./database.ts";
import type { QueryVariant, SqlPage, SqlParameters, SqlReading, TableDescription } from "./sql-engine.ts";

export async function prepareQuery(
  database: Database,
  args: JsonObject,
  signal?: AbortSignal,
): Promise<PreparedQuery> {
  const checked = checkQuery(args, database.limits.rows);
  if ("wrong" in checked) return toWrong(checked.wrong, database);
  const { sql, parameters, limit, offset } = checked;
  return prepare(
    database,
    { sql, parameters },
    { limit, offset },
    (page) => pageResult(page, offset),
    signal,
  );
}

/** One row by its key: a generated query, which is examined like any other. */
export async function prepareRow(
  database: Database,
  args: JsonObject,
  signal?: AbortSignal,
): Promise<PreparedQuery> {
  const checked = checkRow(args);
  if ("wrong" in checked) return toWrong(checked.wrong, database);
  const { engine, labels } = database;
  const table = await engine.describe(checked.table, signal);
  const key = table && keyOf(table);
  if (table === null || key === null) return toNothing(whyNoRow(table), labels.declared.catalog);
  const statement = { sql: engine.selectRow(table, key), parameters: [checked.id] };
  return prepare(database, statement, { limit: 1, offset: 0 }, (page) => rowResult(page, table), signal);
}

interface Statement {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

async function prepare(
  { engine, labels, limits, checkKeys }: Database,
  { sql, parameters }: Statement,
  place: { readonly limit: number; readonly offset: number },
  toResult: (page: SqlPage) => ToolResult,
  signal?: AbortSignal,
): Promise<PreparedQuery> {
  const found = await engine.examine(sql, parameters, signal);
  if (found.kind === "refused")
    return found.catalog
      ? toNothing(sentencesOf(found), labels.declared.catalog)
      : toNothing(sentencesOf(found), labelOfReading(NOTHING, labels));
  await checkKeys(found.names);
  const { way, label } = cheapestVariant(found.ways, labels);
  const showsNames = flowsTo(labels.lattice, labels.declared.catalog, label);
  return {
    source: label,
    ...(!isDeclared(way.reading, labels) && { told: labels.declared.catalog }),
    perform: async (signal) =>
      toResult(await engine.run(way.prepared, { ...place, bytes: limits.bytes, showsNames }, signal)),
  };
}

/** Whether a label follows from keys of the policy alone, so that it reveals no other name. */
const isDeclared = (
  { columns, named = [], tables, aggregated, catalog, unresolved }: SqlReading,
  labels: ColumnLabels,
): boolean =>
  !catalog &&
  unresolved === null &&
  tables.length === 0 &&
  aggregated.length === 0 &&
  [...columns, ...named].every(labels.isDeclared);

const NOTHING = { columns: [], tables: [], aggregated: [], catalog: false, unresolved: null };

/** The first variant with the lowest label. */
export function cheapestVariant(
  [first, ...others]: readonly [QueryVariant, ...QueryVariant[]],
  labels: ColumnLabels,
): LabelledWay {
  let least = { way: first, label: labelOfReading(first.reading, labels) };
  for (const way of others) {
    const label = labelOfReading(way.reading, labels);
    const isLess = flowsTo(labels.lattice, label, least.label) && !sameLabel(label, least.label);
    if (isLess) least = { way, label };
  }
  return least;
}

interface LabelledWay {
  readonly way: QueryVariant;
  readonly label: Label;
}

function pageResult({ columns, rows, cut, more }: SqlPage, offset: number): ToolResult {
  return succeeded({
    columns,
    rows,
    row_count: rows.length,
    offset,
    ...(more && { next_offset: offset + rows.length }),
    ...(cut.length > 0 && { cut }),
  });
}

/** Null if there is no such row. */
function rowResult({ columns, rows, cut }: SqlPage, { table }: TableDescription): ToolResult {
  const [row] = rows;
  return succeeded({
    table,
    row: row === undefined ? null : Object.fromEntries(columns.map((name, index) => [name, row[index]])),
    ...(cut.length > 0 && { cut: cut.map(({ column, bytes }) => ({ column, bytes })) }),
  });
}

/** The only column of its primary key, or null. */
function keyOf({ columns }: TableDescription): string | null {
  const key = columns.filter(({ primaryKey }) => primaryKey > 0);
  return key.length === 1 ? (key[0]?.name ?? null) : null;
}

const whyNoRow = (table: TableDescription | null): string =>
  table === null
    ? noSuchTable()
    : `The row can't be found by an id. \`${table.table}\` has no primary key of one column. Use \`query\` instead.`;

export const noSuchTable = (): string =>
  "There is no table or view of that name. The database has others. Use `list_tables` to see them.";
