/** Brings a database to the last version of the tables. Several gateways may start at once; one makes them. */
import type { PoolClient } from "pg";
import { SluicegateError } from "../../errors/index.ts";
import { failed } from "../store-errors.ts";
import type { Connections } from "./connections.ts";
import { MIGRATIONS } from "./postgres-schema.ts";

/** "Slui" in ASCII, and which lock of ours it is. */
const MIGRATION_LOCK = [0x536c7569, 1];

interface MigrateOptions {
  /** Refuse a database that has no store. */
  readonly mustExist: boolean;
  readonly migrations?: readonly string[];
}

/**
 * Makes the tables that are missing. Throws SluicegateError `store-damaged` where a store must exist and none does,
 * and `store-failed` where it was written by a later version; whatever the driver throws as well.
 */
export async function migrate(
  connections: Connections,
  { mustExist, migrations = MIGRATIONS }: MigrateOptions,
): Promise<void> {
  const [row] = await connections.read(
    `SELECT to_regclass('sluicegate.migrations')::text AS there, current_setting('server_encoding') AS encoding,
       current_setting('synchronous_commit') AS commit`,
  );
  if (row?.encoding !== "UTF8") {
    throw failed(
      "The store's database can't hold all text.",
      `Its encoding is ${row?.encoding}, and a store needs UTF8.`,
      "Create the database with `ENCODING 'UTF8'`.",
    );
  }
  if (row.commit === "off") {
    throw failed(
      "The store's database acknowledges commits that it may lose.",
      "Its setting `synchronous_commit` is `off`, so the last raises of sessions would be gone after a crash.",
      "Set it for the store: `ALTER DATABASE … SET synchronous_commit = on`.",
    );
  }
  if (row.there === null && mustExist) {
    throw new SluicegateError("store-damaged", "The database has no store.", {
      why: "It was opened as one that must have one.",
      fix: "Name the database that the gateway uses. If it is that one, its content was lost: restore it from a backup.",
    });
  }
  const version = row.there === null ? 0 : await readVersion(connections.read);
  if (version > migrations.length) {
    throw failed(
      "The store was written by a later version of Sluicegate.",
      `Its tables have the version ${version}, and this version of Sluicegate knows up to ${migrations.length}.`,
      "Use the version of Sluicegate that wrote it, or a later one.",
    );
  }
  if (version < migrations.length) await connections.with((client) => applyMissing(client, migrations));
}

async function applyMissing(client: PoolClient, migrations: readonly string[]): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1, $2)", MIGRATION_LOCK);
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS sluicegate;
      CREATE TABLE IF NOT EXISTS sluicegate.migrations (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())
    `);
    // Read with the lock held: another gateway may have been first.
    const version = await readVersion(async (sql) => (await client.query(sql)).rows);
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      await client.query(migration);
      await client.query("INSERT INTO sluicegate.migrations (version) VALUES ($1)", [at + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function readVersion(read: Connections["read"]): Promise<number> {
  const [row] = await read("SELECT coalesce(max(version), 0) AS version FROM sluicegate.migrations");
  return Number(row?.version);
}
