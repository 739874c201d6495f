/** Says what a query reads, from its tree and facts of the catalogue alone. In doubt, more is said to be read. */
import type { SqlReading } from "../sql-engine.ts";
import type { Facts } from "./facts.ts";
import type { Fields } from "./parse-tree.ts";
import { noteOperator } from "./read-expression.ts";
import { readSelect } from "./read-select.ts";
import { force, type ReadingContext } from "./reading-context.ts";
import { type Forbidden, Reads } from "./reads.ts";

/** Operators that a statement uses without saying so: IN, BETWEEN, CASE, USING, ORDER BY. */
const IMPLIED = ["=", "<>", "<", ">", "<=", ">="];

/**
 * Reads one SELECT. Where `facts.missing` isn't empty afterwards, the result is worth nothing yet.
 * @param parse makes a tree of a definition that the database keeps
 */
export function readingOf(
  select: Fields,
  facts: Facts,
  parse: (sql: string) => Fields | null,
): SqlReading | Forbidden {
  const reads = new Reads();
  const context: ReadingContext = {
    facts,
    reads,
    level: null,
    ctes: new Map(),
    stored: false,
    outermost: true,
    inWith: false,
    views: new Map(),
    policed: new Set(),
    parse,
    readSelect,
  };
  for (const operator of IMPLIED) noteOperator(context, [operator]);
  if (facts.server()?.plainCasts !== false) {
    reads.leaveUnresolved("A cast between PostgreSQL's own types was given code of its own.");
  }
  force(readSelect(select, context, "none"), reads);
  return reads.forbidden ?? reads.toReading();
}
