/** Looks for damage in a SQLite store: what SQLite finds, and what only the store knows of its rows. */
import type { SQLInputValue } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { rowProblem } from "../sealed-row.ts";
import { closedStore, toStoreError } from "../store-errors.ts";
import { isBusy } from "./busy.ts";
import { DatabaseSync, integer, type Row, text, toKept, toSticky } from "./sqlite-module.ts";
import { createSchema, schemaProblems } from "./sqlite-schema.ts";

/** How many rows are examined before other work goes on. */
const ROWS_PER_TURN = 256;
/** After how many findings a check stops: of a wrecked store no longer list is needed. */
const MAX_FINDINGS = 100;

/**
 * Everything that is found broken, one sentence each. Other work goes on between checks and between pages of
 * rows; SQLite's own integrity check runs in one go.
 */
export async function findDamage(database: DatabaseSync): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, check] of CHECKS) {
    found.push(...findings(database, name, () => check(database)));
    await nextTurn();
  }
  for (const scan of SCANS) {
    found.push(...(await scanRows(database, scan)));
  }
  return found;
}

/** What a check finds; where the damage stops it, that is a finding too. */
function findings(database: DatabaseSync, name: string, check: () => readonly string[]): readonly string[] {
  try {
    return check();
  } catch (error) {
    if (!database.isOpen) {
      throw closedStore();
    }
    if (isBusy(error)) {
      throw error;
    }
    const { message, why } = toStoreError(error, `check its ${name}`);
    return [`${message} ${why}`];
  }
}

const CHECKS: readonly (readonly [string, (database: DatabaseSync) => readonly string[]])[] = [
  ["integrity", integrityProblems],
  ["definitions", definitionProblems],
  ["references", orphanProblems],
  ["heads", headProblems],
  ["positions", positionProblems],
];

function integrityProblems(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${MAX_FINDINGS})`).all();
  const said = rows.map((row) => text(row, "integrity_check"));
  return said.filter((line) => line !== "ok").map((line) => `SQLite's integrity check says: ${line}.`);
}

function definitionProblems(database: DatabaseSync): readonly string[] {
  const fresh = new DatabaseSync(":memory:");
  try {
    createSchema(fresh);
    return schemaProblems(database, fresh);
  } finally {
    fresh.close();
  }
}

function orphanProblems(database: DatabaseSync): readonly string[] {
  const rows = database.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_FINDINGS);
  return rows.map((row) => `Row ${row.rowid} of \`${row.table}\` belongs to a session that has no head.`);
}

// An archived session begins with the entry that says so; what came before is gone.
const GONE = `(SELECT CASE WHEN seq > 1 AND body ->> '$.kind' = 'session-closed' AND body ->> '$.data.reason' = 'archived'
  THEN seq - 1 ELSE 0 END FROM events WHERE events.session = heads.session ORDER BY seq LIMIT 1)`;

function headProblems(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`
    SELECT session,
      ${GONE} > 0 OR (SELECT position FROM events WHERE events.session = heads.session AND seq = 1) IS opened AS begins,
      (SELECT max(seq) FROM events WHERE events.session = heads.session) IS version AS ends
    FROM heads WHERE begins IS NOT 1 OR NOT ends LIMIT ${MAX_FINDINGS}
  `);
  return rows
    .all()
    .map(
      (row) =>
        `The head of session ${named(row)} doesn't fit the ${row.begins ? "end" : "beginning"} of its journal.`,
    );
}

function positionProblems(database: DatabaseSync): readonly string[] {
  const row = database
    .prepare(`
      SELECT (SELECT count(*) FROM events) + coalesce((SELECT sum(${GONE}) FROM heads), 0) AS counted,
        coalesce((SELECT max(position) FROM events), 0) AS last,
        coalesce((SELECT min(position) FROM events), 1) AS first,
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS given
    `)
    .get();
  const [counted, first, last, given] = ["counted", "first", "last", "given"].map((column) =>
    integer(row, column),
  );
  // INVARIANT: a transaction that fails gives its positions back, and only what was archived is ever deleted.
  const isWhole = (first ?? 0) > 0 && counted === last && counted === given;
  return isWhole ? [] : [`Entries are missing: ${given} were given a place, and ${counted} are there.`];
}

interface Scan {
  readonly table: string;
  readonly key: string;
  /** A key before which there is none. */
  readonly start: SQLInputValue;
  /** What is wrong with a row, one sentence each. May throw SluicegateError `store-damaged` instead. */
  problems(row: Row): readonly string[];
}

const SCANS: readonly Scan[] = [
  { table: "events", key: "position", start: Number.MIN_SAFE_INTEGER, problems: eventProblems },
  { table: "kept", key: "position", start: Number.MIN_SAFE_INTEGER, problems: keptProblems },
  { table: "sticky", key: "principal", start: "", problems: stickyProblems },
];

async function scanRows(database: DatabaseSync, scan: Scan): Promise<readonly string[]> {
  const found: string[] = [];
  const name = `table \`${scan.table}\``;
  const ends = new Set<unknown>();
  let last: Row;
  do {
    let page: readonly Row[] = [];
    const readPage = () => {
      page = nextPage(database, scan, last);
      return [];
    };
    found.push(...findings(database, name, readPage));
    for (const row of page) {
      found.push(...findings(database, name, () => scan.problems(row)));
    }
    last = page.at(-1);
    // Damaged keys may lead in a circle; SQLite's integrity check reports them.
    last = ends.has(last?.[scan.key]) ? undefined : last;
    ends.add(last?.[scan.key]);
    await nextTurn();
  } while (last !== undefined && found.length < MAX_FINDINGS);
  return found;
}

function nextPage(database: DatabaseSync, { table, key, start }: Scan, last: Row): readonly Row[] {
  const isAfter = last === undefined ? ">=" : ">";
  return database
    .prepare(`SELECT * FROM ${table} WHERE ${key} ${isAfter} ? ORDER BY ${key} LIMIT ${ROWS_PER_TURN}`)
    .all(last?.[key] ?? start);
}

function eventProblems(row: Row): readonly string[] {
  const seq = integer(row, "seq");
  const problem = rowProblem({ seq, body: text(row, "body"), hash: text(row, "hash") });
  return problem === null ? [] : [`Entry ${seq} of session ${named(row)} was changed. ${problem}`];
}

function keptProblems(row: Row): readonly string[] {
  toKept(row);
  return [];
}

function stickyProblems(row: Row): readonly string[] {
  toSticky(row);
  return [];
}

/** A session's id for an operator's eyes: with escapes, and not without end. */
const named = (row: Row): string => JSON.stringify(text(row, "session").slice(0, 80));
