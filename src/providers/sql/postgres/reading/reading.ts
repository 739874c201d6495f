/** Says what a query reads, from its tree and facts of the catalogue alone. In doubt, more is said to be read. */
import type { SqlReading } from "../../sql-engine.ts";
import type { Facts } from "../facts.ts";
import type { Fields } from "../parsing/parse-tree.ts";
import { Dependencies, type Forbidden } from "./dependencies.ts";
import { noteOperator } from "./read-expression.ts";
import { readSelect } from "./read-select.ts";
import { force, type ReadingContext } from "./reading-context.ts";

/** Operators that a statement uses without saying so: IN, BETWEEN, CASE, USING, ORDER BY. */
const IMPLIED = ["=", "<>", "<", ">", "<=", ">="];

export interface Reading {
  readonly reading: SqlReading;
  /** What it reads where rows may come in the order of an index; null if that is the same. */
  readonly byIndex: SqlReading | null;
  /** Whether code of the database's own may run as soon as the server reads the statement. */
  readonly runsOwnCode: boolean;
}

/**
 * Reads one SELECT. Where `facts.missing` isn't empty afterwards, the result is worth nothing yet.
 * @param parse makes a tree of a definition that the database keeps
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

/** An encoding of single bytes has other rules for capitals, and for how long a name may be. */
const hasPlainNames = (select: Fields): boolean =>
  /^\p{ASCII}*$/u.test(JSON.stringify(select, (key, value) => (key === "A_Const" ? null : value)));
