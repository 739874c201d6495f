/**
 * Which relations a name may mean. A level is the FROM of one SELECT; its parent is the level of the outer query. If
 * it isn't certain which one PostgreSQL uses, all of them count.
 */

import type { ValueKind } from "../value-identity.ts";
import type { Dependencies } from "./dependencies.ts";

/** Something in a FROM, by its alias. */
export interface Entry {
  readonly name: string;
  /** Columns that it certainly has. */
  readonly columns: ReadonlySet<string>;
  /** Whether it may have others. */
  readonly open: boolean;
  /** Notes that a column of it is read. */
  touch(column: string, reads: Dependencies): void;
  touchAll(reads: Dependencies): void;
  /** Notes that a column is read that it may have, but that isn't one of `columns`. */
  dependOnUnknown(reads: Dependencies): void;
  /** Whether equal values of a column are identical; left out if that isn't known. */
  readonly kindOf?: (column: string) => ValueKind;
}

/**
 * While a FROM is read, it is incomplete: parts of it are hidden from an ON or a subquery, by rules that aren't
 * implemented here. So a name found in an incomplete level may also mean one of an outer level.
 */
export interface Level {
  readonly entries: readonly Entry[];
  readonly complete: boolean;
  readonly outer: Level | null;
}

/** `certain`: no other meaning is possible. `possible`: something was counted. */
type Found = "certain" | "possible" | "not";

/** Columns that every table has without a declaration. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]);

export const isSystemColumn = (name: string): boolean => SYSTEM_COLUMNS.has(name);

/** A name without a table: a column, otherwise a whole row. */
export function touchUnqualified(level: Level | null, name: string, reads: Dependencies): Found {
  let found: Found = "not";
  for (let at = level; at !== null; at = at.outer) {
    const holders = at.entries.filter((entry) => entry.columns.has(name));
    for (const holder of holders) holder.touch(name, reads);
    if (holders.length > 0 && at.complete) return "certain";
    const others = at.entries.filter((entry) => entry.open && !entry.columns.has(name));
    for (const other of others) other.dependOnUnknown(reads);
    if (holders.length + others.length > 0) found = "possible";
  }
  return touchRow(level, name, reads) ? "possible" : found;
}

/** `orders.total`, or `orders.*` with `column` null. */
export function touchQualified(
  level: Level | null,
  name: string,
  column: string | null,
  reads: Dependencies,
): Found {
  const results: Found[] = [];
  for (let at = level; at !== null; at = at.outer) {
    const named = at.entries.filter((entry) => entry.name === name);
    results.push(...named.map((entry) => touchOne(entry, column, reads)));
    if (named.length > 0 && at.complete) return worstOf(results);
  }
  return results.length === 0 ? "not" : worstOf(["possible", ...results]);
}

/** Every column of a level's FROM: `SELECT *`. */
export function touchEverything(level: Level | null, reads: Dependencies): void {
  for (const entry of level?.entries ?? []) entry.touchAll(reads);
}

function touchOne(entry: Entry, column: string | null, reads: Dependencies): Found {
  if (column === null) {
    entry.touchAll(reads);
    return "certain";
  }
  if (entry.columns.has(column)) {
    entry.touch(column, reads);
    return "certain";
  }
  // THREAT: if `s` has no column `to_json`, `s.to_json` calls that function on the whole row.
  entry.touchAll(reads);
  reads.addWork();
  return isSystemColumn(column) ? "not" : "possible";
}

const worstOf = (results: readonly Found[]): Found =>
  results.includes("not") ? "not" : results.includes("possible") ? "possible" : "certain";

function touchRow(level: Level | null, name: string, reads: Dependencies): boolean {
  let found = false;
  for (let at = level; at !== null; at = at.outer) {
    for (const entry of at.entries.filter((entry) => entry.name === name)) {
      entry.touchAll(reads);
      found = true;
    }
  }
  return found;
}
