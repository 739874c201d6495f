/**
 * The first seed's story behind a whole gateway, on real databases and a real API: what is public leaves the session
 * clean, what is confidential raises it before it comes, then what connects outside is refused.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../fixtures/postgres.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const PRESS = `CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT);
  INSERT INTO articles VALUES (1, 'Opening')`;
const BOOKINGS = `CREATE TABLE bookings (id INTEGER PRIMARY KEY, room INTEGER, guest TEXT);
  INSERT INTO bookings VALUES (7, 12, 'canary Grace'), (8, 14, 'canary Ada')`;

/** The seed's two files, in the seed's form. */
const DATABASES = {
  sqlite: `
databases:
  press: { type: sqlite, dbname: press.db }
  bookings: { type: sqlite, dbname: bookings.db, sensitivity: confidential }
`,
  postgres: `
databases:
  press:
    type: postgres
    host: 127.0.0.1
    port: \${PG_PORT}
    dbname: press
    user: \${PG_USER}
    password: \${PG_PASSWORD}
    schema: public
  bookings:
    type: postgres
    host: 127.0.0.1
    port: \${PG_PORT}
    dbname: bookings
    user: \${PG_USER}
    password: \${PG_PASSWORD}
    schema: public
    sensitivity: confidential
`,
} as const;
const APIS = `
apis:
  desk: { spec_source: desk.json, base_url: "\${API}/desk", sensitivity: confidential }
  news: { spec_source: news.json, base_url: "\${API}/news" }
`;
/** The same database once more, with the labels of its columns. */
const labelled = (connection: string) => `version: 1
include: [dbs.yaml, apis.yaml]
databases:
  rooms:
    ${connection}
    sensitivity: confidential
    catalog: public
    columns: { "bookings.room": public, "bookings.id": public }
`;
const POLICIES = {
  sqlite: labelled("type: sqlite\n    path: bookings.db"),
  postgres: labelled(
    `type: postgres\n    url: "postgres://\${PG_USER}:\${PG_PASSWORD}@127.0.0.1:\${PG_PORT}/bookings"`,
  ),
};

const document = (operationId: string, path: string, parameter: object) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: operationId, version: "1" },
    paths: {
      [path]: {
        get: {
          operationId,
          parameters: [{ ...parameter, required: true, schema: { type: "string" } }],
          responses: { 200: { description: "Found" } },
        },
      },
    },
  });

let api: Server;
let asked: string[];
let postgres: PostgresServer;

beforeAll(async () => {
  asked = [];
  api = createServer((request, reply) => {
    asked.push(request.url ?? "");
    reply.setHeader("content-type", "application/json");
    reply.end(JSON.stringify({ name: "Grace" }));
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  postgres = await startPostgres();
  for (const [name, sql] of [
    ["press", PRESS],
    ["bookings", BOOKINGS],
  ] as const) {
    await postgres.execute(`CREATE DATABASE ${name}`);
    await postgres.execute(sql, name);
  }
});
afterAll(async () => {
  api.close();
  await postgres.stop();
});

describe.each(["sqlite", "postgres"] as const)("private data from %s", (engine) => {
  let folder: string;
  let gate: RunningGateway;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluicegate-data-"));
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    write("dbs.yaml", DATABASES[engine]);
    write("apis.yaml", APIS);
    write("sluicegate.yaml", POLICIES[engine]);
    write("desk.json", document("getGuest", "/guests/{id}", { name: "id", in: "path" }));
    write("news.json", document("searchNews", "/search", { name: "q", in: "query" }));
    for (const [name, sql] of [
      ["press", PRESS],
      ["bookings", BOOKINGS],
    ] as const) {
      const database = new DatabaseSync(join(folder, `${name}.db`));
      database.exec(sql);
      database.close();
    }
    gate = await startGateway({
      file: join(folder, "sluicegate.yaml"),
      folder,
      environment: {
        API: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
        PG_PORT: String(postgres.port),
        PG_USER: postgres.user,
        PG_PASSWORD: postgres.password,
      },
    });
  });
  afterAll(async () => {
    await gate.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (): Promise<string> => (await gate.request("POST", "/v1/session", {})).body.session_id;
  const call = async (session: string, tool: string, args: object) =>
    (await gate.request("POST", `/v1/session/${session}/call`, { tool, arguments: args })).body;
  const state = async (session: string) => (await gate.request("GET", `/v1/session/${session}`)).body;

  it("leaves the session clean where the database is public (A5, A6)", async () => {
    const session = await open();
    const read = await call(session, "mcp__press__query", { sql: "SELECT title FROM articles" });
    expect(read).toMatchObject({ effect: "allow", raises: null });
    expect(JSON.stringify(read.result)).toContain("Opening");
    expect(await state(session)).toMatchObject({ private: false, label: { level: "public" }, datasets: [] });
    expect(await call(session, "searchNews", { q: "hotels" })).toMatchObject({ effect: "allow" });
    expect(asked.at(-1)).toBe("/news/search?q=hotels");
  });

  it.each([
    ["rows", "query", { sql: "SELECT guest FROM bookings" }, "canary Grace"],
    ["a row by its id", "get_row", { table: "bookings", id: 8 }, "canary Ada"],
    ["the tables", "list_tables", {}, "bookings"],
    ["a table's columns", "describe_table", { table: "bookings" }, "guest"],
    ["an error of the database", "query", { sql: "SELECT guest FROM nowhere" }, "nowhere"],
  ])("raises the session by %s before they come, and shuts the way out (A6, A7)", async (_, tool, args, shown) => {
    const session = await open();
    const read = await call(session, `mcp__bookings__${tool}`, args);
    expect(read).toMatchObject({ effect: "allow", raises: { level: "confidential" } });
    expect(JSON.stringify(read.result)).toContain(shown);
    expect(await state(session)).toMatchObject({
      private: true,
      datasets: [{ id: "bookings", sensitivity: "confidential" }],
    });
    const before = asked.length;
    const outside = await call(session, "searchNews", { q: "Grace" });
    expect(outside).toMatchObject({ effect: "deny", reasons: [{ code: "flow-blocked" }] });
    expect(outside.reasons[0].message).toContain("confidential data");
    expect(asked).toHaveLength(before);
    expect(await call(session, "getGuest", { id: "7" })).toMatchObject({ effect: "allow", raises: null });
    expect(asked.at(-1)).toBe("/desk/guests/7");
  });

  it(`labels a query by the columns that it reads, and a plan with it (X11-${engine}, C5)`, async () => {
    const session = await open();
    const onPublic = {
      tool: "mcp__rooms__query",
      arguments: { sql: "SELECT room FROM bookings ORDER BY id" },
    };
    const onSecret = {
      tool: "mcp__rooms__query",
      arguments: { sql: "SELECT room FROM bookings WHERE guest = 'x'" },
    };
    const plan = async (...planned_calls: object[]) =>
      (await gate.request("POST", `/v1/session/${session}/validate-plan`, { planned_calls })).body;
    expect(await plan(onPublic, { tool: "searchNews" })).toMatchObject({
      valid: true,
      steps: [{ raises: null, depends_on_arguments: false }, {}],
    });
    expect(await plan(onSecret, { tool: "searchNews" })).toMatchObject({
      valid: false,
      violations: [{ at_step: 1, tool: "searchNews" }],
      safe_ordering: ["searchNews", "mcp__rooms__query"],
    });
    expect(await plan({ tool: "mcp__rooms__query" })).toMatchObject({
      steps: [{ raises: { level: "confidential" }, depends_on_arguments: true }],
    });
    const read = await call(session, onPublic.tool, onPublic.arguments);
    expect(read).toMatchObject({ effect: "allow", raises: null, label: { level: "public" } });
    expect(read.result.structuredContent.rows).toEqual([[12], [14]]);
    const closing = await call(session, onSecret.tool, onSecret.arguments);
    expect(closing).toMatchObject({ effect: "allow", raises: { level: "confidential" } });
  });
});
