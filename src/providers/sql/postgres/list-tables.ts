/** The results of `list_tables` and `describe_table`: names and types from the catalog. */

import { parseJson } from "../../../json/parse-json.ts";
import type { ColumnInfo, ForeignKey, TableDescription, TableInfo, TableName } from "../sql-engine.ts";
import type { Transaction } from "./connection/connections.ts";

const KINDS = "('r', 'p', 'f', 'v', 'm')";

const LIST = `
  SELECT n.nspname, c.relname, c.relkind IN ('v', 'm')
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ${KINDS} AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
  ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"`;

export async function listTables(transaction: Transaction): Promise<readonly TableInfo[]> {
  const { rows } = await transaction.query(LIST);
  return rows.map(([schema, table, view]) => ({
    schema: String(schema),
    table: String(table),
    kind: view === true ? "view" : "table",
  }));
}

const COLUMNS = `
  SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
    coalesce(array_position(k.conkey::int2[], a.attnum), 0)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
  WHERE n.nspname = $1 AND c.relname = $2
  ORDER BY a.attnum`;

const FOREIGN_KEYS = `
  SELECT fn.nspname, f.relname, (
    SELECT json_agg(json_build_array(a.attname, b.attname) ORDER BY i)::text
    FROM generate_subscripts(k.conkey, 1) i
    JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[i]
    JOIN pg_catalog.pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[i])
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'f'
  JOIN pg_catalog.pg_class f ON f.oid = k.confrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2
  ORDER BY k.conname`;

/** @param name as written (`orders`, `sales.orders`, `"Orders"`), or as the catalogue spells it */
export async function describeTable(
  transaction: Transaction,
  name: string | TableName,
  schema: string,
): Promise<TableDescription | null> {
  const table = findTable(await listTables(transaction), name, schema);
  if (table === null) return null;
  const values = [table.schema, table.table];
  const columns = await transaction.query(COLUMNS, values);
  const keys = await transaction.query(FOREIGN_KEYS, values);
  return { ...table, columns: columns.rows.map(toColumn), foreignKeys: keys.rows.map(toForeignKey) };
}

function findTable(tables: readonly TableInfo[], name: string | TableName, schema: string): TableInfo | null {
  if (typeof name !== "string") {
    const own = name.schema ?? schema;
    return tables.find((table) => table.schema === own && table.table === name.table) ?? null;
  }
  const spelled = (table: TableInfo, wanted: string): boolean =>
    `${table.schema}.${table.table}` === wanted || (table.schema === schema && table.table === wanted);
  const folded = name.split(".").map(fold).join(".");
  return (
    tables.find((table) => spelled(table, name)) ?? tables.find((table) => spelled(table, folded)) ?? null
  );
}

/** PostgreSQL's reading of a name: in lower case, unless it is quoted. */
const fold = (part: string): string =>
  /^".*"$/.test(part)
    ? part.slice(1, -1).replaceAll('""', '"')
    : part.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const toColumn = ([name, type, nullable, primaryKey]: readonly unknown[]): ColumnInfo => ({
  name: String(name),
  type: String(type),
  nullable: nullable === true,
  primaryKey: Number(primaryKey),
});

function toForeignKey([schema, table, pairs]: readonly unknown[]): ForeignKey {
  // INVARIANT: a list of pairs of names, from the statement above.
  const columns = parseJson(String(pairs ?? "[]")) as readonly (readonly [string, string])[];
  return {
    columns: columns.map(([own]) => own),
    table: { schema: String(schema), table: String(table) },
    references: columns.map(([, other]) => other),
  };
}
