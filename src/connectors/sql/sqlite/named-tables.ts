/**
 * Which tables and views a statement can mean, found in its text alone: it must name them, and so must the views
 * that it names. A column or an alias of the same name counts too, since that does no harm.
 */
import type { Catalogue, CatalogueTable } from "./catalogue.ts";
import type { Statement } from "./check-statement.ts";
import { isNaming, namedBy, type Token, toTokens } from "./tokens.ts";

export interface NamedTables {
  /** Base tables. */
  readonly tables: readonly CatalogueTable[];
  readonly views: readonly CatalogueTable[];
  /** The statement's own text, and that of each view. */
  readonly texts: readonly NamingText[];
}

/** A text, and the tables and views that stand in it. */
export interface NamingText {
  readonly tokens: readonly Token[];
  readonly tables: ReadonlySet<CatalogueTable>;
}

export function findNamedTables({ tokens }: Statement, catalogue: Catalogue): NamedTables {
  const found = new Set<CatalogueTable>();
  const texts = [readText(tokens, catalogue)];
  for (const { tables } of texts) {
    for (const table of tables) {
      if (found.has(table)) continue;
      found.add(table);
      if (table.kind === "view") texts.push(readText(toTokens(table.sql) ?? [], catalogue));
    }
  }
  const all = [...found];
  return {
    tables: all.filter(({ kind }) => kind === "table"),
    views: all.filter(({ kind }) => kind === "view"),
    texts,
  };
}

function readText(tokens: readonly Token[], catalogue: Catalogue): NamingText {
  const named = tokens.map((token) => (isNaming(token) ? catalogue.tables.get(namedBy(token)) : undefined));
  return { tokens, tables: new Set(named.filter((table) => table !== undefined)) };
}
