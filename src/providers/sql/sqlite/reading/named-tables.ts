/**
 * Which tables and views a statement can mean, by its text alone: it must name them, or a view that it names must.
 * Columns and aliases with the same name count too, which does no harm.
 */

import type { CatalogueTable, SchemaCatalog } from "../schema-catalog.ts";
import { ALLOWED_TABLE_FUNCTIONS } from "./allowed-functions.ts";
import type { Statement } from "./check-statement.ts";
import { isNaming, namedBy, type Token, toTokens } from "./tokens.ts";

export interface NamedTables {
  /** Base tables. */
  readonly tables: readonly CatalogueTable[];
  readonly views: readonly CatalogueTable[];
  /** The statement's own text, and those of the views. */
  readonly texts: readonly NamingText[];
  /** Whether every view's text could be read. */
  readonly isWhole: boolean;
}

export interface NamingText {
  readonly tokens: readonly Token[];
  readonly tables: ReadonlySet<CatalogueTable>;
  /** Words that may mean modules of SQLite: `dbstat`, `pragma_table_list`. */
  readonly modules: readonly string[];
}

export function findNamedTables({ tokens }: Statement, catalogue: SchemaCatalog): NamedTables {
  const found = new Set<CatalogueTable>();
  const texts = [readText(tokens, catalogue)];
  let isWhole = true;
  for (const { tables } of texts) {
    for (const table of tables) {
      if (found.has(table)) continue;
      found.add(table);
      if (table.kind !== "view") continue;
      const own = toTokens(table.sql);
      isWhole &&= own !== null;
      texts.push(readText(own ?? [], catalogue));
    }
  }
  const all = [...found];
  return {
    tables: all.filter(({ kind }) => kind === "table"),
    views: all.filter(({ kind }) => kind === "view"),
    texts,
    isWhole,
  };
}

function readText(tokens: readonly Token[], catalogue: SchemaCatalog): NamingText {
  const names = tokens.filter(isNaming).map(namedBy);
  const tables = names.map((name) => catalogue.tables.get(name)).filter((table) => table !== undefined);
  return { tokens, tables: new Set(tables), modules: names.filter((name) => isModule(name, catalogue)) };
}

const isModule = (name: string, { tables, modules }: SchemaCatalog): boolean =>
  (modules.has(name) || name.startsWith("pragma_")) &&
  !tables.has(name) &&
  !ALLOWED_TABLE_FUNCTIONS.has(name);
