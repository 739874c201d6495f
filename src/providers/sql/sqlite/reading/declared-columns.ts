/** Which columns a declaration names: the expression of a generated column, or of an index. */
import { foldName, isNaming, namedBy, type Token, toTokens } from "./tokens.ts";

/**
 * For each generated column of a table, the columns that stand in its expression, by folded name. Where its
 * declaration can't be read, these are all columns.
 */
export function sourcesOfGenerated(
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

/** What stands between the commas of a table's own parentheses. */
function partsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.depth === 1 && token.text === "," && token.kind === "symbol") parts.push([]);
    else if (token.depth > 0) parts.at(-1)?.push(token);
  }
  return parts;
}

/** Whether a column's name stands anywhere in a declaration; true where it can't be read. */
export function isNamedIn(sql: string, column: string): boolean {
  const tokens = toTokens(sql);
  return tokens === null || tokens.some((token) => isNaming(token) && namedBy(token) === foldName(column));
}
