import { DatabaseSync } from "node:sqlite";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { createCrmServer } from "./crm-tools.ts";
import { fenceDatabase } from "./fence-database.ts";

const database = new DatabaseSync(":memory:");
database.exec(
  "CREATE TABLE customers (id INTEGER, name TEXT); CREATE VIEW names AS SELECT name FROM customers",
);
fenceDatabase(database);
const [forClient, forServer] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: "test", version: "1" });
await createCrmServer(database).connect(forServer);
await client.connect(forClient);
afterAll(() => client.close());

const textOf = async (name: string, input: Record<string, unknown>): Promise<string> =>
  JSON.stringify((await client.callTool({ name, arguments: input })).content);

describe("the customer database", () => {
  it("runs every statement and answers with the rows of the last", async () => {
    const sql =
      "INSERT INTO customers VALUES (1, 'Ada; -- b'); /* both */ SELECT name FROM customers; -- done";
    expect(await textOf("execute_sql", { sql })).toContain("Ada; -- b");
  });

  it.each([
    ["SELEC 1", /syntax error/],
    ["ATTACH 'other.db' AS other", /not authorized/],
    [" ; -- nothing", /no SQL/],
  ])("says why it did not run %j", async (sql, why) => {
    expect(await textOf("execute_sql", { sql })).toMatch(why);
  });

  it("finds tables, views and columns", async () => {
    expect(await textOf("search_objects", { object_type: "table" })).toContain("customers");
    expect(await textOf("search_objects", { object_type: "view" })).toContain("names");
    expect(await textOf("search_objects", { object_type: "column", pattern: "i%" })).toContain("INTEGER");
  });
});
