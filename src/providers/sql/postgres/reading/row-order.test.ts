/** The order of rows tells about columns that a query doesn't name: those of indexes, partitions and clustered tables. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../../test/fixtures/postgres.ts";
import { asReader } from "../../../../../test/fixtures/postgres-reader.ts";
import type { QueryVariant, SqlEngine, SqlReading } from "../../sql-engine.ts";
import { openPostgresEngine } from "../postgres-engine.ts";

/** Two ways to fail: which comes first, tells which row does. */
const FAILS = "CASE name WHEN 'n500' THEN 1 / (length(name) - 4) WHEN 'n600' THEN name::int END";
/** Two values that are equal, and not the same. */
const EQUAL = "CASE name WHEN 'n500' THEN 1.0 WHEN 'n600' THEN 1.00 END";
const PAGE = { offset: 0, limit: 1000, bytes: 1_000_000 };
let server: PostgresServer;
let engine: SqlEngine;

beforeAll(async () => {
  server = await startPostgres(["-c", "autovacuum=off"]);
  await server.execute(`
    CREATE TABLE people (id int PRIMARY KEY, name text, status text, salary int, notes text);
    INSERT INTO people SELECT i, 'n' || i, CASE WHEN i % 50 = 0 THEN 'open' ELSE 'shut' END, (i * 7919) % 1009,
      repeat('x', 400) FROM generate_series(1, 1000) i;
    CREATE INDEX ON people (salary, name); CREATE INDEX ON people (status, salary);
    CREATE INDEX ON people (name) WHERE salary > 500;
    CREATE TABLE pay (id int, name text, grade int) PARTITION BY LIST (abs(grade));
    CREATE TABLE pay_low PARTITION OF pay FOR VALUES IN (1); CREATE TABLE pay_high PARTITION OF pay DEFAULT;
    CREATE TABLE ranked (id int, name text, salary int); CREATE INDEX by_salary ON ranked (salary);
    ALTER TABLE ranked CLUSTER ON by_salary;
    CREATE VIEW parts AS SELECT name, 1 / (length(name) - 4) AS part FROM people;
    CREATE VIEW guarded AS SELECT name FROM people WHERE 1 / (length(name) - 9) < 1;
    CREATE VIEW five AS SELECT name FROM people LIMIT 5;
    CREATE MATERIALIZED VIEW kept AS SELECT name, salary FROM people; CREATE INDEX ON kept (salary, name)`);
  await server.execute("VACUUM ANALYZE people");
  await server.execute(
    "CREATE ROLE reader LOGIN PASSWORD 'reads-only'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
  );
  engine = openPostgresEngine({ id: "order", seconds: 10, connection: asReader(server) });
  await engine.settled;
});

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

async function waysOf(sql: string): Promise<readonly QueryVariant[]> {
  const examined = await engine.examine(sql, []);
  if (examined.kind === "refused") throw new Error(`${examined.message} ${examined.why}`);
  return examined.ways;
}

const outcomeOf = async (way: QueryVariant | undefined): Promise<unknown> =>
  engine.run(way?.prepared, PAGE).catch(({ why }: { readonly why?: string }) => why);

const columnsOf = ({ columns }: SqlReading): readonly string[] => columns.map(({ column }) => column).sort();

describe("rows that may come by an index", () => {
  it.each([
    "SELECT string_agg(name, ',') FROM (SELECT name FROM people LIMIT 5) s",
    "SELECT name, row_number() OVER () FROM people",
    "SELECT name FROM people LIMIT 5",
    "SELECT name FROM people WHERE status = 'open'",
    "SELECT array_agg(name) FROM people WHERE status = 'open'",
    "SELECT ARRAY(SELECT name FROM people WHERE status = 'open')",
    "SELECT first_value(name) OVER (PARTITION BY status) FROM people WHERE status = 'open' ORDER BY name",
    "SELECT DISTINCT ON (status) status, name FROM people WHERE status = 'open' ORDER BY status",
    "SELECT (SELECT name FROM people WHERE status = 'open' LIMIT 1)",
    "SELECT max(x.a) FROM (SELECT s.array_agg AS a FROM (SELECT name FROM people) s) x",
    `SELECT count(${FAILS}) FROM people`,
    `SELECT name, id FROM people WHERE ${FAILS} > 0 ORDER BY name, id`,
    `SELECT name FROM people WHERE ${FAILS} > 0 UNION SELECT 'x' ORDER BY 1`,
    `SELECT count(*) FROM people WHERE ${FAILS} > 0`,
    `SELECT count(*) FROM (SELECT name FROM people WHERE ${FAILS} > 0) s`,
    `SELECT max(${EQUAL}) FROM people`,
    `SELECT x FROM (SELECT ${EQUAL} AS x FROM people) s GROUP BY x ORDER BY x`,
    `SELECT DISTINCT x FROM (SELECT ${EQUAL} AS x FROM people) s ORDER BY x`,
    `SELECT x FROM (SELECT ${EQUAL} AS x FROM people) s UNION SELECT 2 ORDER BY x`,
    `SELECT array_agg(DISTINCT x) FROM (SELECT ${EQUAL} AS x FROM people) s`,
    `SELECT x FROM (SELECT ${EQUAL} AS x FROM people) s ORDER BY x`,
    "SELECT count(part) FROM parts",
    "SELECT count(*) FROM guarded",
    "SELECT count(name) FILTER (WHERE name > 'n5') FROM people",
  ])("are read with its keys, or come as they lie: %s (X11-postgres)", async (sql) => {
    const [byIndex, plain] = await waysOf(sql);
    expect(columnsOf(byIndex?.reading as SqlReading)).toContain("salary");
    expect(columnsOf(plain?.reading as SqlReading)).not.toContain("salary");
    const before = await outcomeOf(plain);
    // The rows stay where they lie: each is written anew in its turn.
    await server.execute(`BEGIN; CREATE TEMP TABLE copy ON COMMIT DROP AS SELECT * FROM people ORDER BY id;
      TRUNCATE people; INSERT INTO people SELECT id, name, status, 1009 - salary, notes FROM copy ORDER BY id; COMMIT`);
    await server.execute("VACUUM ANALYZE people");
    const [, again] = await waysOf(sql);
    expect(await outcomeOf(again)).toEqual(before);
  });

  it.each([
    ["SELECT name FROM five", "salary"],
    ["SELECT name FROM kept", "salary"],
  ])("are so behind views: %s (X11-postgres)", async (sql, column) => {
    const [byIndex, plain] = await waysOf(sql);
    expect(columnsOf(byIndex?.reading as SqlReading)).toContain(column);
    expect(columnsOf(plain?.reading as SqlReading)).not.toContain(column);
  });
});

describe("rows that lie by a column", () => {
  it.each([
    ["SELECT name FROM pay", "grade"],
    ["SELECT name FROM ranked", "salary"],
    ["SELECT string_agg(name, ',') FROM ranked", "salary"],
    ["SELECT name FROM ranked ORDER BY id LIMIT 3", "salary"],
    ["SELECT id AS name, name AS x FROM ranked ORDER BY name", "salary"],
    ["SELECT name, sum(id) OVER (ORDER BY name ROWS 1 PRECEDING) FROM ranked ORDER BY 1, 2", "salary"],
    ["SELECT name, row_number() OVER () AS r FROM ranked ORDER BY name, r", "salary"],
    [`SELECT x FROM (SELECT ${EQUAL} AS x FROM ranked) s ORDER BY x`, "salary"],
    [`WITH s AS (SELECT ${EQUAL} AS x FROM ranked) SELECT x FROM s ORDER BY x`, "salary"],
    [`SELECT ${EQUAL} AS x FROM ranked ORDER BY x`, "salary"],
    [`SELECT ${EQUAL} AS x FROM ranked UNION ALL SELECT 1 ORDER BY x`, "salary"],
    [`SELECT array_agg(x ORDER BY x) FROM (SELECT ${EQUAL} AS x FROM ranked) s`, "salary"],
    [`SELECT ARRAY(SELECT ${EQUAL} AS x FROM ranked ORDER BY x)`, "salary"],
    [`SELECT mode() WITHIN GROUP (ORDER BY x) FROM (SELECT ${EQUAL} AS x FROM ranked) s`, "salary"],
    [`SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ${EQUAL}) FROM pay`, "grade"],
    [`SELECT max(${EQUAL})::text FROM pay`, "grade"],
    ["SELECT to_jsonb(name) AS x FROM ranked ORDER BY x", "salary"],
    [
      `SELECT CASE name WHEN 'a' THEN '1 day' ELSE '24:00' END::interval AS x FROM ranked ORDER BY x`,
      "salary",
    ],
    ["SELECT name, row_number() OVER () AS r FROM pay ORDER BY name, r", "grade"],
    ["SELECT name, row_number() OVER (PARTITION BY 1) AS r FROM ranked ORDER BY name, r", "salary"],
    ["SELECT name, row_number() OVER w AS r FROM ranked WINDOW w AS () ORDER BY name, r", "salary"],
    ["SELECT name, ntile(7) OVER () AS r FROM ranked ORDER BY name, r", "salary"],
    ["SELECT JSON_ARRAY(SELECT name FROM ranked) AS a", "salary"],
    ["SELECT JSON_ARRAY(SELECT name FROM pay) AS a", "grade"],
    [
      "WITH v(id) AS (SELECT round(1.0, r.id) FROM ranked r) SELECT id FROM people RIGHT JOIN v USING (id) ORDER BY id",
      "salary",
    ],
    ["SELECT NULLIF(('a' || repeat(' ', id))::varchar, 'zz'::bpchar) AS k FROM ranked ORDER BY k", "salary"],
    [
      `SELECT (make_timestamp(2020, 1, id, 0, 0, 0) - make_timestamp(2020, 1, 1, 0, 0, 0)) * id AS k FROM ranked ORDER BY k`,
      "salary",
    ],
    [
      "SELECT name, array_agg(1) OVER (ORDER BY id ROWS 1 PRECEDING) AS r FROM ranked ORDER BY name, r",
      "salary",
    ],
    [
      "WITH n AS (SELECT name, row_number() OVER () AS r FROM ranked) SELECT * FROM n ORDER BY 1, 2",
      "salary",
    ],
    ["SELECT sum(r) FROM (SELECT name, row_number() OVER () AS r FROM pay) s WHERE name = 'a'", "grade"],
  ])("are read with it where their order shows: %s (X11-postgres)", async (sql, column) => {
    for (const { reading } of await waysOf(sql)) expect(columnsOf(reading)).toContain(column);
  });
});

it.each([
  "SELECT count(*) FROM people",
  "SELECT count(name), count(*) FROM people",
  "SELECT count(*) FROM pay, people",
  "SELECT name FROM ranked ORDER BY name",
  "SELECT name FROM pay ORDER BY name",
])("are read in one way only where no key of an index can show: %s (X11-postgres)", async (sql) => {
  const ways = await waysOf(sql);
  expect(ways.length).toBe(1);
  expect(ways.flatMap(({ reading }) => columnsOf(reading))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(salary|grade)$/)]),
  );
});

it.each([
  "SELECT count(name), min(name) FROM people WHERE status = 'open'",
  "SELECT status, count(*) FROM people GROUP BY status ORDER BY status, 2",
  "SELECT name, id FROM people ORDER BY id, name LIMIT 5",
  "SELECT DISTINCT name FROM people ORDER BY name",
  "SELECT p.name FROM people p ORDER BY name",
  "SELECT upper(name) FROM people ORDER BY upper(name) DESC",
  "SELECT name FROM people UNION SELECT status FROM people ORDER BY 1",
  "SELECT string_agg(name, ',' ORDER BY name) FROM people",
  "SELECT name, rank() OVER (ORDER BY name) FROM people ORDER BY name, 2",
  "SELECT count(*) FROM (SELECT name FROM people ORDER BY name LIMIT 5) s",
  "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM people",
  "SELECT sum(id) FROM ranked",
  "SELECT name, count(*), sum(id), max(id) FROM ranked GROUP BY name ORDER BY 1, 2, 3, 4",
  "SELECT upper(name) || 'x' AS x, id % 7 AS y, id > 3 AS z FROM ranked ORDER BY x, y, z",
  "SELECT CASE WHEN id > 3 THEN 'large' ELSE 'small' END AS size FROM ranked ORDER BY size",
  "SELECT s.n FROM (SELECT r.name AS n FROM ranked r JOIN pay p USING (id)) s ORDER BY n",
  "SELECT name FROM ranked UNION ALL SELECT name FROM pay ORDER BY 1",
  "SELECT ARRAY(SELECT name FROM ranked ORDER BY name)",
  "SELECT array_agg(name ORDER BY name), mode() WITHIN GROUP (ORDER BY id) FROM ranked",
  "SELECT round(id, 2)::text AS x FROM ranked ORDER BY x",
  "SELECT count(*), max(id) FROM pay WHERE name > 'b'",
])("count nothing for their order where indexes are left out: %s (X11-postgres)", async (sql) => {
  const columns = columnsOf((await waysOf(sql)).at(-1)?.reading as SqlReading);
  for (const key of ["salary", "grade"]) expect(columns).not.toContain(key);
});
