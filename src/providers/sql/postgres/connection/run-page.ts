/** Fetches a page of a query through a cursor, so that no more comes than is wanted. */

import { toPage } from "../../page.ts";
import type { SqlPage, SqlPageRequest } from "../../sql-engine.ts";
import type { FactName } from "../facts.ts";
import { keysOf, loadFacts } from "../load-facts.ts";
import type { Transaction } from "./connections.ts";
import { failure, toNamelessError } from "./database-errors.ts";

/** What `examine` found out, and `run` acts on. */
export interface Prepared {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Every name that was looked up in the catalogue, with what it meant. */
  readonly names: readonly FactName[];
  readonly facts: ReadonlyMap<string, string | null>;
  /** Whether rows may come in the order of an index. */
  readonly byIndex: boolean;
}

/**
 * Has rows found by an index come as they lie in the table. Each scan of an index that is left out needs one of these
 * in its place, so a role's own settings don't count.
 */
const WITHOUT_INDEX_ORDER = `SELECT ${[
  ...["enable_indexscan", "enable_indexonlyscan"].map(
    (name) => `pg_catalog.set_config('${name}', 'off', true)`,
  ),
  ...["enable_seqscan", "enable_bitmapscan", "enable_sort"].map(
    (name) => `pg_catalog.set_config('${name}', 'on', true)`,
  ),
].join(", ")}`;

const CURSOR = "sluicegate_page";
/** How many rows come at once. */
const STEP = 64;

export async function runPage(
  id: string,
  transaction: Transaction,
  prepared: Prepared,
  request: SqlPageRequest,
): Promise<SqlPage> {
  try {
    return await fetchPage(id, transaction, prepared, request);
  } catch (error) {
    throw (request.showsNames === true ? null : toNamelessError(id, error)) ?? error;
  }
}

async function fetchPage(
  id: string,
  transaction: Transaction,
  prepared: Prepared,
  request: SqlPageRequest,
): Promise<SqlPage> {
  if (!prepared.byIndex) await transaction.query(WITHOUT_INDEX_ORDER);
  await transaction.query(
    `DECLARE ${CURSOR} NO SCROLL CURSOR WITHOUT HOLD FOR\n${prepared.text}`,
    prepared.values,
  );
  await checkUnchanged(id, transaction, prepared);
  if (request.offset > 0) await transaction.query(`MOVE FORWARD ${request.offset} FROM ${CURSOR}`);
  const fetched: (readonly unknown[])[] = [];
  let columns: readonly string[] = [];
  let size = 0;
  while (fetched.length <= request.limit && size <= request.bytes) {
    const step = Math.min(STEP, request.limit + 1 - fetched.length);
    const batch = await transaction.query(`FETCH FORWARD ${step} FROM ${CURSOR}`);
    columns = batch.columns;
    fetched.push(...batch.rows);
    size += sizeOf(batch.rows);
    if (batch.rows.length < step) break;
  }
  return toPage(columns, fetched, { ...request, offset: 0 });
}

/**
 * THREAT: whoever may change the catalogue could swap a view between the decision and the query. By now the query's
 * relations are locked against that, and what their names mean is read once more, with a fresh look at the catalogue.
 */
async function checkUnchanged(
  id: string,
  transaction: Transaction,
  { names, facts }: Prepared,
): Promise<void> {
  const ask = async (text: string, values: readonly unknown[]) =>
    (await transaction.query(text, values)).rows;
  const now = await loadFacts(ask, names);
  if (keysOf(names).every((key) => now.has(key) && now.get(key) === facts.get(key))) return;
  throw failure(
    "not-ready",
    `The tables of \`${id}\` have changed while the query waited.`,
    "What it reads may have another label now.",
    "Send the query again.",
  );
}

/** At least as much as the cells take as JSON, but for texts that are cut: those are counted in full. */
const sizeOf = (rows: readonly (readonly unknown[])[]): number =>
  rows.reduce((sum, row) => sum + row.reduce<number>((length, cell) => length + lengthOf(cell), 2), 0);

const lengthOf = (cell: unknown): number => (typeof cell === "string" ? Math.min(cell.length, 8192) + 3 : 5);
