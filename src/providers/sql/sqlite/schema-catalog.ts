/** The catalog of a SQLite database: its tables and views, the dependencies of their columns, and their pages. */
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { quoteName } from "../sql-engine.ts";
import { foldName, isNaming, namedBy, type Token, toTokens } from "./reading/tokens.ts";

interface CatalogueColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** Its position in the primary key, from 1; 0 if it isn't part of it. */
  readonly primaryKey: number;
}

export interface CatalogueTable {
  readonly name: string;
  /** `virtual` includes the data tables of virtual tables. */
  readonly kind: "table" | "view" | "virtual" | "catalog" | "internal";
  /** The statement that created it. */
  readonly sql: string;
  readonly columns: readonly CatalogueColumn[];
  /** The columns by which its rows are stored. */
  readonly key: readonly string[];
  /** The columns of a stored row, in their order: all but virtual ones. Empty for a table without row numbers. */
  readonly stored: readonly string[];
  /** For each generated column, its source columns, by folded name. */
  readonly generated: ReadonlyMap<string, readonly string[]>;
}

/** The content of a page: the rows of a table, or one of its indexes. */
export interface StoredTree {
  readonly table: CatalogueTable;
  /** The columns on which its order, and its rows, depend. */
  readonly columns: readonly string[];
  /** The columns of a stored row, in their order; empty where that isn't known. */
  readonly stored: readonly string[];
}

export interface SchemaCatalog {
  /** By folded name. */
  readonly tables: ReadonlyMap<string, CatalogueTable>;
  /** By root page. */
  readonly trees: ReadonlyMap<number, StoredTree>;
  /** Kinds of virtual tables, some of which can be read without being created, by folded name. */
  readonly modules: ReadonlySet<string>;
  /** Differs if the names of tables and columns differ. */
  readonly names: string;
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string | null;
}

interface ListedTable {
  readonly name: string;
  readonly type: string;
  readonly wr: number;
}

/** Reads the catalog of the main database, in the present transaction. */
export function readCatalogue(database: DatabaseSync): SchemaCatalog {
  const rows = all<SchemaRow>(database, "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_schema");
  const statements = new Map(rows.map((row) => [`${row.type} ${foldName(row.name)}`, row.sql ?? ""]));
  const listed = all<ListedTable>(
    database,
    "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'",
  );
  const tables = new Map<string, CatalogueTable>();
  for (const table of listed) {
    const kind = table.type === "view" ? "view" : "table";
    const sql = statements.get(`${kind} ${foldName(table.name)}`) ?? "";
    tables.set(foldName(table.name), readTable(database, table, sql));
  }
  for (const name of OWN_NAMES) tables.set(name, { ...OWN_TABLE, name });
  const modules = all<{ name: string }>(database, "SELECT name FROM pragma_module_list");
  return {
    tables,
    trees: readTrees(database, rows, tables),
    modules: new Set(modules.map(({ name }) => foldName(name))),
    names: hashOfNames([...tables.values()]),
  };
}

const hashOfNames = (tables: readonly CatalogueTable[]): string => {
  const names = tables.map(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
  return createHash("sha256").update(JSON.stringify(names)).digest("hex");
};

/** SQLite's own catalog has four names, and its authorizer reports the older ones. */
const OWN_NAMES = ["sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master"];
const OWN_TABLE: Omit<CatalogueTable, "name"> = {
  kind: "catalog",
  sql: "",
  columns: ["type", "name", "tbl_name", "rootpage", "sql"].map((name) => ({
    name,
    type: "TEXT",
    nullable: true,
    primaryKey: 0,
  })),
  key: [],
  stored: [],
  generated: new Map(),
};

const all = <Row>(database: DatabaseSync, sql: string, ...values: string[]): readonly Row[] =>
  // The types match these statements.
  database.prepare(sql).all(...values) as unknown as readonly Row[];

function readTable(database: DatabaseSync, { name, type, wr }: ListedTable, sql: string): CatalogueTable {
  const columns = readColumns(database, name);
  const kind = kindOf(name, type);
  const isStored = kind === "table" || kind === "internal";
  return {
    name,
    kind,
    sql,
    columns: columns.map(({ name, type, nullable, primaryKey }) => ({ name, type, nullable, primaryKey })),
    key: isStored ? keyOf(database, name, columns, wr === 1) : [],
    stored: wr === 1 ? [] : columns.filter(({ isVirtual }) => !isVirtual).map((column) => column.name),
    generated: sourcesOfGenerated(
      sql,
      columns.filter(({ isGenerated }) => isGenerated).map((column) => column.name),
      columns.map((column) => column.name),
    ),
  };
}

function kindOf(name: string, type: string): CatalogueTable["kind"] {
  if (/^sqlite_/i.test(name)) return "internal";
  return type === "view" ? "view" : type === "table" ? "table" : "virtual";
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
  readonly hidden: number;
}

interface ReadColumn extends CatalogueColumn {
  readonly isGenerated: boolean;
  readonly isVirtual: boolean;
}

function readColumns(database: DatabaseSync, table: string): ReadColumn[] {
  try {
    const rows = all<ColumnRow>(
      database,
      "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?, 'main')",
      table,
    );
    return rows
      .filter(({ hidden }) => hidden !== 1)
      .map(({ name, type, notnull, pk, hidden }) => ({
        name,
        type: type.replace(/ *GENERATED ALWAYS$/i, ""),
        nullable: notnull === 0,
        primaryKey: pk,
        isGenerated: hidden > 1,
        isVirtual: hidden === 2,
      }));
  } catch {
    // A view whose tables or columns no longer exist; it can't be queried either.
    return [];
  }
}

/** The columns of the primary key if the table is ordered by them, otherwise none. */
function keyOf(
  database: DatabaseSync,
  table: string,
  columns: readonly CatalogueColumn[],
  isWithoutRowid: boolean,
): readonly string[] {
  const key = columns.filter(({ primaryKey }) => primaryKey > 0).map(({ name }) => name);
  if (isWithoutRowid || key.length !== 1) return isWithoutRowid ? key : [];
  const row = ["rowid", "oid", "_rowid_"].find((name) =>
    columns.every((column) => foldName(column.name) !== name),
  );
  if (row === undefined) return key;
  // SQLite itself reports whether the key is the row's number.
  const [origin] = database.prepare(`SELECT ${row} FROM main.${quoteName(table)}`).columns();
  return origin?.column !== null && origin?.column !== undefined && key.includes(origin.column) ? key : [];
}

function readTrees(
  database: DatabaseSync,
  rows: readonly SchemaRow[],
  tables: ReadonlyMap<string, CatalogueTable>,
): ReadonlyMap<number, StoredTree> {
  const trees = new Map<number, StoredTree>();
  for (const { type, name, tbl_name, rootpage, sql } of rows) {
    const table = tables.get(foldName(tbl_name));
    if (table === undefined || rootpage === 0) continue;
    const isIndex = type === "index";
    const columns = isIndex ? columnsOfIndex(database, name, sql ?? "", table) : table.key;
    trees.set(rootpage, { table, columns, stored: isIndex ? [] : table.stored });
  }
  return trees;
}

function columnsOfIndex(
  database: DatabaseSync,
  index: string,
  sql: string,
  table: CatalogueTable,
): readonly string[] {
  const named = all<{ name: string | null }>(
    database,
    "SELECT name FROM pragma_index_xinfo(?, 'main')",
    index,
  );
  const columns = new Set(named.flatMap(({ name }) => (name === null ? [] : [name])));
  // The expressions and the condition of an index are in its statement.
  for (const { name } of table.columns) if (isNamedIn(sql, name)) columns.add(name);
  return [...columns, ...table.key];
}

/**
 * For each generated column of a table, the columns in its expression, by folded name; all columns if its declaration
 * can't be read.
 */
function sourcesOfGenerated(
  sql: string,
  generated: readonly string[],
  columns: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  if (generated.length === 0) return new Map();
  const declarations = new Map(
    partsOf(toTokens(sql) ?? []).map((part) => [part[0] ? namedBy(part[0]) : "", part]),
  );
  return new Map(
    generated.map((name) => {
      const declaration = declarations.get(foldName(name));
      const named = declaration && new Set(declaration.slice(1).filter(isNaming).map(namedBy));
      return [foldName(name), columns.filter((column) => named === undefined || named.has(foldName(column)))];
    }),
  );
}

/** The parts between the commas of a table's parentheses. */
function partsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.depth === 1 && token.text === "," && token.kind === "symbol") parts.push([]);
    else if (token.depth > 0) parts.at(-1)?.push(token);
  }
  return parts;
}

/** Whether a declaration contains a column's name; true if it can't be read. */
function isNamedIn(sql: string, column: string): boolean {
  const tokens = toTokens(sql);
  return tokens === null || tokens.some((token) => isNaming(token) && namedBy(token) === foldName(column));
}
