/** A shop as a SQLite file, and what its queries read, as short texts. */
import { DatabaseSync } from "node:sqlite";
import type { SqlParameters, SqlReading } from "../sql-engine.ts";
import type { DatabaseReader } from "./database-reader.ts";

/** The keys of `orders` and `customers` are numbers; `tags` is stored by its key; `log` has none. */
const SHOP = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT COLLATE NOCASE, salary REAL, notes TEXT);
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), status TEXT, total REAL,
    net AS (total / 1.2), label TEXT AS (status || ' ' || net) STORED
  );
  CREATE TABLE tags (name TEXT PRIMARY KEY, weight INTEGER) WITHOUT ROWID;
  CREATE TABLE log (at TEXT, text TEXT);
  CREATE TABLE "order" ("select" TEXT, "Group By" TEXT, "a""b" TEXT);
  CREATE INDEX orders_by_customer ON orders (customer_id);
  CREATE INDEX customers_by_mail ON customers (lower(email)) WHERE notes IS NOT NULL;
  CREATE VIEW people AS SELECT id, name, salary FROM customers;
  CREATE VIEW open_orders (number, who, amount) AS
    SELECT o.id, p.name, o.total FROM orders o JOIN people p ON p.id = o.customer_id WHERE o.status = 'open';
  CREATE VIEW rich AS SELECT name FROM customers WHERE salary > 100;
  CREATE VIRTUAL TABLE pages USING fts5(title, body);
  INSERT INTO customers VALUES (1, 'Ada', 'ada@x', 120, 'n'), (2, 'Bo', 'bo@x', 80, NULL);
  INSERT INTO orders (id, customer_id, status, total) VALUES (1, 2, 'open', 12), (2, 1, 'shut', 24);
  INSERT INTO tags VALUES ('a', 1), ('b', 2);
  INSERT INTO log VALUES ('1', 'x');
  INSERT INTO pages VALUES ('hello', 'world');
`;

export function makeShop(path: string, more = ""): void {
  const database = new DatabaseSync(path);
  database.exec(SHOP);
  database.exec(more);
  database.close();
}

/** What the last way reads, which is the one that reads the least: `orders.status`, `#orders`, `count(orders.total)`. */
export function readingOf(reader: DatabaseReader, sql: string, parameters: SqlParameters = []): string {
  const found = reader.examine({ sql, parameters });
  if (found.kind === "refused") return `refused: ${found.why}`;
  const reading = found.ways.at(-1)?.reading;
  return reading === undefined ? "" : describeReading(reading);
}

function describeReading({ columns, tables, aggregated, catalog, unresolved }: SqlReading): string {
  const name = ({ table, column }: { table: string; column: string }): string => `${table}.${column}`;
  const parts = [
    ...columns.map(name),
    ...tables.map(({ table }) => `#${table}`),
    ...aggregated.map(
      ({ function: called, columns, tables }) =>
        `${called}(${[...columns.map(name), ...tables.map(({ table }) => `#${table}`)].join(" ")})`,
    ),
    ...(catalog ? ["catalog"] : []),
    ...(unresolved === null ? [] : ["unresolved"]),
  ];
  return parts.sort().join(", ");
}
