/** A database whose columns have labels, without a gateway. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDatabaseProvider } from "sluicegate/connectors";
import { createLabel, createLattice } from "sluicegate/core";

const folder = mkdtempSync(join(tmpdir(), "sluicegate-example-"));
const path = join(folder, "crm.db");
const file = new DatabaseSync(path);
file.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, total REAL)");
file.exec("INSERT INTO orders (status, total) VALUES ('open', 12.5), ('shut', 80)");
file.close();

const lattice = createLattice();
const level = (name: string) => createLabel(name, [], "trusted");

const crm = createDatabaseProvider({
  id: "crm",
  connection: { type: "sqlite", path },
  label: level("confidential"),
  catalog: level("public"),
  columns: new Map([["orders.status", level("public")]]),
  aggregates: new Map(),
  limits: { rows: 1000, bytes: 1_048_576, seconds: 10 },
  lattice,
});
await crm.settled;

const sql = "SELECT status, count(*) FROM orders GROUP BY status";
const examined = await crm.examine?.("query", { sql });
assert.equal(examined?.source?.level, "public"); // found before it runs

const result = await crm.run("query", { sql }, { ...(examined && { examined }) });
assert.deepEqual(result.structuredContent?.rows, [
  ["open", 1],
  ["shut", 1],
]);

const wide = await crm.examine?.("query", { sql: "SELECT status FROM orders ORDER BY total" });
assert.equal(wide?.source?.level, "confidential");

await crm.close();
rmSync(folder, { recursive: true });
console.log("ok");
