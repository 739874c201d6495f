/**
 * Two copies of a database differ in confidential values only. Whatever a query that leaves a session clean gives, it
 * gives the same on both, row by row and in its errors, too.
 *
 * `SLUICEGATE_CASES=500000 npx vitest run test/scenarios/sql-differential.test.ts` makes 5,000 queries
 * for each engine, one for a hundred cases. A difference is shown with its seed: `SLUICEGATE_SEED=<seed> SLUICEGATE_CASES=1` plays it again.
 */
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLattice } from "../../src/core/index.ts";
import { createDatabaseProvider } from "../../src/providers/index.ts";
import type { ToolProvider } from "../../src/runtime/index.ts";
import {
  POSTGRES_SCHEMA,
  PUBLIC_COLUMNS,
  rowsOf,
  SQLITE_SCHEMA,
} from "../fixtures/differential-databases.ts";
import { DifferentialQueries } from "../fixtures/differential-queries.ts";
import { type PostgresServer, startPostgres } from "../fixtures/postgres.ts";
import { asReader } from "../fixtures/postgres-reader.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const CASES = Math.ceil((Number(process.env.SLUICEGATE_CASES) || 2_000) / 100);
const SEED = Number(process.env.SLUICEGATE_SEED) || 1;
const LEVELS = ["public", "confidential"];

type Connection = Parameters<typeof createDatabaseProvider>[0]["connection"];

const files = temporaryFolder();
const opened: ToolProvider[] = [];
let server: PostgresServer;

async function open(connection: Connection): Promise<ToolProvider> {
  const lattice = createLattice({ levels: LEVELS });
  const labelOf = (level: string) => ({ level, categories: [], trust: "trusted" }) as const;
  const provider = createDatabaseProvider({
    id: "office",
    connection,
    lattice,
    label: labelOf("confidential"),
    catalog: labelOf("public"),
    columns: new Map(columnsOf(connection).map((name) => [name, labelOf("public")])),
    aggregates: new Map([["count", labelOf("public")]]),
    limits: { rows: 1000, bytes: 4_000_000, seconds: 5 },
  });
  opened.push(provider);
  await provider.settled;
  expect([provider.status, provider.problem]).toEqual(["ready", null]);
  return provider;
}

const columnsOf = ({ type }: Connection): readonly string[] =>
  PUBLIC_COLUMNS.filter((name) => type === "postgres" || !name.startsWith("parts"));

function makeSqlite(copy: number): Connection {
  const path = files.path(`copy-${copy}.db`);
  const database = new DatabaseSync(path);
  for (const sql of [...SQLITE_SCHEMA, ...rowsOf(copy)]) database.exec(sql);
  database.exec("ANALYZE");
  database.close();
  return { type: "sqlite", path };
}

async function makePostgres(copy: number): Promise<Connection> {
  const database = `copy_${copy}`;
  const [tables = "", rest = "", analyze = ""] = POSTGRES_SCHEMA;
  await server.execute(`CREATE DATABASE ${database} TEMPLATE template0`);
  await server.execute(tables, database);
  for (const sql of rowsOf(copy)) await server.execute(sql, database);
  await server.execute(rest, database);
  await server.execute(analyze, database);
  return { type: "postgres", ...asReader(server), database };
}

beforeAll(async () => {
  server = await startPostgres(["-c", "autovacuum=off", "-c", "jit=off"]);
  await server.execute("CREATE ROLE reader LOGIN PASSWORD 'reads-only'");
});

afterAll(async () => {
  for (const provider of opened) await provider.close();
  await server?.stop();
});

/** What a session that was clean before has of a query; null where the query raises it. */
async function cleanResultOf(provider: ToolProvider, sql: string): Promise<string | null> {
  const args = { sql, limit: 1000 };
  const examined = await provider.examine?.("query", args);
  if (examined?.source?.level !== "public") return null;
  const result = await provider.run("query", args, { examined });
  return JSON.stringify(result.content);
}

describe.each(["sqlite", "postgres"] as const)("on %s, a query that leaves a session clean", (engine) => {
  it(`gives the same whatever stands in confidential columns (X11-${engine})`, async () => {
    const copies = await Promise.all([0, 1].map((copy) => make(engine, copy)));
    const [one, other] = await Promise.all(copies.map(open));
    if (one === undefined || other === undefined) throw new Error("There are no copies.");
    const counts = { clean: 0, raising: 0, refused: 0, timed: 0 };
    const different: string[] = [];
    for (let seed = SEED; seed < SEED + CASES; seed += 1) {
      const sql = new DifferentialQueries(seededRandom(seed), engine).query();
      const [first, second] = [await cleanResultOf(one, sql), await cleanResultOf(other, sql)];
      if (first === null && second === null) counts.raising += 1;
      else if (`${first}${second}`.includes("took too long")) counts.timed += 1;
      else if (first !== second) different.push(`seed ${seed}: ${sql}\n${first}\n${second}`.slice(0, 2000));
      else if (first?.includes("row_count")) counts.clean += 1;
      else counts.refused += 1;
    }
    if (process.env.SLUICEGATE_CASES !== undefined)
      console.log(engine, JSON.stringify({ ...counts, different: different.length }));
    expect(different).toEqual([]);
    // A generator that makes nothing but errors, or queries that raise every session, would prove nothing.
    if (CASES >= 100) expect(counts.clean).toBeGreaterThan(CASES / 10);
  }, 3_600_000);
});

const make = async (engine: "sqlite" | "postgres", copy: number): Promise<Connection> =>
  engine === "sqlite" ? makeSqlite(copy) : makePostgres(copy);
