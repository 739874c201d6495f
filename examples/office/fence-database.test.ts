import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { fenceDatabase } from "./fence-database.ts";

const folder = mkdtempSync(join(tmpdir(), "fence-database-"));
afterAll(() => rmSync(folder, { recursive: true }));

function openFenced(): DatabaseSync {
  const database = new DatabaseSync(join(folder, "own.db"));
  fenceDatabase(database);
  return database;
}

describe("a fenced database", () => {
  it.each(["ATTACH DATABASE '{file}' AS other", "VACUUM INTO '{file}'"])("refuses %j", (sql) => {
    const file = join(folder, "other.db");
    const database = openFenced();
    expect(() => database.exec(sql.replace("{file}", file))).toThrow(/not authorized|authorization denied/);
    expect(existsSync(file)).toBe(false);
    database.close();
  });

  it("reads and writes its own file", () => {
    const database = openFenced();
    database.exec("CREATE TABLE visits (at TEXT); INSERT INTO visits VALUES ('today')");
    expect({ ...database.prepare("SELECT at FROM visits").get() }).toEqual({ at: "today" });
    database.close();
  });
});
