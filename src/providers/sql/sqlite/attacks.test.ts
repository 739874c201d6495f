/** Queries that were written to read more than they are said to read. Each of them once did. */
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import type { SqlParameters } from "../sql-engine.ts";
import { DatabaseReader } from "./database-reader.ts";
import { makeShop, readingOf } from "./reading.test-kit.ts";

const path = temporaryFolder().path("shop.db");
/** A view with a character that SQLite takes for a space, and we don't. */
const VIEW = "CREATE VIEW joined AS SELECT 1 AS one FROM customers NATURAL JOIN \v tags";
makeShop(
  path,
  `CREATE TABLE numbered (rowid TEXT, secret TEXT); CREATE TABLE keyed (rowid INTEGER PRIMARY KEY, secret TEXT); ${VIEW}`,
);
const reader = new DatabaseReader(path);
afterAll(() => reader.close());

const refusalOf = (sql: string, parameters: SqlParameters = []) => {
  const found = reader.examine({ sql, parameters });
  return found.kind === "refused" ? { why: found.why, catalog: found.catalog } : null;
};

const NO_SQL = {
  why: "It holds something that is no SQL, such as a quote that is not closed.",
  catalog: false,
};

describe("what a SQLite query reads is known though it", () => {
  it.each([
    "SELECT $a, $a(/*) FROM customers NATURAL JOIN tags",
    "SELECT :a, :a(/*) AS x, status FROM orders",
    "SELECT @a, @a(') FROM log NATURAL JOIN tags -- '",
    "SELECT $a, $a::b(/*) FROM customers NATURAL JOIN tags",
  ])("has a variable with more than a name: %s (X11-sqlite)", (sql) => {
    expect(refusalOf(sql, { a: 1 })).toEqual(NO_SQL);
  });

  it.each([
    ["SELECT 1 FROM (SELECT 'x' || x'''text') NATURAL JOIN log", "log.text"],
    ["SELECT count(*) FROM (SELECT 'hello' AS pages) JOIN pages USING (pages)", "unresolved"],
    ["SELECT 1 FROM (SELECT 1 AS rank) JOIN pages USING (rank)", "unresolved"],
    ["SELECT one FROM joined", "customers.id, tags.name, unresolved"],
    ["SELECT oid FROM numbered", "numbered.rowid, numbered.secret"],
    ["SELECT oid FROM keyed", "keyed.rowid"],
    [
      "SELECT count(salary) FROM (SELECT iif(salary > 9 AND name = 'Ada', 1, NULL) AS salary FROM customers)",
      "customers.name, customers.salary",
    ],
    [
      "SELECT count(salary) FROM tags, (VALUES (1)), (SELECT salary FROM customers)",
      "#tags, customers.salary",
    ],
    ["SELECT count(salary) FROM people", "customers.salary"],
    [
      "SELECT count(salary) FROM customers WHERE id IN (SELECT customer_id FROM orders)",
      "count(customers.salary), customers.id, orders.customer_id",
    ],
    ["SELECT count(total), max(net) FROM orders", "orders.net, orders.total"],
  ])("is %s (X11-sqlite)", (sql, reads) => {
    expect(readingOf(reader, sql)).toBe(reads);
  });

  it.each([
    ["SELECT 1 FROM (SELECT 'orders' AS name) JOIN dbstat USING (name)", "dbstat"],
    ["SELECT 1 FROM (SELECT 1 AS data_version) NATURAL JOIN pragma_data_version", "pragma_data_version"],
  ])("joins what isn't the database's: %s (X11-sqlite)", (sql, name) => {
    expect(refusalOf(sql)).toEqual({
      why: `It reads \`${name}\`, which is not a table of this database.`,
      catalog: true,
    });
  });
});

describe("the order of rows", () => {
  const WHOLE = { offset: 0, limit: 100, bytes: 1_000_000 };
  const STAFF = `CREATE TABLE teams (team TEXT, title TEXT);
    INSERT INTO teams VALUES ('r', 'Research'), ('s', 'Sales'), ('l', 'Law'), ('m', 'Media');
    CREATE TABLE staff (id INTEGER PRIMARY KEY, salary INTEGER, team TEXT, name TEXT, grade, zero);
    INSERT INTO staff VALUES `;
  const files = temporaryFolder();
  const paid = (name: string, salaries: readonly [number, number, number]): DatabaseReader => {
    const [ada, bob, eve] = salaries;
    const file = files.path(`${name}.db`);
    makeShop(
      file,
      `${STAFF} (1, ${ada}, 'r', 'Ada', 5, 0.0), (2, ${bob}, 'r', 'Bob', 5.0, -0.0), (3, ${eve}, 'r', 'Eve', 5, 0.0)`,
    );
    return new DatabaseReader(file);
  };
  const one = paid("one", [900, 50, 400]);
  const other = paid("other", [50, 400, 900]);
  afterAll(() => {
    one.close();
    other.close();
  });

  it.each([
    "SELECT name FROM teams LEFT JOIN staff ON staff.team = teams.team WHERE 1 OR salary",
    "SELECT name FROM teams LEFT JOIN staff USING (team) WHERE 1 OR salary > 1 LIMIT 1",
    "SELECT name FROM teams LEFT JOIN staff ON staff.team = teams.team WHERE EXISTS (SELECT salary FROM teams)",
    "SELECT count(salary), name FROM teams LEFT JOIN staff ON staff.team = teams.team",
    "SELECT name, avg(salary) FROM teams LEFT JOIN staff ON staff.team = teams.team GROUP BY staff.team",
    "SELECT title, name, count(salary) FROM teams LEFT JOIN staff ON staff.team = teams.team GROUP BY title",
    "SELECT count(salary), group_concat(name) FROM staff",
    "SELECT max(salary) FROM staff HAVING name = 'Ada'",
    "SELECT max(salary) FROM staff GROUP BY team HAVING name = 'Ada'",
    "SELECT max(salary) FROM staff GROUP BY team ORDER BY name",
    "SELECT count(salary), json_group_array(grade) FROM staff",
    "SELECT count(salary), typeof(grade) FROM staff WHERE grade = 5",
    "SELECT avg(salary), grade || team FROM staff",
    "SELECT count(salary), group_concat(atan2(zero, -1)) FROM staff",
  ])("tells nothing of salaries where they don't count in full: %s (X11-sqlite)", (sql) => {
    const found = one.examine({ sql, parameters: [] });
    const ways = found.kind === "ways" ? found.ways : [];
    expect(ways).not.toEqual([]);
    for (const way of ways) {
      if (way.reading.columns.some(({ column }) => column === "salary")) continue;
      const [left, right] = [one, other].map((database) => database.run({ sql, parameters: [], way }, WHOLE));
      expect([way.sql, left]).toEqual([way.sql, right]);
    }
  });
});

describe("a refusal that needed the catalogue", () => {
  it.each([
    'SELECT "syntax error" FROM orders',
    "SELECT \"near 'x': syntax error\" FROM orders",
    "SELECT changes() FROM orders",
    "SELECT nosuch FROM orders",
  ])("is known as one: %s (X11-sqlite)", (sql) => {
    expect(refusalOf(sql)?.catalog).toBe(true);
  });

  it("is told from one that didn't (X11-sqlite)", () => {
    expect(refusalOf("SELECT FROM orders")?.catalog).toBe(false);
    expect(refusalOf("SELECT (1")?.catalog).toBe(false);
  });
});

describe("a SQLite database", () => {
  it("takes no number for a value that JSON has not, nor the values of another call (X11-sqlite)", () => {
    expect(refusalOf("SELECT ?", [Number.POSITIVE_INFINITY])).not.toBeNull();
    expect(refusalOf("SELECT ?", [null])).toBeNull();
  });

  it("gives a row of many columns only values that fit into memory together (X11-sqlite)", () => {
    const run = (count: number) => {
      const question = {
        sql: `SELECT ${Array(count).fill("b").join(", ")} FROM (SELECT zeroblob(9000000) AS b)`,
        parameters: [],
      };
      const found = reader.examine(question);
      const way = found.kind === "ways" ? found.ways[0] : undefined;
      if (way === undefined) throw new Error("It was refused.");
      return reader.run({ ...question, way }, { offset: 0, limit: 1, bytes: 1_000_000 }).rows.length;
    };
    expect(run(2)).toBe(1);
    expect(() => run(400)).toThrow("failed while it ran");
    expect(run(2)).toBe(1);
  });

  it("has the view that isn't read, by SQLite itself (X11-sqlite)", () => {
    const database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare("SELECT count(one) AS n FROM joined").get()).toEqual({ n: 0 });
    database.close();
  });
});

it("says which columns a query names and doesn't read, since that they are there shows (X11-sqlite)", () => {
  const named = (sql: string) => {
    const found = reader.examine({ sql, parameters: [] });
    return found.kind === "refused" ? null : found.ways[0]?.reading.named;
  };
  const unused = { schema: null, table: "orders", column: "total" };
  expect(named("SELECT status FROM (SELECT status, total FROM orders)")).toEqual([unused]);
  expect(named("SELECT status FROM orders")).toEqual([]);
});
