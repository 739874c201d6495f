/**
 * The columns that NATURAL and USING compare. SQLite's authorizer says nothing of them: to it,
 * `SELECT 1 FROM a NATURAL JOIN b` reads no column at all.
 */

import type { CatalogueTable } from "./catalogue.ts";
import type { Read } from "./compile.ts";
import type { NamedTables } from "./named-tables.ts";
import { foldName, isNaming, namedBy, type Token } from "./tokens.ts";

/** Every column that such a join may compare. */
export function findHiddenJoins({ tables, views, texts }: NamedTables): readonly Read[] {
  const using = new Set(texts.flatMap(columnsOfUsing));
  const isNatural = texts.some((text) => text.some(({ keyword }) => keyword === "NATURAL"));
  if (using.size === 0 && !isNatural) return [];
  const isShared = isNatural ? sharing(tables, views, texts) : () => false;
  return tables.flatMap((table) =>
    table.columns
      .filter(({ name }) => using.has(foldName(name)) || isShared(table, foldName(name)))
      .map(({ name }) => ({ table: table.name, column: name })),
  );
}

function columnsOfUsing(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ keyword, depth }, index) => {
    if (keyword !== "USING") return [];
    const list = tokens.slice(index + 2);
    const end = list.findIndex((token) => token.depth <= depth);
    return list
      .slice(0, end < 0 ? undefined : end)
      .filter(isNaming)
      .map(namedBy);
  });
}

/**
 * Whether the other side of a NATURAL join can have a column of this name: another table or view has one, the table
 * itself is named twice, the name stands somewhere in the text (as an alias), or SQLite may make it up.
 */
function sharing(
  tables: readonly CatalogueTable[],
  views: readonly CatalogueTable[],
  texts: readonly (readonly Token[])[],
): (table: CatalogueTable, column: string) => boolean {
  const times = new Map<string, number>();
  for (const token of texts.flat())
    if (isNaming(token)) times.set(namedBy(token), (times.get(namedBy(token)) ?? 0) + 1);
  const owners = new Map<string, number>();
  for (const { columns } of [...tables, ...views])
    for (const { name } of columns) owners.set(foldName(name), (owners.get(foldName(name)) ?? 0) + 1);
  const hasFunction = [...times.keys()].some((name) => /^jsonb?_(each|tree)$/.test(name));
  return (table, column) =>
    hasFunction ||
    (owners.get(column) ?? 0) > 1 ||
    (times.get(foldName(table.name)) ?? 0) > 1 ||
    times.has(column) ||
    !/^[a-z_][a-z0-9_]*$/.test(column) ||
    /^column\d+$/.test(column);
}
