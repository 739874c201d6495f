/**
 * The tables of a SQLite store, as a list of migrations. `PRAGMA user_version` counts those that were made, and
 * `PRAGMA application_id` says that the file is a store of ours.
 */
import type { DatabaseSync } from "node:sqlite";
import { damaged, failed } from "../store-errors.ts";
import { integer } from "./sqlite-module.ts";

/** "Slui", in ASCII. */
export const APPLICATION_ID = 0x536c7569;

/** Each is applied once, in this order. Never change one that was published: add another. */
export const MIGRATIONS: readonly string[] = Object.freeze([
  `
  CREATE TABLE heads (
    opened INTEGER PRIMARY KEY,
    session TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;

  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES heads (session) DEFERRABLE INITIALLY DEFERRED,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (session, seq)
  ) STRICT;

  CREATE TABLE kept (
    position INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES heads (session) DEFERRABLE INITIALLY DEFERRED,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    checksum TEXT NOT NULL,
    UNIQUE (session, key)
  ) STRICT;
  CREATE INDEX kept_by_key ON kept (key);

  CREATE TABLE sticky (
    principal TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    checksum TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
]);

/** Makes the tables in a database that has none. */
export function createSchema(database: DatabaseSync): void {
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  applyMissing(database, MIGRATIONS);
}

/**
 * Brings a store that may be older up to the last migration. Throws SluicegateError `store-damaged` where the
 * database is no store, and `store-failed` where it was written by a later version.
 */
export function migrate(database: DatabaseSync, migrations = MIGRATIONS): void {
  const version = pragma(database, "user_version");
  if (pragma(database, "application_id") !== APPLICATION_ID || version < 1) {
    throw damaged(
      "The file is not a Sluicegate store.",
      "It is a SQLite database, but it doesn't bear the mark and the version that a store has.",
    );
  }
  if (version > migrations.length) {
    throw failed(
      "The store was written by a later version of Sluicegate.",
      `Its schema has the version ${version}, and this version of Sluicegate knows up to ${migrations.length}.`,
      "Use the version of Sluicegate that wrote it, or a later one.",
    );
  }
  if (version < migrations.length) {
    applyMissing(database, migrations);
  }
}

/** What is wrong with the schema itself, one sentence each. */
export function schemaProblems(database: DatabaseSync, fresh: DatabaseSync): string[] {
  const isSame =
    schemaOf(database) === schemaOf(fresh) && pragma(database, "user_version") === MIGRATIONS.length;
  return isSame ? [] : ["The definitions of the store's tables are not the ones that were written."];
}

function applyMissing(database: DatabaseSync, migrations: readonly string[]): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again inside the transaction: another process may have been first.
    for (const migration of migrations.slice(pragma(database, "user_version"))) {
      database.exec(migration);
    }
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) {
      database.exec("ROLLBACK");
    }
    throw error;
  }
}

function schemaOf(database: DatabaseSync): string {
  const rows = database
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    .all();
  return JSON.stringify(rows);
}

function pragma(database: DatabaseSync, name: string): number {
  return integer(database.prepare(`PRAGMA ${name}`).get(), name);
}
