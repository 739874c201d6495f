import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { DatabaseReader } from "./database-reader.ts";
import { makeShop, readingOf } from "./reading.test-kit.ts";

const files = temporaryFolder();
const path = files.path("shop.db");
makeShop(path);
const reader = new DatabaseReader(path);
afterAll(() => reader.close());

/** A query, and what it reads at least; then what it is said to read besides, where that is more. */
type Case = readonly [sql: string, reads: string, besides?: string];

const CASES: readonly Case[] = [
  // Plain
  ["SELECT 1", ""],
  ["VALUES (1, 'a'), (2, 'b')", ""],
  ["SELECT status FROM orders", "orders.status"],
  ["SELECT o.status AS s FROM orders AS o", "orders.status"],
  ["select STATUS from Orders", "orders.status"],
  ['SELECT "status" FROM [orders]', "orders.status"],
  ["SELECT `status` FROM 'orders'", "orders.status"],
  ['SELECT "select", "Group By", "a""b" FROM "order"', 'order.Group By, order.a"b, order.select'],
  ["SELECT status /* salary */ FROM orders -- salary", "orders.status"],
  ["SELECT 'salary' FROM orders", "#orders"],
  ["SELECT * FROM tags", "tags.name, tags.weight"],
  ["SELECT t.* FROM tags t, log", "#log, tags.name, tags.weight"],
  ["SELECT status FROM orders;", "orders.status"],
  ["SELECT status FROM main.orders", "orders.status", "orders.id"],
  // Columns that don't show
  ["SELECT status FROM orders WHERE total > 5", "orders.status, orders.total"],
  ["SELECT status FROM orders ORDER BY total", "orders.status, orders.total"],
  ["SELECT status FROM orders ORDER BY 1 LIMIT 1", "orders.status"],
  ["SELECT status FROM orders LIMIT 1", "orders.status"],
  ["SELECT status FROM orders LIMIT (SELECT max(weight) FROM tags)", "orders.status, tags.weight"],
  ["SELECT status, count(*) FROM orders GROUP BY status", "orders.status"],
  ["SELECT status FROM orders GROUP BY status HAVING sum(total) > 5", "orders.status, orders.total"],
  ["SELECT DISTINCT status FROM orders", "orders.status"],
  ["SELECT 1 FROM orders WHERE id = 1", "orders.id"],
  ["SELECT CASE WHEN total > 5 THEN 'much' ELSE 'little' END FROM orders", "orders.total"],
  ["SELECT status FROM orders WHERE id IN (1, 2)", "orders.id, orders.status"],
  ["SELECT status IS NULL, typeof(total) FROM orders", "orders.status, orders.total"],
  // Joins
  [
    "SELECT o.status FROM orders o JOIN customers c ON c.id = o.customer_id",
    "customers.id, orders.customer_id, orders.status",
  ],
  [
    "SELECT status, weight FROM orders LEFT JOIN tags ON status = name",
    "orders.status, tags.name, tags.weight",
  ],
  ["SELECT 1 FROM customers JOIN tags USING (name)", "customers.name, tags.name"],
  ["SELECT 1 FROM customers NATURAL JOIN tags", "customers.name, tags.name"],
  ["SELECT name FROM people NATURAL LEFT JOIN tags", "customers.name, tags.name"],
  ["SELECT weight FROM customers NATURAL FULL JOIN tags", "customers.name, tags.name, tags.weight"],
  ["SELECT 1 FROM tags NATURAL JOIN tags AS other", "tags.name, tags.weight"],
  ["SELECT count(*) FROM customers JOIN tags USING (name)", "customers.name, tags.name"],
  ["SELECT a.status FROM orders a, orders b WHERE a.total < b.total", "orders.status, orders.total"],
  ["SELECT text FROM log NATURAL JOIN (SELECT 'x' AS text)", "log.text"],
  // Views
  ["SELECT name FROM people", "customers.name"],
  ["SELECT * FROM people", "customers.id, customers.name, customers.salary"],
  ["SELECT who FROM open_orders", "customers.id, customers.name, orders.customer_id, orders.status"],
  ["SELECT amount FROM open_orders", "customers.id, orders.customer_id, orders.status, orders.total"],
  ["SELECT name FROM rich", "customers.name, customers.salary"],
  ["SELECT count(*) FROM rich", "customers.salary"],
  // Subqueries and common tables
  ["SELECT status FROM (SELECT * FROM orders)", "orders.status"],
  [
    "SELECT (SELECT name FROM customers c WHERE c.id = o.customer_id) FROM orders o",
    "customers.id, customers.name, orders.customer_id",
  ],
  ["SELECT status FROM orders WHERE EXISTS (SELECT * FROM tags)", "#tags, orders.status"],
  [
    "SELECT status FROM orders o WHERE EXISTS (SELECT 1 FROM tags WHERE weight = o.id)",
    "orders.id, orders.status, tags.weight",
  ],
  ["SELECT 'Ada' IN (SELECT name FROM customers)", "customers.name"],
  ["SELECT ('a', 1) IN tags", "tags.name, tags.weight"],
  ["WITH o AS (SELECT * FROM orders) SELECT status FROM o", "orders.status"],
  [
    "WITH o(x, y) AS MATERIALIZED (SELECT status, total FROM orders) SELECT x FROM o",
    "orders.status",
    "orders.total",
  ],
  ["WITH orders AS (SELECT 'mine' AS status) SELECT status FROM orders", ""],
  ["WITH a AS (SELECT status s FROM orders), b AS (SELECT s FROM a) SELECT * FROM b", "orders.status"],
  ["WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n", ""],
  [
    "WITH RECURSIVE up(id) AS (SELECT 1 UNION SELECT customer_id FROM orders JOIN up USING (id)) SELECT count(*) FROM up",
    "orders.customer_id, orders.id",
  ],
  [
    "SELECT a.s, b.s FROM (SELECT status s, total FROM orders) a JOIN (SELECT name s FROM tags) b",
    "orders.status, tags.name",
  ],
  // Set operations
  ["SELECT status FROM orders UNION SELECT name FROM tags", "orders.status, tags.name"],
  ["SELECT status FROM orders UNION ALL SELECT email FROM customers", "customers.email, orders.status"],
  ["SELECT status FROM orders INTERSECT SELECT name FROM tags", "orders.status, tags.name"],
  [
    "SELECT status FROM orders EXCEPT SELECT notes FROM customers ORDER BY 1",
    "customers.notes, orders.status",
  ],
  // Windows
  ["SELECT row_number() OVER (ORDER BY total) FROM orders", "orders.total"],
  [
    "SELECT status, rank() OVER w FROM orders WINDOW w AS (PARTITION BY customer_id)",
    "orders.customer_id, orders.status",
  ],
  ["SELECT sum(weight) OVER (ORDER BY name ROWS 1 PRECEDING) FROM tags", "tags.name, tags.weight"],
  // Functions and JSON
  ["SELECT notes ->> '$.a' FROM customers", "customers.notes"],
  ["SELECT value FROM customers, json_each(customers.notes)", "customers.notes"],
  ["SELECT value FROM json_each('[1, 2]')", ""],
  ["SELECT json_group_array(status) FROM orders", "orders.status"],
  ["SELECT lower(email) FROM customers WHERE notes IS NOT NULL", "customers.email, customers.notes"],
  ["SELECT coalesce(notes, email) FROM customers", "customers.email, customers.notes"],
  // Generated columns
  ["SELECT net FROM orders", "orders.net, orders.total"],
  ["SELECT label FROM orders", "orders.label, orders.net, orders.status, orders.total"],
  // Numbers of rows
  ["SELECT rowid FROM orders", "orders.id", "orders.customer_id"],
  ["SELECT oid, _rowid_ FROM customers", "customers.id"],
  ["SELECT rowid FROM log", "log.at, log.text"],
  // Aggregates
  ["SELECT count(*) FROM orders", "count(#orders)"],
  ["SELECT count(*), 1 FROM orders", "#orders"],
  ["SELECT count(*) FROM orders, tags", "count(#orders #tags)"],
  ["SELECT count(salary) FROM customers", "count(customers.salary #customers)"],
  ["SELECT avg(c.salary) AS mean FROM customers c", "avg(customers.salary #customers)"],
  // Whether values are equal is more than a count of them.
  ["SELECT count(DISTINCT salary) FROM customers", "customers.salary"],
  ["SELECT avg(DISTINCT c.salary) AS mean FROM customers c", "customers.salary"],
  ["SELECT name, count(DISTINCT salary) FROM customers GROUP BY name", "customers.name, customers.salary"],
  ["SELECT name, count(salary) FROM customers GROUP BY name", "count(customers.salary), customers.name"],
  ["SELECT count(salary) FROM customers WHERE salary > 5", "customers.salary"],
  ["SELECT id, count(net) FROM orders GROUP BY id", "orders.id, orders.net, orders.total"],
  ["SELECT name, max(salary) FROM customers", "customers.name, customers.salary"],
  ["SELECT sum(salary + 1) FROM customers", "customers.salary"],
  ["SELECT count(salary) FILTER (WHERE name > 'B') FROM customers", "customers.name, customers.salary"],
  ["SELECT x FROM (SELECT count(salary) AS x FROM customers)", "customers.salary"],
  // The catalogue, and what is no ordinary table
  ["SELECT type, name, tbl_name FROM sqlite_schema", "catalog"],
  ["SELECT sql FROM sqlite_schema", "catalog, unresolved"],
  ["SELECT name FROM sqlite_master WHERE sql LIKE '%x%'", "catalog, unresolved"],
  ["SELECT * FROM (SELECT * FROM sqlite_schema)", "catalog, unresolved"],
  ["SELECT name FROM sqlite_schema ORDER BY rootpage", "catalog, unresolved"],
  ["SELECT count(*) FROM sqlite_master", "catalog"],
  ["SELECT 1 FROM log JOIN (SELECT title AS text FROM pages) USING (text)", "log.text, unresolved"],
  ["SELECT 1 FROM (SELECT 'hello' AS title) NATURAL JOIN pages", "unresolved"],
  ["SELECT 1 FROM customers NATURAL JOIN sqlite_schema", "catalog, customers.name"],
  ["SELECT title FROM pages WHERE pages MATCH 'hello'", "unresolved"],
  ["SELECT * FROM pages_data", "unresolved"],
];

/** A name with its schema and a row's number need the table itself; what is materialized is made whole. */
const TOO_WIDE = [
  "SELECT status FROM main.orders",
  "WITH o(x, y) AS MATERIALIZED (SELECT status, total FROM orders) SELECT x FROM o",
  "SELECT rowid FROM orders",
];

describe("what a query reads", () => {
  it.each(
    CASES.map(([sql, reads, besides = ""]) => ({ sql, reads, besides })),
  )("is known of $sql (X11-sqlite)", ({ sql, reads, besides }) => {
    const expected = `${reads}, ${besides}`.split(", ").filter((part) => part !== "");
    expect(readingOf(reader, sql)).toBe(expected.sort().join(", "));
  });

  it("has the sources of what orders an index, as the query is written (X11-sqlite)", () => {
    const more = files.path("indexed.db");
    makeShop(more, "CREATE INDEX by_label ON orders (status, label)");
    const indexed = new DatabaseReader(more);
    const found = indexed.examine({ sql: "SELECT status FROM orders", parameters: [] });
    const [asWritten, sorted] = found.kind === "ways" ? found.ways.map(({ reading }) => reading.columns) : [];
    const names = (columns: typeof asWritten) => columns?.map(({ column }) => column).sort();
    expect(names(asWritten)).toEqual(["id", "label", "net", "status", "total"]);
    expect(names(sorted)).toEqual(["status"]);
    indexed.close();
  });

  it("has the columns in SQLite's own index: of a generated column, from the 63rd on, of a condition that it drops (X11-sqlite)", () => {
    const many = Array.from({ length: 70 }, (_, index) => `c${index}`);
    const last = many.slice(63);
    const join = "FROM pairs AS a LEFT JOIN pairs AS b USING (k), log";
    const cases = [
      ["CREATE TABLE pairs (x, k, made AS (k || 1))", `SELECT b.made ${join}`, ["k", "made", "x"]],
      ["CREATE TABLE pairs (x, k, made AS (k || 1) STORED)", `SELECT b.k ${join}`, ["k"]],
      [`CREATE TABLE pairs (${many.join(", ")}, k, made)`, `SELECT b.made ${join}`, [...last, "k", "made"]],
      ["CREATE TABLE pairs (x, y, k)", `SELECT b.k ${join} WHERE 1 OR b.x`, ["k", "x"]],
    ] as const;
    for (const [index, [table, sql, reads]] of cases.entries()) {
      const more = files.path(`own-index-${index}.db`);
      makeShop(more, table);
      const indexed = new DatabaseReader(more);
      const found = indexed.examine({ sql, parameters: [] });
      const ways = found.kind === "ways" ? found.ways : [];
      expect(ways.map(({ reading }) => reading.unresolved)).not.toContain(
        "The order of its rows can't be determined.",
      );
      const names = ways.map(({ reading }) =>
        reading.columns.flatMap(({ table, column }) => (table === "pairs" ? [column] : [])).sort(),
      );
      expect(names[0]).toEqual(reads);
      indexed.close();
    }
  });

  it("is said to be more than it is in few of them (X11-sqlite)", () => {
    const wide = CASES.filter(([, , besides]) => besides !== undefined).map(([sql]) => sql);
    expect(CASES.length).toBeGreaterThan(80);
    expect(wide).toEqual(TOO_WIDE);
  });
});
