/** Tables and views for a database's tools. */
import type { DatabaseSync } from "node:sqlite";
import type { ForeignKey, TableDescription, TableInfo } from "../sql-engine.ts";
import { foldName } from "./reading/tokens.ts";
import type { CatalogueTable, SchemaCatalog } from "./schema-catalog.ts";

/** SQLite's own tables, and the data tables of virtual tables, are left out. */
export function listTables(catalogue: SchemaCatalog): readonly TableInfo[] {
  return [...catalogue.tables.values()]
    .filter(isShown)
    .map(toInfo)
    .sort((left, right) => (left.table < right.table ? -1 : 1));
}

export function describeTable(
  database: DatabaseSync,
  catalogue: SchemaCatalog,
  name: string,
): TableDescription | null {
  const table = catalogue.tables.get(foldName(name));
  if (table === undefined || !isShown(table)) return null;
  return { ...toInfo(table), columns: table.columns, foreignKeys: foreignKeysOf(database, table.name) };
}

const isShown = ({ kind, sql }: CatalogueTable): boolean =>
  kind === "table" || kind === "view" || (kind === "virtual" && /^\s*CREATE\s+VIRTUAL\b/i.test(sql));

const toInfo = ({ name, kind }: CatalogueTable): TableInfo => ({
  schema: null,
  table: name,
  kind: kind === "view" || kind === "virtual" ? kind : "table",
});

function foreignKeysOf(database: DatabaseSync, table: string): readonly ForeignKey[] {
  const rows = database
    .prepare("SELECT * FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq")
    .all(table);
  const keys = new Map<unknown, { columns: string[]; table: string; references: string[] }>();
  for (const row of rows) {
    const key = keys.get(row.id) ?? { columns: [], table: String(row.table), references: [] };
    key.columns.push(String(row.from));
    // If the declaration doesn't name it, it is the other table's primary key.
    if (row.to !== null) key.references.push(String(row.to));
    keys.set(row.id, key);
  }
  return [...keys.values()].map((key) => ({ ...key, table: { schema: null, table: key.table } }));
}
