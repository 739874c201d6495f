/**
 * The columns that NATURAL and USING compare. SQLite's authorizer doesn't report them: `SELECT 1 FROM a NATURAL JOIN
 * b` seems to read no column.
 */

import type { CatalogueTable } from "../schema-catalog.ts";
import type { Read } from "./compile.ts";
import type { NamedTables, NamingText } from "./named-tables.ts";
import { foldName, isNaming, namedBy, type Token } from "./tokens.ts";

/**
 * Every column that such a join may compare. A join is between relations that its own text names: the statement's, or
 * a view's. What a view names is read through the view's columns.
 */
export const findHiddenJoins = ({ texts }: NamedTables): readonly Read[] =>
  texts.filter(isJoining).flatMap(hiddenIn);

/**
 * What such a join may read that isn't a table of the database, since SQLite's authorizer isn't called for it; or
 * null.
 */
export const findHiddenModule = ({ texts }: NamedTables): string | null =>
  texts.filter(isJoining).flatMap(({ modules }) => modules)[0] ?? null;

const isJoining = ({ tokens }: NamingText): boolean =>
  tokens.some(({ keyword }) => keyword === "NATURAL" || keyword === "USING");

function hiddenIn(text: NamingText): readonly Read[] {
  const using = new Set(columnsOfUsing(text.tokens));
  const isNatural = text.tokens.some(({ keyword }) => keyword === "NATURAL");
  const isShared = isNatural ? sharing(text) : () => false;
  const isCompared = (table: CatalogueTable, name: string): boolean =>
    using.has(name) || isShared(table, name);
  return [...text.tables].flatMap((table) => {
    if (table.kind === "view") return [];
    // THREAT: a full-text index is searched by comparing a hidden column.
    if (table.kind === "virtual") return [{ table: table.name, column: "" }];
    const compared = table.columns.filter(({ name }) => isCompared(table, foldName(name)));
    return compared.map(({ name }) => ({ table: table.name, column: name }));
  });
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
 * Whether the other side of a NATURAL join may have a column of this name: another table or view has one, the table
 * itself is named twice, the name is in the text (as an alias), or SQLite may compute it.
 */
function sharing({ tokens, tables }: NamingText): (table: CatalogueTable, column: string) => boolean {
  const times = new Map<string, number>();
  const owners = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const token of tokens) if (isNaming(token)) count(times, namedBy(token));
  for (const { columns } of tables) for (const { name } of columns) count(owners, foldName(name));
  const hasFunction = [...times.keys()].some((name) => /^jsonb?_(each|tree)$/.test(name));
  return (table, column) =>
    hasFunction ||
    (owners.get(column) ?? 0) > 1 ||
    (times.get(foldName(table.name)) ?? 0) > 1 ||
    times.has(column) ||
    !/^[a-z_][a-z0-9_]*$/.test(column) ||
    /^column\d+$/.test(column);
}
