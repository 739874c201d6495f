/** Databases that bring code of their own, and queries that try to learn more than they are said to read. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { SluicegateError } from "../../../errors/index.ts";
import { inTurnOf } from "../../../threads/index.ts";
import { ownedBy } from "../../../threads/owner.test-kit.ts";
import type { SqlEngine, SqlReading } from "../sql-engine.ts";
import { openPostgresEngine } from "./postgres-engine.ts";

let server: PostgresServer;
const engines: SqlEngine[] = [];
const PAGE = { offset: 0, limit: 10, bytes: 1_000_000, showsNames: true };

beforeAll(async () => {
  server = await startPostgres();
  await server.execute("CREATE ROLE reader LOGIN PASSWORD 'reads-only'");
});

afterAll(async () => {
  for (const engine of engines) await engine.close();
  await server?.stop();
});

const TABLES = `
  CREATE TABLE people (id int, salary int); INSERT INTO people VALUES (1, 100), (2, 50);
  CREATE TYPE mood AS ENUM ('glad', 'sad');
  CREATE TYPE pair AS (a int, b int);
  CREATE DOMAIN badge AS text;
  CREATE TABLE cards (id int, feels mood, both_of pair, badge badge, badges badge[]);
  INSERT INTO cards VALUES (1, 'glad', (1, 2), 'x', '{x}');
  CREATE FUNCTION best() RETURNS int LANGUAGE sql STABLE AS 'SELECT max(salary) FROM public.people';`;

/** A database of its own, since code that sorts or casts is there for all queries. */
async function openWith(database: string, sql: string): Promise<SqlEngine> {
  await server.execute(`CREATE DATABASE ${database} TEMPLATE template0`);
  await server.execute(`${TABLES} ${sql}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`, database);
  const { host, port } = server;
  const login = { user: "reader", password: "reads-only", schema: "public", tls: false };
  const engine = openPostgresEngine({
    id: database,
    seconds: 10,
    connection: { host, port, database, ...login },
  });
  engines.push(engine);
  return engine;
}

async function readingOf(engine: SqlEngine, sql: string): Promise<SqlReading> {
  const examined = await engine.examine(sql, []);
  if (examined.kind === "refused") throw new Error(`${examined.message} ${examined.why}`);
  return examined.ways[0].reading;
}

describe("what a query shows besides values", () => {
  let engine: SqlEngine;

  beforeAll(async () => {
    engine = await openWith(
      "plain",
      `CREATE TABLE pay (id int, name text, salary int) PARTITION BY RANGE (salary);
       CREATE TABLE pay_high PARTITION OF pay FOR VALUES FROM (100) TO (1000);
       CREATE TABLE spread (id int, key text) PARTITION BY HASH (key);
       CREATE TABLE spread_0 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 0);
       CREATE TABLE risks (id int, salary int, risk int GENERATED ALWAYS AS (1 / salary) VIRTUAL);
       INSERT INTO risks VALUES (1, 0);`,
    );
  });

  it.each([
    ["SELECT name FROM pay_high", "pay_high.salary"],
    ["SELECT id FROM spread_0", "spread_0.key"],
    ["SELECT count(CASE WHEN id = 1 AND salary > 50 THEN 1 END) FROM people", "people.salary"],
    ["SELECT sum(salary - 50) FROM people", "people.salary"],
  ])("counts the column that decides: %s (X11-postgres)", async (sql, column) => {
    const { columns } = await readingOf(engine, sql);
    expect(columns.map((one) => `${one.table}.${one.column}`)).toContain(column);
  });

  it.each([
    "SELECT 1 FROM risks r WHERE EXISTS (SELECT r.risk, generate_series(1, 2))",
    "SELECT count(risk) FROM risks",
  ])("counts what an output that fails is made of: %s (X11-postgres)", async (sql) => {
    const examined = await engine.examine(sql, []);
    if (examined.kind === "refused") throw new Error(examined.why);
    const [{ reading, prepared }] = examined.ways;
    await expect(engine.run(prepared, PAGE)).rejects.toMatchObject({
      why: expect.stringMatching(/division by zero/),
    });
    expect(reading.columns.map(({ column }) => column)).toContain("salary");
  });

  it("counts a partition's key where all partitions are read only for the order of their rows", async () => {
    const columnsOf = async (sql: string) =>
      (await readingOf(engine, sql)).columns.map(({ column }) => column);
    expect(await columnsOf("SELECT name FROM pay")).toContain("salary");
    expect(await columnsOf("SELECT name FROM pay ORDER BY name")).not.toContain("salary");
    expect(await columnsOf("SELECT count(name) FROM pay")).not.toContain("salary");
  });

  it.each([
    "SELECT pg_typeof(feels) FROM cards",
    "SELECT enum_range(NULL::mood)",
    "SELECT ('gl' || 'ad')::mood",
    "SELECT enum_last(feels) FROM cards",
    "SELECT pg_collation_for(badge) FROM cards",
    "SELECT ('{peo' || 'ple}')::_regclass",
    "SELECT ('sim' || 'ple')::regconfig",
    "SELECT ('\"C' || '\"')::regcollation",
  ])("is said to read names of the catalogue: %s (X11-postgres)", async (sql) => {
    expect(await readingOf(engine, sql)).toMatchObject({ catalog: true, unresolved: null });
  });

  it.each([
    "SELECT (SELECT max(xmin::text) FROM cards) FROM (SELECT 1 AS xmin) s",
    "SELECT pg_column_size(badge) FROM cards",
    "SELECT makeaclitem(10, 10, 'SELECT', false)",
    "SELECT ('=r/post' || 'gres')::aclitem",
    "SELECT ('{=r/post' || 'gres}')::_aclitem",
  ])("has the worst label: %s (X11-postgres)", async (sql) => {
    expect((await readingOf(engine, sql)).unresolved).not.toBeNull();
  });

  it("follows own types that bring no code", async () => {
    expect((await readingOf(engine, "SELECT * FROM cards ORDER BY both_of, feels")).unresolved).toBeNull();
  });

  it.each([
    ["names", `SELECT ${Array(400).fill("id")} FROM ${Array(300).fill("cards")}`, /wide/],
    ["stars", `SELECT ${Array(200).fill("*")} FROM cards`, /wide/],
    ["characters", `SELECT '${"x".repeat(16_384)}'`, /too long/],
  ])("refuses a statement with too many %s before anything looks at them", async (_what, sql, message) => {
    expect(await engine.examine(sql, [])).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(message),
    });
  });
});

/** Each leaves out what the others bring; the query gives another result when a salary changes. */
const CODE: readonly (readonly [database: string, code: string, sql: string])[] = [
  [
    "enum_cast",
    `CREATE FUNCTION f(mood) RETURNS int LANGUAGE sql STABLE AS 'SELECT public.best()';
     CREATE CAST (mood AS int) WITH FUNCTION f(mood)`,
    "SELECT feels::int FROM cards",
  ],
  [
    "enum_constant",
    `CREATE FUNCTION f(mood) RETURNS int LANGUAGE sql STABLE AS 'SELECT public.best()';
     CREATE CAST (mood AS int) WITH FUNCTION f(mood)`,
    "SELECT 'glad'::mood::int",
  ],
  [
    "row_cast",
    `CREATE FUNCTION f(cards) RETURNS int LANGUAGE sql STABLE AS 'SELECT public.best()';
     CREATE CAST (cards AS int) WITH FUNCTION f(cards) AS IMPLICIT`,
    "SELECT 1 + s.c FROM (SELECT c FROM cards c) s",
  ],
  [
    "row_array_cast",
    `CREATE FUNCTION f(cards) RETURNS int LANGUAGE sql STABLE AS 'SELECT public.best()';
     CREATE CAST (cards AS int) WITH FUNCTION f(cards)`,
    "SELECT ARRAY[c]::int[] FROM cards c",
  ],
  [
    "hidden_order",
    `CREATE SCHEMA hidden;
     CREATE FUNCTION hidden.f(json, json) RETURNS boolean LANGUAGE sql AS 'SELECT false';
     CREATE FUNCTION hidden.c(json, json) RETURNS int LANGUAGE sql AS 'SELECT public.best() - 60';
     CREATE OPERATOR hidden.< (LEFTARG = json, RIGHTARG = json, FUNCTION = hidden.f);
     CREATE OPERATOR CLASS hidden.json_order DEFAULT FOR TYPE json USING btree
       AS OPERATOR 1 hidden.<, FUNCTION 1 hidden.c(json, json);
     GRANT USAGE ON SCHEMA hidden TO reader`,
    "SELECT greatest('1'::json, '2'::json)",
  ],
];

describe("code that a database brings and no query names", () => {
  it.each(CODE)("leaves the query unresolved: %s (X11-postgres)", async (database, code, sql) => {
    const engine = await openWith(database, code);
    const examined = await engine.examine(sql, []);
    if (examined.kind === "refused") throw new Error(examined.why);
    const [{ reading, prepared }] = examined.ways;
    const before = await engine.run(prepared, PAGE);
    await server.execute("UPDATE people SET salary = 55", database);
    // It is code that decides: nothing else of the query has changed.
    expect(await engine.run(prepared, PAGE)).not.toEqual(before);
    expect(reading.unresolved).not.toBeNull();
  });

  it.each([
    "SELECT '{100}'::badge[]",
    "SELECT _badge('{100}')",
    "SELECT badges || '{100}' FROM cards",
    "SELECT array_append(ARRAY[badge], '100') FROM cards",
    `SELECT jsonb_populate_record(c, '{"badge": "100"}') FROM cards c`,
  ])("runs a domain's check at the worst label only, and never to examine a query: %s (X11-postgres)", async (sql) => {
    const engine = await checked();
    // A check that ran here would fail, and its words would have the catalogue's label.
    expect((await readingOf(engine, sql)).unresolved).not.toBeNull();
    const examined = await engine.examine(sql, []);
    if (examined.kind === "refused") throw new Error(examined.why);
    const error = await engine.run(examined.ways[0].prepared, PAGE).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SluicegateError);
    expect(error.why).toMatch(/somebody earns 100/);
  });

  let opened: Promise<SqlEngine> | null = null;
  const checked = (): Promise<SqlEngine> => {
    opened ??= openWith(
      "domain_check",
      `CREATE FUNCTION is_fine(text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
         IF EXISTS (SELECT FROM public.people WHERE salary::text = $1) THEN
           RAISE EXCEPTION 'somebody earns %', $1;
         END IF; RETURN true; END $$;
       ALTER DOMAIN badge ADD CHECK (is_fine(VALUE)) NOT VALID`,
    );
    return opened;
  };
});

describe("a database with an encoding of single bytes", () => {
  it("leaves names beyond ASCII unresolved, for it folds them in its own way (X11-postgres)", async () => {
    await server.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    await server.execute("CREATE TABLE t (a int); GRANT SELECT ON t TO reader", "latin");
    const { host, port } = server;
    const login = { user: "reader", password: "reads-only", schema: "public", tls: false };
    const connection = { host, port, database: "latin", ...login };
    const engine = openPostgresEngine({ id: "latin", seconds: 10, connection });
    engines.push(engine);
    expect(
      (await readingOf(engine, 'WITH "É" AS (SELECT 1 AS a) SELECT a FROM "É"')).unresolved,
    ).not.toBeNull();
    expect((await readingOf(engine, "SELECT a, 'é' FROM t")).unresolved).toBeNull();
  });
});

describe("the connections to a database", () => {
  it("are never all one principal's, and nothing is run for who has given up (X11-postgres, D5-queue)", async () => {
    const engine = await openWith("busy", "");
    const slow = "SELECT count(*) FROM generate_series(1, 100000000) a WHERE random() < 0";
    const examined = await engine.examine(slow, []);
    if (examined.kind === "refused") throw new Error(examined.why);
    const [{ prepared }] = examined.ways;
    const busy = new AbortController();
    const [ada, bob] = [ownedBy("ada"), ownedBy("bob")];
    const holding = Array.from({ length: 9 }, () =>
      inTurnOf(ada, () => engine.run(prepared, PAGE, busy.signal)).catch(() => null),
    );
    await expect.poll(async () => (await running()).length).toBe(7);
    expect(await inTurnOf(bob, () => engine.tables())).toHaveLength(2);
    holding.push(inTurnOf(bob, () => engine.run(prepared, PAGE, busy.signal)).catch(() => null));
    const waiting = new AbortController();
    const late = inTurnOf(bob, () => engine.run(prepared, PAGE, waiting.signal)).catch((error) => error);
    await expect.poll(async () => (await running()).length).toBe(8);
    waiting.abort();
    busy.abort();
    await Promise.all(holding);
    expect(await late).toMatchObject({ message: expect.stringMatching(/was stopped/) });
    await expect.poll(async () => (await running()).length).toBe(0);
  });

  const running = () =>
    server.execute("SELECT 1 FROM pg_stat_activity WHERE datname = 'busy' AND state = 'active'");
});

it("shows nobody the statements of other sessions, whatever schema an extension keeps them in (X11-postgres)", async () => {
  const engine = await openWith("statements", "CREATE TABLE pg_stat_statements (query text);");
  for (const sql of [
    "SELECT query FROM pg_stat_statements",
    "SELECT count(*) FROM public.pg_stat_statements",
  ])
    expect(await engine.examine(sql, [])).toMatchObject({
      kind: "refused",
      message: "`pg_stat_statements` may not be read here.",
    });
});
