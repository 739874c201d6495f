/** A PostgreSQL database behind a gate, as a policy declares it. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { OFFICE_TABLES } from "../../../../test/fixtures/postgres-office.ts";
import { temporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { loadConfig } from "../../../policy-file/index.ts";
import {
  createGate,
  examineCalls,
  type Gate,
  type ToolProvider,
  type ToolResult,
} from "../../../runtime/index.ts";
import { createMemoryStore } from "../../../stores/index.ts";
import { createDatabaseProvider } from "../index.ts";

const files = temporaryFolder();
let server: PostgresServer;
const opened: ToolProvider[] = [];
let books: Books;
let secretNames: Books;

interface Books {
  readonly gate: Gate;
  readonly provider: ToolProvider;
}

/** The names of tables are more than what stands in them. */
const SECRET_NAMES = `
    sensitivity: public
    catalog: confidential
    columns:
      "customers.id": public
      "customers.feels": public
`;

const policyFor = (port: number, labels: string): string => `
version: 1
databases:
  books:
    type: postgres
    host: 127.0.0.1
    port: ${port}
    dbname: postgres
    user: reader
    password: reads-only
${labels}`;

const PUBLIC_NAMES = `
    sensitivity: confidential
    catalog: public
    columns:
      "customers.id": public
      "customers.status": public
      "customers.name": internal
      "orders.customer_id": public
      "orders.status": public
      "sales.regions.name": public
    aggregates: { count: public }
`;

async function open(name: string, labels: string): Promise<Books> {
  const file = files.path(name);
  writeFileSync(file, policyFor(server.port, labels));
  const { policy, databases } = await loadConfig(file);
  const [database] = databases.values();
  if (database === undefined) throw new Error("There is no database.");
  const provider = createDatabaseProvider({ ...database, lattice: policy.lattice });
  opened.push(provider);
  await provider.settled;
  const facts = examineCalls([provider]);
  return { provider, gate: createGate({ policy, store: createMemoryStore(), facts }) };
}

beforeAll(async () => {
  server = await startPostgres();
  await server.execute(`${OFFICE_TABLES} CREATE TABLE takeover_bid (id int);
    CREATE TABLE partly (id int, price int); GRANT SELECT (id) ON partly TO reader`);
  books = await open("sluicegate.yaml", PUBLIC_NAMES);
  secretNames = await open("secret-names.yaml", SECRET_NAMES);
});

afterAll(async () => {
  for (const provider of opened) await provider.close();
  await server?.stop();
});

async function call(tool: string, args: Record<string, unknown>, { gate, provider } = books) {
  const session = await gate.open();
  const outcome = await session.call({ tool: `mcp__books__${tool}`, arguments: args }, (own, { examined }) =>
    provider.run(tool, own, examined === null ? {} : { examined }),
  );
  const result: ToolResult = outcome.effect === "allow" ? outcome.result : { content: [] };
  const [block] = result.content;
  const text = block?.type === "text" ? String(block.text) : "";
  return {
    level: session.label.level,
    isError: result.isError ?? false,
    text,
    data: result.structuredContent,
  };
}

it.each([
  ["SELECT id, status FROM customers WHERE status <> 'x'", "public"],
  ["SELECT c.id FROM customers c JOIN orders o ON o.customer_id = c.id AND o.status = 'open'", "public"],
  ["SELECT status FROM cards", "public"],
  ["WITH c AS (SELECT * FROM customers) SELECT s.status FROM (SELECT * FROM c) s", "public"],
  ["SELECT count(email) FROM customers", "public"],
  ["SELECT count(*) FROM employees", "public"],
  ["SELECT 1", "public"],
  ["SELECT table_name FROM information_schema.tables", "public"],
  ["SELECT nothing FROM customers", "public"],
  ["DROP TABLE customers", "public"],
  ["SELECT name FROM customers", "internal"],
  ["SELECT title FROM cards", "internal"],
  ["SELECT id FROM customers WHERE email = 'x'", "confidential"],
  ["SELECT * FROM customers", "confidential"],
  ["SELECT max(salary) FROM employees", "confidential"],
  ["SELECT salary_of(1)", "confidential"],
])("gives a session the label of what it reads: %s (X11-postgres)", async (sql, level) => {
  expect((await call("query", { sql })).level).toBe(level);
});

it("names tables and columns by the catalogue's label, and gives a row by the labels of its columns", async () => {
  expect(await call("list_tables", {})).toMatchObject({ level: "public", isError: false });
  expect(await call("describe_table", { table: "orders" })).toMatchObject({
    level: "public",
    isError: false,
  });
  const row = await call("get_row", { table: "sales.regions", id: 1 });
  expect(row).toMatchObject({ level: "confidential", data: { row: { id: 1, name: "North", budget: 7 } } });
});

it.each([
  [
    'ALTER TABLE customers RENAME COLUMN name TO "called"',
    "ALTER TABLE customers RENAME COLUMN called TO name",
  ],
  ["ALTER TABLE sales.regions RENAME TO areas", "ALTER TABLE sales.areas RENAME TO regions"],
])("runs nothing while a labelled column has another name: %s (A5, X11-postgres)", async (rename, back) => {
  await server.execute(rename);
  const renamed = await call("query", { sql: "SELECT id FROM customers" });
  expect(renamed).toMatchObject({ level: "public", isError: true });
  await server.execute(back);
  expect(await call("query", { sql: "SELECT id FROM customers" })).toMatchObject({ isError: false });
});

it.each([
  ["SELECT id FROM takeover_bid", [], /takeover_bid/],
  ["SELECT id, price FROM partly", [], /partly/],
  ["SELECT id FROM customers WHERE feels = $1", ["furious"], /mood/],
  [
    "SELECT id FROM customers WHERE to_tsvector('simple', 'a') @@ to_tsquery($1, 'a')",
    ["furious"],
    /furious/,
  ],
] as const)("tells no name of the catalogue in an error without the catalogue's label: %s (X11-postgres)", async (sql, parameters, name) => {
  const hidden = await call("query", { sql, parameters }, secretNames);
  expect(hidden.isError).toBe(true);
  if (hidden.level === "public") expect(hidden.text).not.toMatch(name);
  // Where names are public, an error says what is wrong.
  const shown = await call("query", { sql, parameters });
  expect([shown.isError, shown.text]).toEqual([true, expect.stringMatching(name)]);
});

it("says what is wrong with a value though names are confidential", async () => {
  const sql = "SELECT id FROM customers WHERE 1 / (id - id) = 1";
  expect(await call("query", { sql }, secretNames)).toMatchObject({
    level: "public",
    text: expect.stringMatching(/division by zero/),
  });
});

it("gives what can't be followed the catalogue's label too, since it may show names", async () => {
  const sql = "SELECT tablename FROM pg_stats";
  expect((await call("query", { sql }, secretNames)).level).toBe("confidential");
});
