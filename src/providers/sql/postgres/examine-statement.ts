/** Finds out what a statement reads, without running any of it. */
import type { QueryVariant, SqlExamined, SqlParameters, SqlReading, SqlRefusal } from "../sql-engine.ts";
import type { Transaction } from "./connection/connections.ts";
import { isStatementError, toStatementSentence } from "./connection/database-errors.ts";
import type { ResultColumn } from "./connection/describe-statement.ts";
import type { Prepared } from "./connection/run-page.ts";
import type { FactName } from "./facts.ts";
import { loadFacts } from "./load-facts.ts";
import type { ReadReply, ReadRequest } from "./parsing/statement-worker.ts";
import { type Forbidden, TOO_WIDE } from "./reading/dependencies.ts";
import type { Reading } from "./reading/reading.ts";

/** Reads a statement, as a statement reader does. */
export type Read = (request: ReadRequest) => Promise<ReadReply>;

/** Nested views need one round each. */
const MAX_ROUNDS = 32;
const MAX_NAMES = 5_000;
const MAX_VALUES = 1_000;
/** Facts are copied to the parsing thread in one turn of the event loop: about 70,000 columns at most. */
const MAX_FACT_CHARACTERS = 4_000_000;

/** Parses a text without the catalog, and says why it can't be examined further. */
export async function checkText(read: Read, sql: string, parameters: SqlParameters): Promise<ReadReply> {
  if (!Array.isArray(parameters) || parameters.length > MAX_VALUES || !parameters.every(isBindable)) {
    return wrongValues("PostgreSQL takes a list of texts, numbers, true, false and null.");
  }
  const reply = await read({ sql, facts: new Map() });
  if (reply.kind === "refused") return { ...reply, catalog: false };
  const { places } = reply.statement;
  if (places === parameters.length) return reply;
  return wrongValues(`It has ${places} places for values, and ${parameters.length} came.`);
}

const wrongValues = (why: string): SqlRefusal =>
  refusal(false, {
    message: "The values in `parameters` don't fit the statement.",
    why,
    fix: "Give a list with a value for each `$1`, `$2`, ….",
  });

const isBindable = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean", "bigint"].includes(typeof value);

/** @param checked the result of `checkText` for this text */
export async function examineStatement(
  transaction: Transaction,
  read: Read,
  sql: string,
  checked: ReadReply,
  values: readonly unknown[],
): Promise<SqlExamined> {
  const { reply, names, facts } = await readWithFacts(transaction, read, sql, checked);
  if (reply.kind === "refused") return reply;
  const { found, statement } = reply;
  const prepared: Prepared = { text: statement.text, values, names, facts, byIndex: true };
  // THREAT: parsing a constant of such a type runs a domain's check, whose error may contain anything. It is left to
  // `run`.
  if (found.runsOwnCode)
    return { kind: "query", ways: waysOf(found, prepared, []), names: await hashOfNames(transaction) };
  try {
    const ways = waysOf(found, prepared, await transaction.describe(statement.text));
    // INVARIANT: read last, so that the names existed when the query was examined.
    return { kind: "query", ways, names: await hashOfNames(transaction) };
  } catch (error) {
    if (!isStatementError(error)) throw error;
    const why = toStatementSentence(error);
    return refusal(true, { message: "The query can't be run as it stands.", why, fix: "Correct it." });
  }
}

/** A hash of the names of all tables and columns. */
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

/** The query as the server would run it; and without indexes, if their order reveals more than the query reads. */
function waysOf(
  { reading, byIndex }: Reading,
  prepared: Prepared,
  columns: readonly ResultColumn[],
): readonly [QueryVariant, ...QueryVariant[]] {
  const least = checked(reading, columns);
  if (byIndex === null) return [{ reading: least, prepared }];
  return [
    { reading: checked(byIndex, columns), prepared },
    { reading: least, prepared: { ...prepared, byIndex: false } },
  ];
}

interface ReadingWithFacts {
  readonly reply: Exclude<ReadReply, { readonly kind: "missing" }>;
  readonly names: readonly FactName[];
  readonly facts: ReadonlyMap<string, string | null>;
}

/** Repeats the reading with missing facts until none is missing. */
async function readWithFacts(
  transaction: Transaction,
  read: Read,
  sql: string,
  checked: ReadReply,
): Promise<ReadingWithFacts> {
  const facts = new Map<string, string | null>();
  const names: FactName[] = [];
  const ask = async (text: string, values: readonly unknown[]) =>
    (await transaction.query(text, values)).rows;
  let reply = checked;
  let characters = 0;
  for (let round = 0; reply.kind === "missing"; round += 1) {
    names.push(...reply.names);
    if (round < MAX_ROUNDS && names.length <= MAX_NAMES) {
      for (const [key, fact] of await loadFacts(ask, reply.names)) {
        facts.set(key, fact);
        characters += fact?.length ?? 0;
      }
    } else characters = Number.POSITIVE_INFINITY;
    reply = characters > MAX_FACT_CHARACTERS ? refusal(true, TOO_WIDE) : await read({ sql, facts });
  }
  return { reply, names, facts };
}

/**
 * INVARIANT: the server says which table column each output is copied from. All of them must be in the reading, which
 * is a check independent of the syntax tree: it detects a table that the reading missed.
 */
function checked(reading: SqlReading, columns: readonly ResultColumn[]): SqlReading {
  const readsTables = reading.tables.length > 0 || reading.catalog || reading.unresolved !== null;
  if (readsTables || columns.every(({ table }) => table === 0)) return reading;
  return { ...reading, unresolved: "The server names a table that wasn't found in the query." };
}

const refusal = (catalog: boolean, parts: Forbidden): SqlRefusal => ({ kind: "refused", catalog, ...parts });
