import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import type { SqlParameters } from "../sql-engine.ts";
import { DatabaseReader } from "./database-reader.ts";
import { makeShop } from "./reading.test-kit.ts";

const path = temporaryFolder().path("shop.db");
makeShop(path);
const reader = new DatabaseReader(path);
afterAll(() => reader.close());

const why = (sql: string, parameters: SqlParameters = []): string => {
  const found = reader.examine({ sql, parameters });
  return found.kind === "refused" ? found.why : "";
};

const ONLY_READ = "This database can only be read, with one SELECT statement at a time.";

describe("a SQLite database refuses", () => {
  it.each<[string, string]>([
    ["DELETE FROM orders", ONLY_READ],
    ["INSERT INTO tags VALUES ('c', 3) RETURNING *", ONLY_READ],
    ["WITH x AS (SELECT 1) UPDATE orders SET status = 'x' RETURNING id", ONLY_READ],
    ["WITH x AS (SELECT 1) DELETE FROM orders", ONLY_READ],
    ["REPLACE INTO tags VALUES ('a', 9)", ONLY_READ],
    ["CREATE TABLE x (y)", ONLY_READ],
    ["CREATE TEMP VIEW x AS SELECT 1", ONLY_READ],
    ["DROP TABLE orders", ONLY_READ],
    ["ATTACH '/etc/passwd' AS x", ONLY_READ],
    ["DETACH main", ONLY_READ],
    ["PRAGMA writable_schema = 1", ONLY_READ],
    ["VACUUM INTO '/tmp/x'", ONLY_READ],
    ["BEGIN", ONLY_READ],
    ["COMMIT", ONLY_READ],
    ["ROLLBACK", ONLY_READ],
    ["SAVEPOINT x", ONLY_READ],
    ["ANALYZE", ONLY_READ],
    ["REINDEX", ONLY_READ],
    ["-- SELECT\nDELETE FROM orders", ONLY_READ],
    ["/* SELECT */ DELETE FROM orders", ONLY_READ],
    ["EXPLAIN SELECT * FROM orders", "EXPLAIN is not allowed here."],
    ["EXPLAIN QUERY PLAN SELECT 1", "EXPLAIN is not allowed here."],
    ["SELECT load_extension('/tmp/x')", "It calls the function `load_extension`, which is not allowed here."],
    ["SELECT FTS3_TOKENIZER('x')", "It calls the function `fts3_tokenizer`, which is not allowed here."],
    ["SELECT changes()", "It calls the function `changes`, which is not allowed here."],
    ["SELECT sqlite_log(1, 'x')", "It calls the function `sqlite_log`, which is not allowed here."],
    [
      "SELECT * FROM pragma_database_list",
      "It reads `pragma_database_list`, which is not a table of this database.",
    ],
    [
      "SELECT count(*) FROM pragma_table_info('tags')",
      "It reads `pragma_table_info`, which is not a table of this database.",
    ],
    ["SELECT 1 FROM dbstat", "It reads `dbstat`, which is not a table of this database."],
    ["SELECT 1; SELECT 2", "It is more than one statement."],
    ["SELECT 1; DELETE FROM orders", "It is more than one statement."],
    ["SELECT 1;; --\n;DELETE FROM orders", "It is more than one statement."],
    ["", "It is empty."],
    [" \n-- nothing\n/* at all */;", "It is empty."],
    ["SELECT '\0'", "It holds a NUL character."],
    ["SELECT '\ud800'", "It holds half of a character."],
    ["SELECT 'open", "It holds something that is no SQL, such as a quote that is not closed."],
    ['SELECT "open', "It holds something that is no SQL, such as a quote that is not closed."],
    ["SELECT \\", "It holds something that is no SQL, such as a quote that is not closed."],
    ["SELECT nosuch FROM orders", "SQLite says: no such column: nosuch."],
    ["SELECT * FROM nosuch", "SQLite says: no such table: nosuch."],
    ["SELECT FROM orders", 'SQLite says: near "FROM": syntax error.'],
    [
      'SELECT "nosuch"',
      'SQLite says: no such column: "nosuch" - should this be a string literal in single-quotes?.',
    ],
  ])("%s (X11-sqlite)", (sql, said) => {
    expect(why(sql)).toBe(said);
  });

  it("what is too much of a statement (X11-sqlite)", () => {
    expect(why(`SELECT '${"x".repeat(70_000)}'`)).toBe("It is longer than 65536 characters.");
    expect(why(`SELECT ${"(".repeat(200)}1${")".repeat(200)}`)).toBe("It is nested deeper than 64 levels.");
    expect(why(`SELECT ${"1+".repeat(9000)}1`)).toBe("It has too many parts.");
    expect(why(`SELECT ${"NOT ".repeat(5000)}1`)).toBe("SQLite says: Recursion limit.");
  });

  it("what changes the database, so that it stays as it was (X11-sqlite)", () => {
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT count(*) AS n, total(total) AS t FROM orders").get()).toEqual({
      n: 2,
      t: 36,
    });
    database.close();
  });

  it.each<[string, SqlParameters, string]>([
    ["SELECT ?", [], "It has 1 places for values, and 0 came."],
    ["SELECT ?2", [1], "It has 2 places for values, and 1 came."],
    ["SELECT 1", [1], "It has 0 places for values, and 1 came."],
    ["SELECT :a", [1], "Its places have names, and the values came as a list."],
    ["SELECT ?", { a: 1 }, "Its places have no names, and the values came by name."],
    ["SELECT :a", { b: 1 }, "The names of its places and those of the values differ."],
    ["SELECT :a", { a: 1, b: 1 }, "The names of its places and those of the values differ."],
    ["SELECT :a, @a", { a: 1 }, "Its places can't be distinguished by their names."],
    ["SELECT ?, :a", { a: 1 }, "It has places with a name and places without."],
    ["SELECT ?", [[1]], "One of them is neither text, number, true, false nor null."],
    ["SELECT :a", { a: {} }, "One of them is neither text, number, true, false nor null."],
    ["SELECT ?99999", [1], "It has more than 1000 places for values."],
  ])("values that don't fit: %s with %j (X11-sqlite)", (sql, parameters, said) => {
    expect(why(sql, parameters)).toBe(said);
  });

  it("says of a wrong word whether the catalogue was asked (X11-sqlite)", () => {
    const isOfCatalogue = (sql: string) => reader.examine({ sql, parameters: [] });
    expect(isOfCatalogue("SELECT nosuch FROM orders")).toMatchObject({ kind: "refused", catalog: true });
    expect(isOfCatalogue("SELECT FROM orders")).toMatchObject({ kind: "refused", catalog: false });
  });
});
