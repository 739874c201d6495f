/** Databases behind a whole gate, as a policy declares them. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { loadConfig } from "../../policy-file/index.ts";
import {
  createGate,
  examineCalls,
  type Gate,
  type Session,
  type ToolProvider,
  type ToolResult,
} from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { createDatabaseProvider } from "./index.ts";
import { makeShop } from "./sqlite/reading.test-kit.ts";

const files = temporaryFolder();
const POLICY = `
version: 1
databases:
  open: { type: sqlite, path: shop.db }
  shop:
    type: sqlite
    path: shop.db
    sensitivity: confidential
    catalog: public
    columns:
      "orders.status": public
      "Customers.NAME": internal
      "customers.notes": secret
      "tags.*": public
    aggregates: { count: internal }
    limits: { rows: 50, seconds: 3 }
  closed: { type: sqlite, path: shop.db, sensitivity: confidential }
  wrong: { type: sqlite, path: shop.db, columns: { "orders.stauts": secret } }
  missing: { type: sqlite, path: none.db }
  moved: { type: sqlite, path: moved.db, sensitivity: public, columns: { "customers.salary": secret } }
`;

let gate: Gate;
let providers: readonly ToolProvider[] = [];

beforeAll(async () => {
  const path = files.path("shop.db");
  const file = join(dirname(path), "sluicegate.yaml");
  makeShop(join(dirname(path), "shop.db"));
  makeShop(join(dirname(path), "moved.db"));
  writeFileSync(file, POLICY);
  const { policy, databases } = await loadConfig(file);
  providers = [...databases.values()].map((database) =>
    createDatabaseProvider({ ...database, lattice: policy.lattice }),
  );
  await Promise.all(providers.map(({ settled }) => settled));
  const facts = examineCalls(providers);
  gate = createGate({ policy, store: createMemoryStore(), facts });
});

afterAll(async () => {
  for (const provider of providers) await provider.close();
});

/** Calls a tool in a session, and tells the session's level at the moment when the tool runs. */
async function call(session: Session, name: string, args: Record<string, unknown>) {
  const [server = "", tool = ""] = name.split(".");
  const provider = providers.find(({ id }) => id === server);
  let before = "not run";
  const outcome = await session.call(
    { tool: `mcp__${server}__${tool}`, arguments: args },
    (own, { examined }) => {
      before = session.label.level;
      if (provider === undefined) throw new Error(`No provider for ${server}.`);
      return provider.run(tool, own, examined === null ? {} : { examined });
    },
  );
  const result: ToolResult = outcome.effect === "allow" ? outcome.result : { content: [] };
  const text = String(result.content[0]?.text ?? "");
  return {
    effect: outcome.effect,
    before,
    after: session.label.level,
    isError: result.isError ?? false,
    text,
    data: result.structuredContent,
  };
}

const query = async (server: string, sql: string, more: Record<string, unknown> = {}) =>
  call(await gate.open(), `${server}.query`, { sql, ...more });

describe("a database behind a gate", () => {
  it("leaves a session clean where it is public (X11-sqlite)", async () => {
    const { after, data } = await query("open", "SELECT * FROM tags");
    expect(after).toBe("public");
    expect(data).toEqual({
      columns: ["name", "weight"],
      rows: [
        ["a", 1],
        ["b", 2],
      ],
      row_count: 2,
      offset: 0,
    });
  });

  it("raises a session before the first row comes (A6)", async () => {
    const { before, after } = await query("closed", "SELECT * FROM tags");
    expect([before, after]).toEqual(["confidential", "confidential"]);
  });

  it.each<[string, string]>([
    ["SELECT status FROM orders", "public"],
    ["SELECT DISTINCT status FROM orders ORDER BY status LIMIT 1", "public"],
    ["SELECT o.status FROM orders o JOIN tags t ON t.name = o.status", "public"],
    ["WITH x AS (SELECT * FROM orders) SELECT status FROM x", "public"],
    ["SELECT name FROM people", "internal"],
    ["SELECT name FROM customers", "internal"],
    ["SELECT name FROM customers WHERE notes LIKE '%n%'", "secret"],
    ["SELECT status FROM orders WHERE total > 5", "confidential"],
    ["SELECT status FROM orders ORDER BY total", "confidential"],
    ["SELECT count(*) FROM orders", "internal"],
    ["SELECT 1 FROM orders", "public"],
    ["SELECT count(notes) FROM customers", "internal"],
    ["SELECT max(notes) FROM customers", "secret"],
    ["SELECT 1 FROM log", "confidential"],
    ["SELECT 1 FROM customers NATURAL JOIN tags", "internal"],
    ["SELECT title FROM pages", "secret"],
    ["SELECT name FROM sqlite_schema", "public"],
    ["SELECT 1", "public"],
  ])("labels %s by what it reads: %s (X11-sqlite, A6)", async (sql, level) => {
    const { before, after, isError } = await query("shop", sql);
    expect([before, after, isError]).toEqual([level, level, false]);
  });

  it("covers the text of an error too (A6)", async () => {
    const failed = await query("shop", "SELECT json_extract(notes, '$') FROM customers");
    expect([failed.before, failed.isError]).toEqual(["secret", true]);
    expect(failed.text).toBe(
      "The query failed while it ran. SQLite says: malformed JSON. Change the query so that it avoids this.",
    );
  });

  it("tells what is wrong with a statement, and runs nothing (X11-sqlite)", async () => {
    const wrong = await query("shop", "SELECT nosuch FROM orders");
    expect(wrong).toMatchObject({ effect: "allow", after: "public", isError: true });
    expect(wrong.text).toContain("SQLite says: no such column: nosuch.");
    // There the names themselves are confidential.
    expect(await query("closed", "SELECT nosuch FROM orders")).toMatchObject({ after: "confidential" });
    expect(await query("closed", "DELETE FROM orders")).toMatchObject({ after: "public", isError: true });
    expect(await query("closed", "SELECT 1", { rows: 5 })).toMatchObject({ after: "public", isError: true });
  });

  it("gives a page, and where the next one starts (X11-sqlite)", async () => {
    const numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n";
    expect((await query("shop", numbers, { limit: 2 })).data).toMatchObject({
      rows: [[1], [2]],
      next_offset: 2,
    });
    const last = (await query("shop", numbers, { limit: 2, offset: 4 })).data;
    expect(last).toEqual({ columns: ["i"], rows: [[5]], row_count: 1, offset: 4 });
    expect(await query("shop", numbers, { limit: 51 })).toMatchObject({ isError: true });
  });

  it("takes values by place and by name (X11-sqlite)", async () => {
    const byPlace = await query("shop", "SELECT weight FROM tags WHERE name = ?", { parameters: ["b"] });
    const byName = await query("shop", "SELECT name FROM tags WHERE weight = :w", { parameters: { w: 1 } });
    expect([byPlace.data?.rows, byName.data?.rows]).toEqual([[[2]], [["a"]]]);
    const hostile = await query("shop", "SELECT ?", { parameters: ["'; DROP TABLE orders"] });
    expect(hostile.data?.rows).toEqual([["'; DROP TABLE orders"]]);
  });

  it("cuts long values, and says so (A6)", async () => {
    const { data } = await query("open", "SELECT printf('%.*c', 9000, 'x') AS x, x'00ff' AS y");
    expect(data).toMatchObject({ cut: [{ row: 0, column: "x", bytes: 9000 }] });
    expect(data?.rows).toEqual([["x".repeat(8192), { bytes: 2, preview_hex: "00ff" }]]);
  });

  it("ends an endless query, and answers the next one (X11-sqlite)", async () => {
    const session = await gate.open();
    const sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    const late = await call(session, "shop.query", { sql });
    expect([late.isError, late.text]).toEqual([
      true,
      expect.stringContaining("It took longer than 3 seconds."),
    ]);
    expect((await call(session, "shop.query", { sql: "SELECT 2" })).data?.rows).toEqual([[2]]);
  });

  it("gives one row by its key (A6)", async () => {
    const row = await call(await gate.open(), "shop.get_row", { table: "customers", id: 2 });
    expect([row.before, row.data]).toEqual([
      "secret",
      { table: "customers", row: { id: 2, name: "Bo", email: "bo@x", salary: 80, notes: null } },
    ]);
    const tag = await call(await gate.open(), "shop.get_row", { table: "TAGS", id: "b" });
    expect([tag.after, tag.data?.row]).toEqual(["public", { name: "b", weight: 2 }]);
    const none = await call(await gate.open(), "shop.get_row", { table: "tags", id: "zz" });
    expect(none.data).toEqual({ table: "tags", row: null });
    const keyless = await call(await gate.open(), "shop.get_row", { table: "log", id: 1 });
    expect(keyless).toMatchObject({ after: "public", isError: true });
    expect(keyless.text).toContain("`log` has no primary key of one column.");
    const hostile = await call(await gate.open(), "shop.get_row", { table: 'tags" --', id: 1 });
    expect(hostile.text).toContain("There is no table or view of that name.");
  });

  it("lists tables with their sensitivity, and reads no row (A6)", async () => {
    const { after, data } = await call(await gate.open(), "shop.list_tables", {});
    expect(after).toBe("public");
    expect(data?.tables).toEqual([
      { name: "customers", kind: "table", sensitivity: "secret" },
      { name: "log", kind: "table", sensitivity: "confidential" },
      { name: "open_orders", kind: "view", sensitivity: "confidential" },
      { name: "order", kind: "table", sensitivity: "confidential" },
      { name: "orders", kind: "table", sensitivity: "confidential" },
      { name: "pages", kind: "virtual", sensitivity: "secret" },
      { name: "people", kind: "view", sensitivity: "confidential" },
      { name: "rich", kind: "view", sensitivity: "confidential" },
      { name: "tags", kind: "table", sensitivity: "public" },
    ]);
    expect((await call(await gate.open(), "closed.list_tables", {})).before).toBe("confidential");
  });

  it("describes a table and a view, each column with its sensitivity (A6)", async () => {
    const table = await call(await gate.open(), "shop.describe_table", { table: "customers" });
    expect(table.after).toBe("public");
    expect(table.data).toEqual({
      name: "customers",
      kind: "table",
      columns: [
        { name: "id", type: "INTEGER", nullable: true, primary_key: 1, sensitivity: "confidential" },
        { name: "name", type: "TEXT", nullable: true, sensitivity: "internal" },
        { name: "email", type: "TEXT", nullable: true, sensitivity: "confidential" },
        { name: "salary", type: "REAL", nullable: true, sensitivity: "confidential" },
        { name: "notes", type: "TEXT", nullable: true, sensitivity: "secret" },
      ],
    });
    const view = await call(await gate.open(), "shop.describe_table", { table: "people" });
    expect(view.data?.columns).toMatchObject([
      { name: "id", sensitivity: "confidential" },
      { name: "name", sensitivity: "internal" },
      { name: "salary", sensitivity: "confidential" },
    ]);
  });

  it("isn't opened where a label names a column that isn't there (X11-sqlite)", async () => {
    const wrong = providers.find(({ id }) => id === "wrong");
    expect([wrong?.status, wrong?.problem]).toEqual([
      "down",
      "The database has no such columns: `orders.stauts`. They are labelled in the policy under `columns`; correct them there.",
    ]);
    expect(await query("wrong", "SELECT 1")).toMatchObject({ effect: "deny", before: "not run" });
    expect(await query("missing", "SELECT 1")).toMatchObject({ effect: "deny", before: "not run" });
  });

  it("isn't asked any more while a labelled column has another name (X11-sqlite)", async () => {
    const rename = (from: string, to: string) => {
      const writer = new DatabaseSync(join(dirname(files.path("sluicegate.yaml")), "moved.db"));
      writer.exec(`ALTER TABLE customers RENAME COLUMN ${from} TO ${to}`);
      writer.close();
    };
    expect(await query("moved", "SELECT salary FROM customers")).toMatchObject({ after: "secret" });
    rename("salary", "pay");
    const renamed = await query("moved", "SELECT pay FROM customers");
    expect(renamed.text).toContain("Tables or columns that the policy labels are no longer in the database.");
    rename("pay", "salary");
    expect(await query("moved", "SELECT salary FROM customers")).toMatchObject({ after: "secret" });
  });

  it("runs nothing that wasn't examined (A6)", async () => {
    const [open] = providers;
    const run = open?.run("query", { sql: "SELECT 1" }, {});
    await expect(run).rejects.toMatchObject({ code: "upstream-unavailable" });
    const forged = open?.run(
      "query",
      { sql: "SELECT 1" },
      { examined: { asks: [], targets: [], checked: {} } },
    );
    await expect(forged).rejects.toMatchObject({ code: "upstream-unavailable" });
  });
});
