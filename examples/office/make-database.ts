/**
 * Makes the example's customer database (`crm.db` in the state folder) from
 * `data/crm.sql`, unless it is there already. Safe to run at each start, and
 * by two processes at once.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStateFolder } from "./state-folder.ts";

/** The absolute path of the database, which is there and filled afterwards. */
export function makeDatabase(): string {
  const path = join(openStateFolder(), "crm.db");
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    // INVARIANT: only who holds the write lock looks and fills, so it is filled once, and wholly or not at all.
    database.exec("BEGIN IMMEDIATE");
    if (!isFilled(database))
      database.exec(readFileSync(join(import.meta.dirname, "data", "crm.sql"), "utf8"));
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  return path;
}

function isFilled(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'customers'").get() !== undefined;
}

if (import.meta.main) console.log(makeDatabase());
