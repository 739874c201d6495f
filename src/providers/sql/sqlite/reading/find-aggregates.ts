/**
 * Aggregates of the outermost select list that are certain, such as `count(salary)`: in a plain SELECT, an item that
 * is one call with one column or `*`. In any other form, the column counts as read in full.
 */
import type { Statement } from "./check-statement.ts";
import { isNaming, namedBy, type Token } from "./tokens.ts";

interface OuterAggregate {
  /** In lower case. */
  readonly function: string;
  /** The folded name of its column; null for `*`. */
  readonly column: string | null;
  readonly start: number;
  readonly end: number;
}

export interface OuterAggregates {
  readonly found: readonly OuterAggregate[];
  /** Whether the query returns one row of only these. */
  readonly isAll: boolean;
}

const FUNCTIONS = new Set(["count", "sum", "total", "avg", "min", "max", "median", "group_concat"]);
/** These choose the row from which other columns are taken: those of the list, of HAVING and of ORDER BY. */
const CHOOSING = new Set(["min", "max"]);
export const NO_AGGREGATES: OuterAggregates = { found: [], isAll: false };
/** Keywords that may follow the FROM of a SELECT. None can be an unquoted name. */
const BEHIND_FROM = new Set(["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"]);

export function findOuterAggregates({ tokens }: Statement): OuterAggregates {
  const outer = tokens.filter(({ depth }) => depth === 0).map(({ keyword }) => keyword);
  const isPlain = !outer.some((keyword) => ["UNION", "INTERSECT", "EXCEPT", "WINDOW"].includes(keyword));
  if (tokens[0]?.keyword !== "SELECT" || !isPlain) return NO_AGGREGATES;
  const end = tokens.findIndex(({ keyword, depth }) => keyword === "FROM" && depth === 0);
  if (isMadeUp(tokens.slice(end + 1))) return NO_AGGREGATES;
  const items = itemsOf(tokens.slice(1, end < 0 ? 1 : end));
  const found = items.flatMap((item) => toAggregate(item) ?? []);
  const isAll = found.length > 0 && found.length === items.length;
  const has = (...keywords: readonly string[]): boolean => keywords.some((one) => outer.includes(one));
  const mayName = !isAll || has("HAVING", "ORDER");
  if (mayName && found.some((aggregate) => CHOOSING.has(aggregate.function))) return NO_AGGREGATES;
  const selects = tokens.filter(isSelecting).length;
  return { found, isAll: isAll && selects === 1 && !has("GROUP", "HAVING") };
}

/**
 * THREAT: `count(salary) FROM (SELECT iif(salary > 100, 1, NULL) AS salary …)` doesn't count salaries. A subquery in
 * FROM may give anything a column's name.
 */
function isMadeUp(from: readonly Token[]): boolean {
  const end = from.findIndex(({ keyword, depth }) => depth === 0 && BEHIND_FROM.has(keyword));
  return from.slice(0, end < 0 ? undefined : end).some(isSelecting);
}

const isSelecting = ({ keyword }: Token): boolean => keyword === "SELECT" || keyword === "VALUES";

function itemsOf(list: readonly Token[]): readonly (readonly Token[])[] {
  const items: Token[][] = [[]];
  for (const token of list) {
    if (token.depth === 0 && token.kind === "symbol" && token.text === ",") items.push([]);
    else items.at(-1)?.push(token);
  }
  return items;
}

/**
 * `f(column)`, `f(t.column)`, `count(*)`, with an alias or without. THREAT: `count(DISTINCT salary)` reveals whether
 * salaries are equal, so it isn't accepted.
 */
function toAggregate(item: readonly Token[]): OuterAggregate | null {
  const [name, open, ...rest] = item;
  const close = rest.findIndex(({ depth }) => depth === 0);
  const last = rest[close];
  if (name?.kind !== "word" || open?.text !== "(" || last === undefined || !isAlias(rest.slice(close + 1)))
    return null;
  const called = namedBy(name);
  const column = columnOf(rest.slice(0, close));
  if (!FUNCTIONS.has(called) || column === undefined) return null;
  return { function: called, column, start: name.start, end: last.end };
}

function columnOf(args: readonly Token[]): string | null | undefined {
  const [only] = args;
  if (args.length === 1 && only?.kind === "symbol" && only.text === "*") return null;
  const isPath = args.every((token, index) => (index % 2 === 0 ? isPlainName(token) : token.text === "."));
  const last = args.at(-1);
  return isPath && args.length % 2 === 1 && last !== undefined ? namedBy(last) : undefined;
}

const isPlainName = ({ kind }: Token): boolean => kind === "word" || kind === "name";

function isAlias(rest: readonly Token[]): boolean {
  const named = rest[0]?.keyword === "AS" ? rest.slice(1) : rest;
  if (named.length !== 1) return rest.length === 0;
  const [only] = named;
  return only !== undefined && isNaming(only);
}
