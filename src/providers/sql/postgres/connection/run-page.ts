/** Fetches a page of a query through a cursor, so that no more rows are read than needed. */

import { toPage } from "../../page.ts";
import type { SqlPage, SqlPageRequest } from "../../sql-engine.ts";
import type { FactName } from "../facts.ts";
import { keysOf, loadFacts } from "../load-facts.ts";
import type { Transaction } from "./connections.ts";
import { failure, toNamelessError } from "./database-errors.ts";

/** The result of `examine`, for `run`. */
export interface Prepared {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Every name that was looked up in the catalog. */
  readonly names: readonly FactName[];
  readonly facts: ReadonlyMap<string, string | null>;
  /** Whether rows may come in the order of an index. */
  readonly byIndex: boolean;
}

/**
 * Makes index lookups return rows in their stored order, by bitmap scans. The settings override the role's own, so
 * that the excluded kinds of scans always have a replacement.
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
/** Rows fetched at once. */
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
 * THREAT: somebody could replace a view between the decision and the query. The query's relations are locked now, so
 * their names are looked up again and compared.
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

/** At least the size of the cells as JSON; texts that are truncated later count in full. */
const sizeOf = (rows: readonly (readonly unknown[])[]): number =>
  rows.reduce((sum, row) => sum + row.reduce<number>((length, cell) => length + lengthOf(cell), 2), 0);

const lengthOf = (cell: unknown): number => (typeof cell === "string" ? Math.min(cell.length, 8192) + 3 : 5);
