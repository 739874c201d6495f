import { describe, expect, test } from "vitest";
import { parseFiles } from "../testing/parse-files.ts";
import { TICKETS_JSON } from "../testing/tickets-document.ts";

const label = (level: string, categories: readonly string[] = [], trust = "trusted") => ({
  level,
  categories,
  trust,
});

const POLICY = `version: 1
categories: { hr: {} }
databases:
  crm:
    type: sqlite
    path: data/crm.db
    sensitivity: internal
    catalog: public
    columns:
      customers.name: confidential
      "orders.*": public
      main.staff.salary: { level: internal, categories: [hr] }
    aggregates: { count: public }
    tools:
      query: { approval: 'args.sql.contains("staff")', tags: [sql] }
      get_row: { approval: always, on_violation: ask }
    limits: { rows: 10 }
  books: { type: postgresql, url: "postgres://reader:\${PASSWORD}@127.0.0.1/books", trust: untrusted }
  plain: { type: postgres }
  far: { type: postgres, host: db.example, tls: false, database: x, port: "\${PORT}", schema: s }
apis:
  tickets:
    spec: t.json
    base_url: "https://tickets.example/v1//"
    sensitivity: internal
    categories: [hr]
    trust: untrusted
    headers: { authorization: "Bearer \${TOKEN}" }
    query: { key: "\${TOKEN}" }
    private_addresses: allow
    only: [getTicket, listTickets, createTicket]
    operations:
      getTicket: { sensitivity: public, categories: [], fields: [id, "items[].id"], approval: never }
      createTicket: { sensitivity: secret, sink: public, permissions: [write], tags: [x], on_violation: ask }
    limits: { seconds: 5 }
  near: { spec: t.json, base_url: "http://[::1]:9200" }
detectors:
  secrets: secret
  personal_data: { level: confidential, categories: [hr] }
  limits: { bytes: 2048 }
roles: { clerk: { tools: [crm__query, getTicket] } }
`;

const load = () =>
  parseFiles({ "p.yaml": POLICY, "t.json": TICKETS_JSON }, { PASSWORD: "pw", PORT: "6543", TOKEN: "t0ken" });

describe("the databases of a policy", () => {
  test("say where each is and how sensitive what is in it (A5)", async () => {
    const { databases } = await load();
    expect([...databases.keys()]).toEqual(["crm", "books", "plain", "far"]);
    expect(databases.get("crm")).toEqual({
      id: "crm",
      connection: { type: "sqlite", path: `${process.cwd()}/data/crm.db` },
      label: label("internal"),
      catalog: label("public"),
      columns: new Map([
        ["customers.name", label("confidential")],
        ["orders.*", label("public")],
        ["main.staff.salary", label("internal", ["hr"])],
      ]),
      aggregates: new Map([["count", label("public")]]),
      limits: { rows: 10, bytes: 1_048_576, seconds: 10 },
    });
    expect(databases.get("books")).toMatchObject({
      connection: {
        type: "postgres",
        url: "postgres://reader:pw@127.0.0.1/books",
        schema: "public",
        tls: false,
      },
      label: label("public", [], "untrusted"),
      catalog: label("public", [], "untrusted"),
    });
    expect(databases.get("plain")?.connection).toEqual({
      type: "postgres",
      host: "localhost",
      port: 5432,
      schema: "public",
      tls: false,
    });
    expect(databases.get("far")?.connection).toEqual({
      type: "postgres",
      host: "db.example",
      port: 6543,
      database: "x",
      schema: "s",
      tls: false,
    });
  });

  test.each([
    ["host: localhost", false],
    ["host: 127.0.0.9", false],
    ['host: "::1"', false],
    ["host: /run/postgresql", false],
    ["host: 127.example.com", true],
    ["host: localhost.example", true],
    ["host: 10.0.0.8", true],
    ['url: "postgres://localhost/x"', false],
    ['url: "postgres://db.example/x"', true],
  ])("with `%s` are reached encrypted unless that is this machine: %s", async (where, tls) => {
    const text = `version: 1\ndatabases: { a: { type: postgres, ${where} } }\n`;
    const { databases } = await parseFiles({ "p.yaml": text });
    expect(databases.get("a")?.connection).toMatchObject({ tls });
  });

  test("are servers of four tools, of which those that read rows bring in at most the worst of them (A5)", async () => {
    const { policy } = await load();
    const tool = (name: string) => policy.tools.get(`mcp__crm__${name}`);
    const worst = label("confidential", ["hr"]);
    expect(tool("query")).toMatchObject({
      permissions: ["read"],
      source: worst,
      sourceBound: "most",
      clearances: null,
      approval: { when: 'args.sql.contains("staff")' },
      tags: ["sql"],
    });
    expect(tool("get_row")).toMatchObject({
      source: worst,
      sourceBound: "most",
      approval: "always",
      onViolation: "ask",
    });
    for (const name of ["list_tables", "describe_table"]) {
      expect(tool(name)).toMatchObject({
        permissions: ["read"],
        source: label("public"),
        sourceBound: "least",
        clearances: null,
        approval: "never",
      });
    }
    expect(policy.roles.get("clerk")?.removed.has("mcp__crm__query")).toBe(false);
  });
});

test("whatever a database declares counts in what a query of it brings in at most", async () => {
  const text = `version: 1
categories: { hr: {}, law: {} }
databases: { a: { type: sqlite, path: a.db, columns: { t.c: { categories: [law] } }, aggregates: { max: secret }, catalog: { categories: [hr] } } }
`;
  const { policy } = await parseFiles({ "p.yaml": text });
  expect(policy.tools.get("mcp__a__query")?.source).toEqual(label("secret", ["hr", "law"]));
});

describe("the APIs of a policy", () => {
  test("say where each is and which operations it offers, in the document's order (A5)", async () => {
    const { apis } = await load();
    expect(apis.get("tickets")).toMatchObject({
      id: "tickets",
      document: { openapi: "3.0.3" },
      baseUrl: "https://tickets.example/v1",
      headers: { authorization: "Bearer t0ken" },
      query: { key: "t0ken" },
      allowPrivate: true,
      operations: [
        {
          name: "listTickets",
          method: "get",
          path: "/tickets",
          label: label("internal", ["hr"], "untrusted"),
          fields: null,
        },
        {
          name: "createTicket",
          method: "post",
          path: "/tickets",
          label: label("secret", ["hr"], "untrusted"),
          fields: null,
        },
        {
          name: "getTicket",
          method: "get",
          path: "/tickets/{id}",
          label: label("public", [], "untrusted"),
          fields: ["id", "items[].id"],
        },
      ],
      limits: { bytes: 4_194_304, seconds: 5 },
    });
    expect(apis.get("near")).toMatchObject({
      baseUrl: "http://[::1]:9200",
      allowPrivate: true,
      limits: { seconds: 30 },
    });
  });

  test.each([
    ["https://api.example", false],
    ["http://localhost:9200/v1", true],
    ["http://localhost.example", false],
    ["http://127.0.0.1", true],
    ["http://10.0.0.8/", true],
    ["http://0x7f.1", true],
    ["http://127.0.0.1.example", false],
  ])("at %s may lie in a private network unless it is a name that says otherwise: %s", async (address, may) => {
    const text = `version: 1\napis: { t: { spec: t.json, base_url: "${address}" } }\n`;
    const { apis } = await parseFiles({ "p.yaml": text, "t.json": TICKETS_JSON });
    expect(apis.get("t")?.allowPrivate).toBe(may);
  });

  test("are servers whose operations do what their methods say, and may be sent what the API holds (A5)", async () => {
    const { policy } = await load();
    const tool = (name: string) => policy.tools.get(`mcp__tickets__${name}`);
    expect(tool("listTickets")).toMatchObject({
      permissions: ["read", "connect"],
      source: label("internal", ["hr"], "untrusted"),
      sourceBound: "least",
      clearances: [label("internal", ["hr"], "untrusted")],
    });
    expect(tool("getTicket")).toMatchObject({
      permissions: ["read", "connect"],
      source: label("public", [], "untrusted"),
      clearances: [label("internal", ["hr"], "untrusted")],
    });
    expect(tool("createTicket")).toMatchObject({
      permissions: ["write"],
      source: label("secret", ["hr"], "untrusted"),
      clearances: [label("public", [], "untrusted")],
      tags: ["x"],
      onViolation: "ask",
    });
    expect(tool("delete_tickets_by_id")).toBeUndefined();
    const near = policy.tools.get("mcp__near__delete_tickets_by_id");
    expect(near).toMatchObject({
      permissions: ["read", "write", "connect"],
      clearances: [label("public", [], "untrusted")],
    });
  });

  test("can go on being read after what they answered, though an operation is above the rest", async () => {
    const text = `version: 1
apis:
  t: { spec: t.json, base_url: "http://x", sensitivity: internal, trust: trusted, operations: { getTicket: { sensitivity: secret, trust: untrusted } } }
`;
    const { policy } = await parseFiles({ "p.yaml": text, "t.json": TICKETS_JSON });
    expect(policy.tools.get("mcp__t__getTicket")).toMatchObject({
      source: label("secret", [], "untrusted"),
      clearances: [label("secret", [], "untrusted")],
    });
    expect(policy.tools.get("mcp__t__listTickets")?.clearances).toEqual([label("internal")]);
  });
});

describe("what a policy says of detectors", () => {
  test("is a label for each, and how much is looked at", async () => {
    const { detectors } = await load();
    expect(detectors).toEqual({
      secrets: label("secret"),
      personalData: label("confidential", ["hr"]),
      limits: { bytes: 2048, milliseconds: 500 },
    });
  });

  test("is nothing where it says nothing", async () => {
    const { detectors, databases, apis } = await parseFiles({ "p.yaml": "version: 1\n" });
    expect(detectors).toBeNull();
    expect(databases.size + apis.size).toBe(0);
    const empty = await parseFiles({ "p.yaml": "version: 1\ndetectors: {}\n" });
    expect(empty.detectors).toEqual({
      secrets: null,
      personalData: null,
      limits: { bytes: 1_048_576, milliseconds: 500 },
    });
  });

  test("can't be changed by who has it", async () => {
    const { databases, apis, detectors } = await load();
    const crm = databases.get("crm");
    const tickets = apis.get("tickets");
    const parts = [crm, crm?.connection, crm?.limits, tickets, tickets?.headers, tickets?.operations];
    for (const part of [...parts, tickets?.operations[0], detectors, detectors?.limits]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});
