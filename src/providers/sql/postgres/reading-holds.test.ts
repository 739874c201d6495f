/**
 * Random queries on a real server: whatever stands in columns that a query isn't said to read, its result is the same.
 * Results are compared as sets of rows; only an ORDER BY over all outputs stands before a LIMIT, because a changed row
 * lies elsewhere in its table, which moves it in a result that nothing orders.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { queries, TABLES, tableSql } from "../../../../test/fixtures/postgres-queries.ts";
import { asReader } from "../../../../test/fixtures/postgres-reader.ts";
import type { QueryVariant, SqlEngine, SqlReading } from "../sql-engine.ts";
import { openPostgresEngine } from "./postgres-engine.ts";

const CASES = Math.max(150, Math.round(Number(process.env.SLUICEGATE_CASES ?? 0) / 100));
/** How often the rest of the database is changed for each query. */
const CHANGES = 3;
const ALL = { offset: 0, limit: 10_000, bytes: 10_000_000 };

let server: PostgresServer;
let engine: SqlEngine;
const counts = { run: 0, unresolved: 0, refused: 0, failed: 0, changed: 0 };

beforeAll(async () => {
  server = await startPostgres(["-c", "autovacuum=off", "-c", "jit=off"]);
  await server.execute(tableSql);
  engine = openPostgresEngine({ id: "random", seconds: 20, connection: asReader(server) });
  await engine.settled;
});

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

it("is free of columns that a query isn't said to read (X11-postgres)", async () => {
  await fc.assert(fc.asyncProperty(queries, fc.integer({ min: 0, max: 1_000 }), holds), {
    numRuns: CASES,
    endOnFailure: false,
  });
  if (process.env.SLUICEGATE_CASES !== undefined) console.log(JSON.stringify(counts));
  // A generator that makes nothing but errors, or queries that read all there is, would prove nothing.
  expect(counts.run).toBeGreaterThan(CASES * 0.7);
  expect(counts.changed).toBeGreaterThan(counts.run * 0.5);
  expect(counts.unresolved).toBeLessThan(CASES * 0.1);
}, 600_000);

async function holds(sql: string, seed: number): Promise<void> {
  const examined = await engine.examine(sql, []);
  if (examined.kind === "refused") {
    counts.refused += 1;
    return;
  }
  const [way] = examined.ways;
  if (way.reading.unresolved !== null) {
    counts.unresolved += 1;
    return;
  }
  counts.run += 1;
  const before = await resultOf(way);
  if (before === "an error") counts.failed += 1;
  for (let change = 0; change < CHANGES; change += 1) {
    const changes = changesBeside(way.reading, seed + change);
    if (changes.length === 0) return;
    await server.execute(changes.join(";\n"));
    const after = await resultOf(way);
    if (before !== after) throw new Error(`${sql}\n${JSON.stringify(way.reading)}\n${before}\n${after}`);
  }
  counts.changed += 1;
}

async function resultOf(way: QueryVariant): Promise<string> {
  try {
    const { rows } = await engine.run(way.prepared, ALL);
    return rows
      .map((row) => JSON.stringify(row))
      .sort()
      .join("\n");
  } catch {
    return "an error";
  }
}

/** Gives every column that isn't read, in all tables, other values, some of them null. */
function changesBeside({ columns, aggregated }: SqlReading, seed: number): readonly string[] {
  const read = new Set(
    [...columns, ...aggregated.flatMap((one) => one.columns)].map((c) => `${c.table}.${c.column}`),
  );
  return Object.entries(TABLES).flatMap(([table, names]) => {
    const free = names.filter((name) => !read.has(`${table}.${name}`));
    const sets = free.map(
      (name, place) => `${name} = nullif(hashint4(id * 31 + ${seed * 7 + place}) & 7, 7)`,
    );
    return sets.length === 0 ? [] : [`UPDATE ${table} SET ${sets.join(", ")}`];
  });
}
