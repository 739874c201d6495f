/**
 * Columns that are read without being named: whole rows, since `x.f` calls the function `f` on the row `x` wherever
 * `x` has no column `f`, and what an aggregate's argument is made of.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { asReader } from "../../../../test/fixtures/postgres-reader.ts";
import type { SqlEngine, SqlReading } from "../sql-engine.ts";
import { nodesIn } from "./parsing/parse-tree.ts";
import { loadParser, readStatement } from "./parsing/statement.ts";
import { openPostgresEngine } from "./postgres-engine.ts";
import { nameOfOutput } from "./reading/output-name.ts";

const PAGE = { offset: 0, limit: 10, bytes: 1_000_000 };
let server: PostgresServer;
let engine: SqlEngine;

beforeAll(async () => {
  server = await startPostgres();
  await server.execute(`
    CREATE TABLE people (id int, name text, salary int); INSERT INTO people VALUES (1, 'Ada', 98765), (2, 'Bo', 54321);
    CREATE TABLE cards (id int, made timestamp); INSERT INTO cards VALUES (1, '2026-01-01');
    CREATE VIEW high AS SELECT id, CASE WHEN salary > 60000 THEN 1 END AS above, 1000 / (salary - 100) AS part, salary
      FROM people;
    CREATE TABLE grades (id int, salary int, above int GENERATED ALWAYS AS (CASE WHEN salary > 60000 THEN 1 END) STORED);
    CREATE ROLE reader LOGIN PASSWORD 'reads-only'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`);
  engine = openPostgresEngine({ id: "rows", seconds: 10, connection: asReader(server) });
  await engine.settled;
});

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

async function readingOf(sql: string): Promise<SqlReading> {
  const examined = await engine.examine(sql, []);
  if (examined.kind === "refused") throw new Error(`${examined.message} ${examined.why}`);
  // That it runs shows that PostgreSQL, too, takes it for a call.
  await engine.run(examined.ways[0].prepared, PAGE);
  return examined.ways[0].reading;
}

const columnsOf = ({ columns }: SqlReading): readonly string[] =>
  columns.map(({ table, column }) => `${table}.${column}`);

/** A row with an output that has no name. */
const S = "(SELECT *, 1 FROM people) s";

it.each([
  `SELECT s.to_json FROM ${S}`,
  `SELECT s.count FROM ${S}`,
  `SELECT s.json_agg FROM ${S}`,
  `WITH s AS (SELECT *, 1 FROM people) SELECT s.to_json FROM s`,
  `WITH s AS MATERIALIZED (SELECT *, 1 FROM people) SELECT s.to_jsonb FROM s`,
  `SELECT 1 FROM ${S} WHERE s.to_json ->> 'salary' = '98765'`,
  `SELECT 1 FROM ${S} ORDER BY s.to_jsonb`,
  `SELECT count(*) FROM ${S} GROUP BY s.to_jsonb`,
  `SELECT 1 FROM ${S} GROUP BY s.id HAVING max(s.hash_record) > 0`,
  `SELECT DISTINCT ON (s.to_jsonb) s.id FROM ${S}`,
  `SELECT rank() OVER (ORDER BY s.to_jsonb) FROM ${S}`,
  `SELECT sum(1) OVER w FROM ${S} WINDOW w AS (PARTITION BY s.to_jsonb)`,
  `SELECT EXISTS (SELECT 1 FROM ${S} WHERE s.to_json ->> 'salary' = '98765')`,
  `SELECT 1 LIMIT (SELECT (s.to_json ->> 'salary')::int % 2 FROM ${S} LIMIT 1)`,
  `SELECT l.x FROM ${S}, LATERAL (SELECT s.to_json AS x) l`,
  `SELECT x FROM ${S}, jsonb_each(s.to_jsonb) x`,
  `SELECT t.x FROM (SELECT s.to_json AS x FROM ${S}) t`,
  `SELECT s.to_json FROM ${S} UNION ALL SELECT '1'::json`,
  `SELECT string_agg(s.to_json::text, '') FROM ${S}`,
  `SELECT count(s.to_json) FROM ${S}`,
  `SELECT j.to_json FROM (cards CROSS JOIN ${S}) AS j`,
  `SELECT j.to_json FROM ((SELECT id AS a, 1 FROM cards) c CROSS JOIN people s) AS j`,
  `SELECT (SELECT count(*) FROM people x JOIN cards c ON (x.to_json ->> 'salary')::int > 60000)
   FROM (SELECT '1'::json AS to_json) x`,
  `SELECT q.to_json FROM (SELECT s, 1 FROM people s) q`,
  `SELECT q.to_json FROM (SELECT (s).* FROM people s) q`,
  `SELECT q.to_json FROM (SELECT ((s).*) FROM people s) q`,
  `SELECT p.to_json FROM people p`,
  `SELECT p.to_json FROM people p JOIN cards c USING (id)`,
  `SELECT (q.s).salary FROM (SELECT s FROM people s) q`,
  `SELECT (q.s).to_json FROM (SELECT s FROM people s) q`,
  `SELECT (s).to_json FROM ${S}`,
  `SELECT (s.*).to_json FROM ${S}`,
  `SELECT (s.*)::text, s::text FROM ${S}`,
  `SELECT ROW(s.*)::text FROM ${S}`,
  `SELECT (z.r).f1 FROM (SELECT ROW(p.*) AS r FROM people p) z`,
  `SELECT s = t FROM ${S}, (SELECT *, 1 FROM people) t`,
  `SELECT s IS NOT NULL FROM ${S}`,
  `SELECT s IN (SELECT t FROM people t) FROM people s`,
])("counts all columns of the row: %s (X11-postgres)", async (sql) => {
  expect(columnsOf(await readingOf(sql))).toContain("people.salary");
});

it.each([
  ["SELECT s.name FROM (SELECT name::varchar(2), salary FROM people) s", ["people.name"]],
  ["SELECT s.coalesce FROM (SELECT coalesce(name, ''), salary FROM people) s", ["people.name"]],
  ["SELECT s.count, s.name FROM (SELECT name, count(*) FROM people GROUP BY name) s", ["people.name"]],
  ["SELECT s.id FROM (SELECT *, 1 FROM people) s", ["people.id"]],
  ["SELECT u.to_json FROM (SELECT id, 1 FROM people) u", ["people.id"]],
])("counts no more where the name is an output's: %s (X11-postgres)", async (sql, columns) => {
  expect(columnsOf(await readingOf(sql))).toEqual(columns);
});

it("knows the names that PostgreSQL gives to outputs (X11-postgres)", async () => {
  const outputs = [
    ...[
      "id",
      "c.made",
      "made::date",
      "id::text::int",
      "1::int",
      "'x'::text",
      "NULL",
      "1 + 1",
      "-id",
      "(c).id",
    ],
    ...["upper('x')", "trim('x')", "extract(year FROM made)", "coalesce(id, 1)", "coalesce(id, 1)::text"],
    ...[
      "CASE WHEN true THEN id END",
      "CASE WHEN true THEN 1 ELSE id END",
      "CASE WHEN true THEN 1 ELSE 2 END::text",
    ],
    ...["(CASE WHEN true THEN 1 ELSE upper('x')::int END)", "'x' COLLATE \"C\"", "upper('x') COLLATE \"C\""],
    ...[
      "(ARRAY[1])[1]",
      "(ARRAY[id])[1]::text",
      "(array_agg(id) OVER ())[1]",
      "now()",
      "current_date",
      "true",
    ],
  ];
  const sql = `SELECT ${outputs.filter((one) => !one.startsWith("(CASE")).join(", ")} FROM cards c`;
  const parsed = readStatement(await loadParser(), sql);
  if ("kind" in parsed) throw new Error(parsed.why);
  const figured = nodesIn(parsed.select, "targetList").map((target) => {
    const [value] = nodesIn({ val: [target.fields.val] }, "val");
    return value === undefined ? null : nameOfOutput(target, value);
  });
  const examined = await engine.examine(sql, []);
  if (examined.kind === "refused") throw new Error(examined.why);
  const { columns } = await engine.run(examined.ways[0].prepared, PAGE);
  const known = figured.flatMap((name, place) => (name === null ? [] : [[name, columns[place]]]));
  for (const [name, column] of known) expect(name).toBe(column);
  expect(known.length).toBeGreaterThan(15);
});

it.each([
  "SELECT id, count(above) FROM high GROUP BY id",
  "SELECT count(part) FROM high",
  "SELECT count(h.above) FROM (SELECT * FROM high) h",
  "SELECT count(above) FROM grades WHERE id = 1",
  "SELECT count(s.x) FROM (SELECT nullif(salary, 1) AS x FROM people) s",
  // Whether values are equal is more than a count of them.
  "SELECT count(DISTINCT salary) FROM people",
  "SELECT id, sum(DISTINCT p.salary) FROM people p GROUP BY id",
])("counts in full what an aggregate's argument is made of: %s (X11-postgres)", async (sql) => {
  const { columns } = await readingOf(sql);
  expect(columns.map(({ column }) => column)).toContain("salary");
});

it.each([
  "SELECT count(salary) FROM high",
  "SELECT count(h.salary) FROM (SELECT * FROM high) h",
  "SELECT count(p.salary), max(p.salary) FROM people p JOIN cards c ON c.id = p.id",
])("leaves a column that shows in an aggregate alone to its label: %s (X11-postgres)", async (sql) => {
  const { columns, aggregated } = await readingOf(sql);
  expect(columns.map(({ column }) => column)).not.toContain("salary");
  expect(aggregated.flatMap((one) => one.columns)).toContainEqual({
    schema: "public",
    table: "people",
    column: "salary",
  });
});
