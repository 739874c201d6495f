/** Tables, and how sensitive each column is: names and types, never a row. */
import type { Label } from "../../core/index.ts";
import type { JsonObject } from "../../runtime/index.ts";
import { checkNothing, checkTable } from "./check-arguments.ts";
import { joinAll } from "./column-labels.ts";
import { type Database, type PreparedQuery, shownLabel, succeeded, toNothing, toWrong } from "./database.ts";
import { cheapestVariant, noSuchTable } from "./prepare-query.ts";
import { quoteName, type TableDescription, type TableInfo } from "./sql-engine.ts";

/** The most tables that are listed. */
const MAX_TABLES = 500;

export async function prepareTables(database: Database, args: JsonObject): Promise<PreparedQuery> {
  const checked = checkNothing(args);
  if ("wrong" in checked) return toWrong(checked.wrong, database);
  return {
    source: database.labels.declared.catalog,
    perform: async (signal) => {
      const all = await database.engine.tables(signal);
      const tables: JsonObject[] = [];
      for (const table of all.slice(0, MAX_TABLES)) tables.push(await showTable(database, table, signal));
      const left = all.length - tables.length;
      return succeeded({ tables, ...(left > 0 && { left_out: left }) });
    },
  };
}

export async function prepareTable(
  database: Database,
  args: JsonObject,
  signal?: AbortSignal,
): Promise<PreparedQuery> {
  const checked = checkTable(args);
  if ("wrong" in checked) return toWrong(checked.wrong, database);
  const { catalog } = database.labels.declared;
  const table = await database.engine.describe(checked.table, signal);
  if (table === null) return toNothing(noSuchTable(), catalog);
  return {
    source: catalog,
    perform: async (signal) => succeeded(await describe(database, table, signal)),
  };
}

/** The label of all its columns together, so that a model knows the label of `SELECT *`. */
async function showTable(database: Database, info: TableInfo, signal?: AbortSignal): Promise<JsonObject> {
  const table = await database.engine.describe(info, signal);
  const labels = table === null ? [] : await labelsOf(database, table, signal);
  const all = joinAll(database.labels.lattice, labels);
  return { ...nameOf(info), kind: info.kind, ...(labels.length > 0 && shownLabel(all, database.labels)) };
}

async function describe(
  database: Database,
  table: TableDescription,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const labels = await labelsOf(database, table, signal);
  return {
    ...nameOf(table),
    kind: table.kind,
    columns: table.columns.map(({ name, type, nullable, primaryKey }, index) => ({
      name,
      type,
      nullable,
      ...(primaryKey > 0 && { primary_key: primaryKey }),
      ...shownLabel(labels[index] ?? database.labels.worst, database.labels),
    })),
    ...(table.foreignKeys.length > 0 && {
      foreign_keys: table.foreignKeys.map(({ columns, table, references }) => ({
        columns,
        references: { ...nameOf(table), columns: references },
      })),
    }),
  };
}

const nameOf = ({ schema, table }: { schema: string | null; table: string }): JsonObject => ({
  name: table,
  ...(schema !== null && { schema }),
});

/** A view's column has the label of a query of it. */
async function labelsOf(
  { engine, labels }: Database,
  { schema, table, kind, columns }: TableDescription,
  signal?: AbortSignal,
): Promise<readonly Label[]> {
  if (kind === "table") return columns.map(({ name }) => labels.ofColumn({ schema, table, column: name }));
  const owner = [...(schema === null ? [] : [schema]), table].map(quoteName).join(".");
  const found: Label[] = [];
  for (const { name } of columns) {
    const examined = await engine.examine(`SELECT ${quoteName(name)} FROM ${owner}`, [], signal);
    found.push(examined.kind === "query" ? cheapestVariant(examined.ways, labels).label : labels.worst);
  }
  return found;
}

/** A name in standard quotes, which every engine knows. */
