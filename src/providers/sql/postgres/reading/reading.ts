/** Determines what a query reads, from its tree and facts about the catalog. In doubt, more counts as read. */
import type { SqlReading } from "../../sql-engine.ts";
import type { Facts } from "../facts.ts";
import type { Fields } from "../parsing/parse-tree.ts";
import { Dependencies, type Forbidden } from "./dependencies.ts";
import { noteOperator } from "./read-expression.ts";
import { readSelect } from "./read-select.ts";
import { force, type ReadingContext } from "./reading-context.ts";

/** Operators that a statement uses implicitly: IN, BETWEEN, CASE, USING, ORDER BY. */
const IMPLIED = ["=", "<>", "<", ">", "<=", ">="];

export interface Reading {
  readonly reading: SqlReading;
  /** What it reads if rows may come in the order of an index; null if that is the same. */
  readonly byIndex: SqlReading | null;
  /** Whether the database's own code may run when the server parses the statement. */
  readonly runsOwnCode: boolean;
}

/**
 * Reads one SELECT. If `facts.missing` isn't empty afterwards, the result is incomplete.
 * @param parse parses a definition in the database
 */
export function readingOf(
  select: Fields,
  facts: Facts,
  parse: (sql: string) => Fields | null,
): Reading | Forbidden {
  const reads = new Dependencies();
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
  noteServer(facts, select, reads);
  force(readSelect(select, context, "none"), reads);
  return reads.forbidden ?? { ...reads.toReadings(), runsOwnCode: reads.runsOwnCode };
}

function noteServer(facts: Facts, select: Fields, reads: Dependencies): void {
  const server = facts.server();
  if (server?.plainCasts !== false) {
    reads.addOwnCode("A cast between PostgreSQL's own types was given code of its own.");
  }
  if (server?.ownOrders !== false) {
    reads.addOwnCode("Values are compared or sorted by code of the database's own.");
  }
  if (server?.encoding !== "UTF8" && !hasPlainNames(select)) {
    reads.leaveUnresolved(
      "A name with letters beyond ASCII is read in another way by this database's encoding.",
    );
  }
}

/** A single-byte encoding has other rules for letter case, and for the length of names. */
const hasPlainNames = (select: Fields): boolean =>
  /^\p{ASCII}*$/u.test(JSON.stringify(select, (key, value) => (key === "A_Const" ? null : value)));
