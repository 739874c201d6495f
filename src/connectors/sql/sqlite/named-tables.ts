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
  /** The statement's own tokens, and those of each view. */
  readonly texts: readonly (readonly Token[])[];
}

export function findNamedTables({ tokens }: Statement, catalogue: Catalogue): NamedTables {
  const found = new Set<CatalogueTable>();
  const texts = [tokens];
  for (const text of texts) {
    for (const token of text) {
      const table = isNaming(token) ? catalogue.tables.get(namedBy(token)) : undefined;
      if (table === undefined || found.has(table)) continue;
      found.add(table);
      if (table.kind === "view") texts.push(toTokens(table.sql) ?? []);
    }
  }
  const all = [...found];
  return {
    tables: all.filter(({ kind }) => kind === "table"),
    views: all.filter(({ kind }) => kind === "view"),
    texts,
  };
}
