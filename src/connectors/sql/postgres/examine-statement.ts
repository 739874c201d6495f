/** Finds out what a statement reads, and nothing of it runs. */
import type { SqlExamined, SqlParameters, SqlReading, SqlRefusal, SqlWay } from "../sql-engine.ts";
import type { Transaction } from "./connections.ts";
import { isStatementError, toStatementSentence } from "./database-errors.ts";
import type { ResultColumn } from "./describe-statement.ts";
import { type FactName, Facts, TooMuchToRead } from "./facts.ts";
import { loadFacts } from "./load-facts.ts";
import { type Fields, nodesOfKind } from "./parse-tree.ts";
import { type Reading, readingOf } from "./reading.ts";
import type { Forbidden } from "./reads.ts";
import type { Prepared } from "./run-page.ts";
import { type Parse, readDefinition, readStatement, type Statement } from "./statement.ts";

/** A view of views of views asks for names in as many rounds. */
const MOST_ROUNDS = 32;
const MOST_NAMES = 5_000;
const MOST_VALUES = 1_000;

/** Gives the statement of a text, or why it isn't one that may be looked at further. */
export function checkText(parse: Parse, sql: string, parameters: SqlParameters): Statement | SqlRefusal {
  if (!Array.isArray(parameters) || parameters.length > MOST_VALUES || !parameters.every(isBindable)) {
    return wrongValues("PostgreSQL takes a list of texts, numbers, true, false and null.");
  }
  const statement = readStatement(parse, sql);
  if ("kind" in statement) return statement;
  const places = placesIn(statement);
  if (places === parameters.length) return statement;
  return wrongValues(`It has ${places} places for values, and ${parameters.length} came.`);
}

/** The highest number of a `$1`, `$2`, …. */
const placesIn = ({ select }: Statement): number =>
  nodesOfKind({ kind: "SelectStmt", fields: select }, "ParamRef").reduce(
    (most, { fields }) => (typeof fields.number === "number" ? Math.max(most, fields.number) : most),
    0,
  );

const wrongValues = (why: string): SqlRefusal =>
  refusal(false, {
    message: "The values in `parameters` don't fit the statement.",
    why,
    fix: "Give a list with a value for each `$1`, `$2`, ….",
  });

const isBindable = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean", "bigint"].includes(typeof value);

export async function examineStatement(
  transaction: Transaction,
  parse: Parse,
  statement: Statement,
  values: readonly unknown[],
): Promise<SqlExamined> {
  const { found, names, facts } = await readWithFacts(transaction, parse, statement);
  if ("message" in found) return refusal(true, found);
  const prepared: Prepared = { text: statement.text, values, names, facts, byIndex: true };
  // THREAT: reading a constant of such a type runs a domain's check, whose error may hold anything. It waits for `run`.
  if (found.runsOwnCode)
    return { kind: "query", ways: waysOf(found, prepared, []), names: await hashOfNames(transaction) };
  try {
    const ways = waysOf(found, prepared, await transaction.describe(statement.text));
    // INVARIANT: asked last, so that names which were there then were there when the query was read.
    return { kind: "query", ways, names: await hashOfNames(transaction) };
  } catch (error) {
    if (!isStatementError(error)) throw error;
    const why = toStatementSentence(error);
    return refusal(true, { message: "The query can't be run as it stands.", why, fix: "Correct it." });
  }
}

/** Stands for the names of all tables and columns: other names, another text. */
async function hashOfNames(transaction: Transaction): Promise<string> {
  const { rows } = await transaction.query(NAMES);
  return String(rows[0]?.[0]);
}

const NAMES = `
  SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(coalesce(pg_catalog.string_agg(
    pg_catalog.json_build_array(n.nspname, c.relname, a.attname)::text, ',' ORDER BY a.attrelid, a.attnum), ''),
    'UTF8')), 'hex')
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** As the server would run it; and without its indexes, where their order tells more than the query reads. */
function waysOf(
  { reading, byIndex }: Reading,
  prepared: Prepared,
  columns: readonly ResultColumn[],
): readonly [SqlWay, ...SqlWay[]] {
  const least = checked(reading, columns);
  if (byIndex === null) return [{ reading: least, prepared }];
  return [
    { reading: checked(byIndex, columns), prepared },
    { reading: least, prepared: { ...prepared, byIndex: false } },
  ];
}

interface ReadingWithFacts {
  readonly found: Reading | Forbidden;
  readonly names: readonly FactName[];
  readonly facts: ReadonlyMap<string, string | null>;
}

/** Reads again and again, each time with the facts that were missing, until none is. */
async function readWithFacts(
  transaction: Transaction,
  parse: Parse,
  { select }: Statement,
): Promise<ReadingWithFacts> {
  const loaded = new Map<string, string | null>();
  const names: FactName[] = [];
  const ask = async (text: string, values: readonly unknown[]) =>
    (await transaction.query(text, values)).rows;
  for (let round = 0; round < MOST_ROUNDS && names.length <= MOST_NAMES; round += 1) {
    const facts = new Facts(loaded);
    const found = readTree(select, facts, parse);
    if (facts.missing.length === 0) return { found, names, facts: loaded };
    names.push(...facts.missing);
    for (const [key, fact] of await loadFacts(ask, facts.missing)) loaded.set(key, fact);
  }
  return { found: TOO_WIDE, names, facts: loaded };
}

function readTree(select: Fields, facts: Facts, parse: Parse): Reading | Forbidden {
  try {
    return readingOf(select, facts, (sql) => readDefinition(parse, sql));
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    if (error instanceof TooMuchToRead) return TOO_WIDE;
    throw error;
  }
}

const TOO_DEEP: Forbidden = {
  message: "The statement is nested too deeply.",
  why: "It can't be followed to its end.",
  fix: "Write a flatter one.",
};

const TOO_WIDE: Forbidden = {
  message: "The query touches too much to be followed.",
  why: "Its views stand on too many others, or it names too many tables.",
  fix: "Ask the tables themselves, a few at a time.",
};

/**
 * INVARIANT: the server says which table's column each output is taken from. All of them are in the reading, by a way
 * that owes nothing to the walk of the tree; a table that the reading leaves out altogether shows here.
 */
function checked(reading: SqlReading, columns: readonly ResultColumn[]): SqlReading {
  const readsTables = reading.tables.length > 0 || reading.catalog || reading.unresolved !== null;
  if (readsTables || columns.every(({ table }) => table === 0)) return reading;
  return { ...reading, unresolved: "The server names a table that wasn't found in the query." };
}

const refusal = (catalog: boolean, parts: Forbidden): SqlRefusal => ({ kind: "refused", catalog, ...parts });
