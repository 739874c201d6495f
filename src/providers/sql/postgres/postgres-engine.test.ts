/** The engine on a real server: pages, limits, and how it keeps to what was examined. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { OFFICE_TABLES } from "../../../../test/fixtures/postgres-office.ts";
import { asReader, failureOf, words } from "../../../../test/fixtures/postgres-reader.ts";
import type { SqlEngine, SqlPageRequest, SqlParameters } from "../sql-engine.ts";
import type { PostgresAddress } from "./connection/connections.ts";
import { loadParser, readStatement } from "./parsing/statement.ts";
import { openPostgresEngine } from "./postgres-engine.ts";

const PAGE = { offset: 0, limit: 100, bytes: 1_000_000, showsNames: true };

let server: PostgresServer;
let engine: SqlEngine;
const opened: SqlEngine[] = [];

function open(connection: Partial<PostgresAddress> = {}, seconds = 10): SqlEngine {
  const made = openPostgresEngine({
    id: "office",
    seconds,
    connection: { ...asReader(server), ...connection },
  });
  opened.push(made);
  return made;
}

beforeAll(async () => {
  server = await startPostgres();
  await server.execute(OFFICE_TABLES);
  engine = open();
  await engine.settled;
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await server?.stop();
});

async function preparedFor(sql: string, parameters: SqlParameters = [], on = engine): Promise<unknown> {
  const found = await on.examine(sql, parameters);
  if (found.kind === "refused") throw new Error(`${found.message} ${found.why}`);
  return found.ways[0].prepared;
}

const query = async (
  sql: string,
  parameters: SqlParameters = [],
  page: Partial<SqlPageRequest> = {},
  on = engine,
) => on.run(await preparedFor(sql, parameters, on), { ...PAGE, ...page });

describe("a page", () => {
  it("has values as JSON has them", async () => {
    const sql = `SELECT 1::int2, 9007199254740993::int8, 0.5::float8, 'NaN'::float8, 1.10::numeric, true, 'x'::text,
      '\\x00ff'::bytea, '{"a": [1]}'::jsonb, date '2026-01-02', NULL, ARRAY['a', 'b'], 'infinity'::timestamp`;
    const { rows } = await query(sql);
    expect(rows).toEqual([
      [
        1,
        "9007199254740993",
        0.5,
        "NaN",
        "1.10",
        true,
        "x",
        { bytes: 2, preview_hex: "00ff" },
        '{"a": [1]}',
        "2026-01-02",
        null,
        "{a,b}",
        "infinity",
      ],
    ]);
  });

  it("takes values by place, and names outputs as the query does", async () => {
    const page = await query(
      "SELECT id AS number, name AS number FROM customers WHERE id = $1 OR name = $2",
      [1, "Bob"],
    );
    expect(page).toEqual({
      columns: ["number", "number"],
      rows: [
        [1, "Ada"],
        [2, "Bob"],
      ],
      cut: [],
      more: false,
    });
  });

  it("begins where it is told, ends at its limit, and says whether there is more", async () => {
    const sql = "SELECT i FROM generate_series(1, 205) AS i";
    const middle = await query(sql, [], { offset: 100, limit: 70 });
    expect([middle.rows.length, middle.rows[0], middle.rows.at(-1), middle.more]).toEqual([
      70,
      [101],
      [170],
      true,
    ]);
    const last = await query(sql, [], { offset: 200, limit: 70 });
    expect([last.rows, last.more]).toEqual([[[201], [202], [203], [204], [205]], false]);
    expect((await query(sql, [], { limit: 205 })).more).toBe(false);
    expect((await query(sql, [], { offset: 900 })).rows).toEqual([]);
  });

  it("keeps its order", async () => {
    const { rows } = await query("SELECT i FROM generate_series(1, 500) i ORDER BY i % 7, i DESC", [], {
      limit: 3,
    });
    expect(rows).toEqual([[497], [490], [483]]);
  });

  it("ends at its bytes, fetches no more than it needs, and has one row at least", async () => {
    const sql = "SELECT repeat('x', 5000) FROM generate_series(1, 100000)";
    const page = await query(sql, [], { bytes: 20_000 });
    expect([page.rows.length, page.more]).toEqual([3, true]);
    expect((await query(sql, [], { bytes: 1 })).rows.length).toBe(1);
  });

  it("cuts a long text, and refuses a result that would fill the memory", async () => {
    const { rows, cut } = await query("SELECT repeat('é', 100000) AS long");
    expect([String(rows[0]?.[0]).length, cut]).toEqual([4096, [{ row: 0, column: "long", bytes: 200_000 }]]);
    for (const sql of ["SELECT repeat('x', 20000000)", "SELECT repeat('x', 20000000)::int"]) {
      const error = await failureOf(query(sql));
      expect([error.code, words(error)]).toEqual(["invalid-request", expect.stringContaining("too large")]);
    }
    expect((await query("SELECT 1")).rows).toEqual([[1]]);
  });

  it("may be of a query that gives no column", async () => {
    expect(await query("SELECT FROM customers")).toEqual({
      columns: [],
      rows: [[], []],
      cut: [],
      more: false,
    });
  });
});

describe("the limits of a query", () => {
  it("are a time, after which it is stopped with a sentence", async () => {
    const hasty = open({}, 0.5);
    const sql = "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 1000) b";
    const error = await failureOf(query(sql, [], {}, hasty));
    expect([error.code, words(error)]).toEqual([
      "upstream-timeout",
      "The query of `office` took too long and was stopped. It ran into the time limit of this database. Ask for less: fewer tables, or a narrower WHERE.",
    ]);
    expect((await query("SELECT 1", [], {}, hasty)).rows).toEqual([[1]]);
  });

  it("are its caller's signal, which stops it at the server", async () => {
    const sql =
      "SELECT count(*) AS given_up FROM generate_series(1, 100000000) a, generate_series(1, 1000) b";
    const prepared = await preparedFor(sql);
    const controller = new AbortController();
    const running = failureOf(engine.run(prepared, PAGE, controller.signal));
    await active("given_up", 1);
    controller.abort();
    const error = await running;
    expect([error.code, error.message]).toEqual(["upstream-timeout", "The query of `office` was stopped."]);
    await active("given_up", 0);
    expect((await failureOf(engine.examine("SELECT 1", [], controller.signal))).code).toBe(
      "upstream-timeout",
    );
  });

  it("are the database's rights", async () => {
    await server.execute("CREATE TABLE hidden (id int); INSERT INTO hidden VALUES (1)");
    expect(await engine.examine("SELECT id FROM hidden", [])).toMatchObject({
      kind: "refused",
      catalog: true,
      message: "`hidden` may not be read here.",
    });
  });

  it("are two locks against writing, and a transaction that is rolled back", async () => {
    await server.execute(`CREATE TABLE traces (id int); GRANT INSERT ON traces TO reader;
      CREATE FUNCTION leave_trace() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO traces VALUES (1) RETURNING id'`);
    const error = await failureOf(query("SELECT leave_trace()"));
    expect(error.why).toBe("PostgreSQL says: cannot execute INSERT in a read-only transaction.");
    expect(await server.execute("SELECT * FROM traces")).toEqual([]);
  });

  it("leave errors of the query to be read", async () => {
    const error = await failureOf(query("SELECT 1 / (id - 1) FROM customers"));
    expect([error.code, words(error)]).toEqual([
      "invalid-request",
      "The query of `office` failed. PostgreSQL says: division by zero. Correct it.",
    ]);
  });
});

/** Waits until so many sessions run a statement with this word in it. */
async function active(word: string, count: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const rows = await server.execute(
      `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND (query LIKE '%${word}%' OR query LIKE 'FETCH%')`,
    );
    if (rows.length === count) return;
    if (Date.now() > deadline) throw new Error(`There are ${rows.length} of them.`);
  }
}

describe("what was examined", () => {
  it("is all that is run", async () => {
    const forged = { text: "SELECT * FROM employees", values: [], names: [], facts: new Map() };
    expect((await failureOf(engine.run(forged, PAGE))).code).toBe("usage");
  });

  it("is not run when a view means something else by then (X11-postgres)", async () => {
    await server.execute("CREATE VIEW moving AS SELECT id FROM customers; GRANT SELECT ON moving TO reader");
    const prepared = await preparedFor("SELECT * FROM moving");
    expect((await engine.run(prepared, PAGE)).rows.length).toBe(2);
    await server.execute("CREATE OR REPLACE VIEW moving AS SELECT salary AS id FROM employees");
    const error = await failureOf(engine.run(prepared, PAGE));
    expect([error.code, error.message]).toEqual([
      "not-ready",
      "The tables of `office` have changed while the query waited.",
    ]);
  });

  it("is not run when a nearer table, a policy or a function has come in between", async () => {
    const names = await preparedFor("SELECT upper(title) FROM documents");
    await server.execute("CREATE POLICY more ON documents FOR SELECT USING (body = 'x')");
    expect((await failureOf(engine.run(names, PAGE))).code).toBe("not-ready");
    const upper = await preparedFor("SELECT upper(status) FROM customers");
    await server.execute("CREATE FUNCTION upper(mood) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$");
    expect((await failureOf(engine.run(upper, PAGE))).code).toBe("not-ready");
    await server.execute("DROP FUNCTION upper(mood); DROP POLICY more ON documents");
  });

  it("reads strings as the server does, whatever the role's settings say", async () => {
    await server.execute(
      "ALTER ROLE reader SET standard_conforming_strings = off; ALTER ROLE reader SET search_path = sales",
    );
    const fresh = open();
    // Read the other way, the first string would end later, and the table would be another one.
    const page = await query("SELECT '\\' || id FROM orders -- ' FROM employees", [], {}, fresh);
    expect(page.rows).toEqual([["\\1"], ["\\2"]]);
    await server.execute("ALTER ROLE reader RESET ALL");
  });

  it("takes a function of PostgreSQL's own before one of the same name", async () => {
    await server.execute("CREATE FUNCTION lower(text) RETURNS text LANGUAGE sql AS $$ SELECT 'taken' $$");
    expect((await query("SELECT lower('A')")).rows).toEqual([["a"]]);
    await server.execute("DROP FUNCTION public.lower(text)");
  });

  it("has values that fit", async () => {
    for (const parameters of [{ a: 1 }, [[1]], [{}]]) {
      const found = await engine.examine("SELECT id FROM orders WHERE id = $1", parameters);
      expect(found.kind === "refused" && found.message).toBe(
        "The values in `parameters` don't fit the statement.",
      );
    }
    for (const parameters of [[], [1, 2]]) {
      const found = await engine.examine("SELECT id FROM orders WHERE id = $1", parameters);
      expect(found.kind === "refused" && found.why).toBe(
        `It has 1 places for values, and ${parameters.length} came.`,
      );
    }
    const wrong = await failureOf(query("SELECT id FROM orders WHERE id = $1", ["one"]));
    expect([wrong.code, wrong.why]).toEqual([
      "invalid-request",
      'PostgreSQL says: invalid input syntax for type integer: "one".',
    ]);
  });

  it("may be long and deep, and is refused where it can't be followed", async () => {
    const deep = (count: number): string => `SELECT ${"(SELECT ".repeat(count)}1${")".repeat(count)}`;
    expect((await engine.examine(deep(50), [])).kind).toBe("query");
    for (const sql of [
      deep(3_000),
      `SELECT ${"f(".repeat(9_000)}1${")".repeat(9_000)}`,
      `SELECT '${"x".repeat(70_000)}'`,
    ]) {
      for (let turn = 0; turn < 3; turn += 1) expect((await engine.examine(sql, [])).kind).toBe("refused");
    }
    for (const count of [1_000, 4_000, 8_000, 16_000]) {
      const found = await engine.examine(`SELECT id ${"+ 1".repeat(count)} FROM orders`, []);
      expect(["query", "refused"]).toContain(found.kind);
    }
    expect(engine.state.status).toBe("ready");
    expect((await query("SELECT 1")).rows).toEqual([[1]]);
  });

  it("is parsed and followed in another thread than the one that serves everybody (X11-postgres)", async () => {
    const sql = `SELECT id FROM orders WHERE ${Array(1_500).fill("id = 1").join(" OR ")}`;
    const texts = Array.from({ length: 5 }, (_, count) => sql + " ".repeat(count));
    const parse = await loadParser();
    const costOf = async (work: (text: string) => unknown): Promise<number> => {
      await work(`${sql};`);
      const before = process.threadCpuUsage();
      for (const text of texts) await work(text);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    const examining = await costOf((text) => engine.examine(text, []));
    const parsing = await costOf((text) => readStatement(parse, text));
    // Parsing is the smaller part of the work; the driver has some to do here, too.
    expect(examining).toBeLessThan(2 * parsing);
  });
});

describe("the tables", () => {
  it("are listed with what the user may read", async () => {
    const tables = await engine.tables();
    expect(tables.map(({ schema, table, kind }) => `${kind} ${schema}.${table}`)).toEqual(
      expect.arrayContaining([
        "view public.cards",
        "table public.customers",
        "table public.events",
        "view public.towns",
        "table sales.orders",
      ]),
    );
    expect(tables.some(({ schema, table }) => schema === "pg_catalog" || table === "hidden")).toBe(false);
  });

  it("are described with types, keys and what they refer to", async () => {
    expect(await engine.describe("orders")).toEqual({
      schema: "public",
      table: "orders",
      kind: "table",
      columns: [
        { name: "id", type: "integer", nullable: false, primaryKey: 1 },
        { name: "customer_id", type: "integer", nullable: true, primaryKey: 0 },
        { name: "total", type: "numeric", nullable: true, primaryKey: 0 },
        { name: "status", type: "text", nullable: true, primaryKey: 0 },
        { name: "placed", type: "date", nullable: true, primaryKey: 0 },
        { name: "note", type: "jsonb", nullable: true, primaryKey: 0 },
      ],
      foreignKeys: [
        { columns: ["customer_id"], table: { schema: "public", table: "customers" }, references: ["id"] },
      ],
    });
  });

  it.each([
    ["sales.orders", "sales"],
    ["ORDERS", "public"],
    ['"orders"', "public"],
    [{ schema: "sales", table: "orders" }, "sales"],
    [{ schema: null, table: "orders" }, "public"],
  ])("are found by %j", async (name, schema) => {
    expect((await engine.describe(name))?.schema).toBe(schema);
  });

  it.each([
    "nowhere",
    '"ORDERS"',
    "pg_class",
    "hidden",
    "orders; DROP TABLE orders",
    "",
  ])("are not found by %j", async (name) => {
    expect(await engine.describe(name)).toBeNull();
  });

  it("give one row by a key, with every name quoted", async () => {
    await server.execute(
      'CREATE TABLE "We""ird" ("K ey" text PRIMARY KEY, v int); INSERT INTO "We""ird" VALUES (\'a\', 1); GRANT SELECT ON "We""ird" TO reader',
    );
    const sql = engine.selectRow({ schema: "public", table: 'We"ird' }, "K ey");
    expect((await query(sql, ["a"])).rows).toEqual([["a", 1]]);
  });
});
