import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createSchema, MIGRATIONS, migrate } from "./sqlite-schema.ts";

const later = [...MIGRATIONS, "CREATE TABLE later (a INTEGER) STRICT", "INSERT INTO later VALUES (1)"];

const versionOf = (database: DatabaseSync) => database.prepare("PRAGMA user_version").get()?.user_version;

describe("The schema of a SQLite store", () => {
  it("is brought up from an older version by what is missing, once", () => {
    const database = new DatabaseSync(":memory:");
    createSchema(database);
    migrate(database, later);
    migrate(database, later);
    expect(versionOf(database)).toBe(later.length);
    expect(database.prepare("SELECT a FROM later").all()).toEqual([{ a: 1 }]);
  });

  it("stays as it was where a migration fails", () => {
    const database = new DatabaseSync(":memory:");
    createSchema(database);
    const failing = [...later, "INSERT INTO nowhere VALUES (1)"];
    expect(() => migrate(database, failing)).toThrow("no such table: nowhere");
    expect(versionOf(database)).toBe(MIGRATIONS.length);
    expect(database.isTransaction).toBe(false);
    migrate(database, later);
    expect(versionOf(database)).toBe(later.length);
  });
});
