/**
 * What a query is said to read is all that it reads: whatever changes in other columns, its result stays the same,
 * row by row. Each way to run it is held to what is said of that way.
 */
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DatabaseReader } from "../../src/providers/sql/sqlite/database-reader.ts";
import type { Way } from "../../src/providers/sql/sqlite/reading/find-variants.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";
import { CASES } from "./generators.ts";
import {
  changedRows,
  type Draw,
  QueryWriter,
  type RandomDatabase,
  randomDatabase,
} from "./sqlite-generators.ts";

/** Of ten, some have a query that is sorted: one in ten databases has none. */
const DATABASES = Math.max(10, Math.ceil(CASES / 4000));
const QUERIES = 12;
const WHOLE = { offset: 0, limit: 1000, bytes: 1_000_000 };

const files = temporaryFolder();

function write(path: string, { tables, views }: RandomDatabase, rows: RandomDatabase["rows"]): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  for (const { statements } of tables) for (const statement of statements) database.exec(statement);
  for (const { sql } of views) {
    try {
      database.exec(sql);
    } catch {
      // A view that SQLite doesn't take is none.
    }
  }
  for (const { name } of tables)
    for (const row of rows.get(name) ?? []) {
      const places = [...row].map(() => "?").join(", ");
      database
        .prepare(`INSERT INTO ${name} (${[...row.keys()].join(", ")}) VALUES (${places})`)
        .run(...row.values());
    }
  database.exec("COMMIT");
  database.close();
}

function resultOf(reader: DatabaseReader, sql: string, way: Way): string {
  try {
    return JSON.stringify(reader.run({ sql, parameters: [], way }, WHOLE));
  } catch (error) {
    return `${error instanceof Error ? error.message : ""} ${String(Reflect.get(Object(error), "why"))}`;
  }
}

/** The columns and tables that a way is said to read, aggregates and all. */
function saidOf({ reading }: Way): { columns: ReadonlySet<string>; tables: ReadonlySet<string> } {
  const columns = [...reading.columns, ...reading.aggregated.flatMap((aggregate) => aggregate.columns)];
  const tables = [...reading.tables, ...reading.aggregated.flatMap((aggregate) => aggregate.tables)];
  return {
    columns: new Set(columns.map(({ table, column }) => `${table}.${column}`)),
    tables: new Set([...columns, ...tables].map(({ table }) => table)),
  };
}

const counts = { queries: 0, refused: 0, ways: 0, sorted: 0, withRows: 0 };

function checkQuery(draw: Draw, database: RandomDatabase, before: DatabaseReader): void {
  const sql = QueryWriter.over(draw, database).query(1 + draw(3), 2);
  const found = before.examine({ sql, parameters: [] });
  counts.queries += 1;
  if (found.kind === "refused") {
    counts.refused += 1;
    return;
  }
  for (const [index, way] of found.ways.entries()) {
    expect(way.reading.unresolved).toBeNull();
    const { columns, tables } = saidOf(way);
    const rows = changedRows(
      draw,
      database,
      (table, column) => columns.has(`${table}.${column}`),
      (table) => tables.has(table),
    );
    const path = files.path("after.db");
    write(path, database, rows);
    const after = new DatabaseReader(path);
    const result = resultOf(before, sql, way);
    expect({ sql, way, result: resultOf(after, sql, way) }).toEqual({ sql, way, result });
    if (!result.includes('"rows":[]')) counts.withRows += 1;
    after.close();
    rmSync(path);
    counts.ways += 1;
    if (index > 0) counts.sorted += 1;
  }
}

it("finds every column that a query reads (X11-sqlite)", () => {
  fc.assert(
    fc.property(fc.noBias(fc.nat({ max: 0xffffffff })), (seed) => {
      const draw = seededRandom(seed);
      const database = randomDatabase(draw);
      const path = files.path("before.db");
      write(path, database, database.rows);
      const before = new DatabaseReader(path);
      for (let index = 0; index < QUERIES; index += 1) checkQuery(draw, database, before);
      before.close();
      rmSync(path);
    }),
    // Another seed is another case, not a smaller one.
    { numRuns: DATABASES, endOnFailure: true },
  );
  if (process.env.SLUICEGATE_CASES !== undefined) console.log(JSON.stringify(counts));
  expect(counts.refused).toBeLessThan(counts.queries / 2);
  expect(counts.sorted).toBeGreaterThan(0);
}, 1_200_000);
