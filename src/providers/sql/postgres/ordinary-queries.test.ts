/** What people ask of a shop, with the label that each question deserves: no more, with the keys that a policy has. */

import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { asReader } from "../../../../test/fixtures/postgres-reader.ts";
import { temporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { createLattice } from "../../../core/index.ts";
import type { ToolProvider } from "../../../runtime/index.ts";
import { createDatabaseProvider } from "../index.ts";

const TABLES = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT, salary INTEGER);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), status TEXT, placed DATE,
    total NUMERIC, note TEXT);
  CREATE TABLE items (order_id INTEGER, line INTEGER, product TEXT, quantity INTEGER, price NUMERIC,
    PRIMARY KEY (order_id, line));
  CREATE INDEX orders_by_customer ON orders (customer_id);
  CREATE INDEX orders_by_status ON orders (status, placed);
  CREATE INDEX customers_by_salary ON customers (salary, name);
  CREATE VIEW open_orders AS SELECT o.id, o.placed, o.total, c.city, c.name
    FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status = 'open';
  INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com', 'Oslo', 100), (2, 'Bo', 'bo@example.com', 'Rome', 90);
  INSERT INTO orders VALUES (1, 1, 'open', '2026-01-01', 10, 'x'), (2, 2, 'done', '2026-02-01', 20, 'y');
  INSERT INTO items VALUES (1, 1, 'tea', 2, 5), (2, 1, 'jam', 1, 20);`;

const PUBLIC = [
  ...["customers.id", "customers.city", "orders.id", "orders.customer_id", "orders.status", "orders.placed"],
  ...["orders.total", "items.*"],
];

const QUESTIONS: readonly (readonly [level: string, sql: string])[] = [
  ["public", "SELECT 1"],
  ["public", "SELECT count(*) FROM orders"],
  ["public", "SELECT count(*) FROM customers"],
  ["public", "SELECT status, count(*) FROM orders GROUP BY status"],
  ["public", "SELECT status, count(*) AS n FROM orders GROUP BY status ORDER BY n DESC"],
  ["public", "SELECT city, count(*) FROM customers GROUP BY city HAVING count(*) > 1"],
  ["public", "SELECT id, status, total FROM orders ORDER BY placed DESC LIMIT 5"],
  ["public", "SELECT id, total FROM orders WHERE status = 'open'"],
  ["public", "SELECT id FROM orders WHERE placed >= '2026-01-15'"],
  ["public", "SELECT DISTINCT city FROM customers"],
  ["public", "SELECT sum(total), avg(total), max(total) FROM orders"],
  ["public", "SELECT max(placed) FROM orders WHERE status = 'done'"],
  [
    "public",
    "SELECT c.city, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.city",
  ],
  ["public", "SELECT o.id, i.product, i.quantity FROM orders o JOIN items i ON i.order_id = o.id"],
  [
    "public",
    "SELECT product, sum(quantity * price) AS earned FROM items GROUP BY product ORDER BY earned DESC LIMIT 3",
  ],
  ["public", "SELECT o.id FROM orders o LEFT JOIN items i ON i.order_id = o.id WHERE i.order_id IS NULL"],
  ["public", "SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE city = 'Oslo')"],
  ["public", "SELECT city FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)"],
  ["public", "SELECT id, (SELECT count(*) FROM items i WHERE i.order_id = o.id) FROM orders o"],
  ["public", "SELECT id, rank() OVER (ORDER BY total DESC) FROM orders"],
  ["public", "SELECT id, row_number() OVER (PARTITION BY status ORDER BY placed, id) FROM orders"],
  ["public", "SELECT id, sum(total) OVER (ORDER BY placed) FROM orders"],
  ["public", "SELECT id, CASE WHEN total > 15 THEN 'large' ELSE 'small' END AS size FROM orders"],
  ["public", "SELECT s.status FROM (SELECT status, total FROM orders) s"],
  ["public", "SELECT s.status FROM (SELECT *, 1 FROM orders) s"],
  ["public", "WITH big AS (SELECT * FROM orders WHERE total > 15) SELECT id, total FROM big"],
  [
    "public",
    "WITH t AS (SELECT customer_id, sum(total) AS spent FROM orders GROUP BY 1) SELECT max(spent) FROM t",
  ],
  ["public", "SELECT id, total, city FROM open_orders"],
  ["public", "SELECT city, sum(total) FROM open_orders GROUP BY city"],
  ["public", "SELECT * FROM items"],
  ["public", "SELECT * FROM items ORDER BY order_id, line LIMIT 10"],
  ["public", "SELECT product FROM items UNION SELECT city FROM customers"],
  ["public", "SELECT id FROM orders EXCEPT SELECT order_id FROM items"],
  ["public", "SELECT upper(city), length(city) FROM customers"],
  ["public", "SELECT coalesce(status, 'none') FROM orders WHERE id BETWEEN 1 AND 2"],
  ["public", "SELECT count(salary) FROM customers"],
  ["public", "SELECT city, count(email) FROM customers GROUP BY city"],
  ["public", "SELECT min(placed), max(placed), count(DISTINCT status) FROM orders"],
  ["public", "SELECT product FROM items WHERE product LIKE 't%' LIMIT 5"],
  ["public", "SELECT o.status, i.product FROM orders o, items i WHERE i.order_id = o.id AND i.price > 4"],
  ["confidential", "SELECT name FROM customers"],
  ["confidential", "SELECT * FROM orders"],
  ["confidential", "SELECT city FROM customers WHERE salary > 95"],
  ["confidential", "SELECT id FROM customers ORDER BY salary"],
  ["confidential", "SELECT avg(salary) FROM customers"],
  ["confidential", "SELECT name FROM open_orders"],
  ["confidential", "SELECT c.city FROM customers c JOIN orders o ON o.note = c.name"],
];

const files = temporaryFolder();
const providers = new Map<string, ToolProvider>();
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
  await server.execute(
    `${TABLES} CREATE ROLE reader LOGIN PASSWORD 'reads-only'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`,
  );
  const path = files.path("shop.db");
  const database = new DatabaseSync(path);
  database.exec(TABLES);
  database.close();
  const labelOf = (level: string) => ({ level, categories: [], trust: "trusted" });
  for (const connection of [
    { type: "sqlite", path } as const,
    { type: "postgres", ...asReader(server) } as const,
  ]) {
    const provider = createDatabaseProvider({
      id: "shop",
      connection,
      lattice: createLattice({ levels: ["public", "confidential"] }),
      label: labelOf("confidential"),
      catalog: labelOf("public"),
      columns: new Map(PUBLIC.map((name) => [name, labelOf("public")])),
      aggregates: new Map([["count", labelOf("public")]]),
      limits: { rows: 100, bytes: 1_000_000, seconds: 10 },
    });
    await provider.settled;
    providers.set(connection.type, provider);
  }
});

afterAll(async () => {
  for (const provider of providers.values()) await provider.close();
  await server?.stop();
});

it.each([
  "sqlite",
  "postgres",
])("gives ordinary questions the label that they deserve: %s (X11-call)", async (engine) => {
  const provider = providers.get(engine);
  const found: [string, string][] = [];
  for (const [, sql] of QUESTIONS) {
    const examined = await provider?.examine?.("query", { sql });
    const result = await provider?.run("query", { sql }, examined ? { examined } : {});
    found.push([
      result?.isError ? `error ${JSON.stringify(result.content)}` : (examined?.source?.level ?? ""),
      sql,
    ]);
  }
  expect(found).toEqual(QUESTIONS.map((one) => [...one]));
  expect(QUESTIONS.length).toBeGreaterThan(40);
});
