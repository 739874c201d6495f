/** Opens a database by its kind. What an engine needs is loaded when it is first used. */
import type { PostgresAddress } from "./postgres/connection/postgres-address.ts";
import type { SqlEngine, SqlEngineOptions } from "./sql-engine.ts";
import { openSqliteEngine } from "./sqlite/sqlite-engine.ts";

/** A file that SQLite reads. */
export interface SqliteConnection {
  readonly type: "sqlite";
  /** Absolute. */
  readonly path: string;
}

/** A PostgreSQL server: a `url`, or its parts, of which those left out are for the driver to say. */
export interface PostgresConnection extends PostgresAddress {
  readonly type: "postgres";
}

export type DatabaseConnection = SqliteConnection | PostgresConnection;

export async function openEngine(
  connection: DatabaseConnection,
  options: SqlEngineOptions,
): Promise<SqlEngine> {
  if (connection.type === "sqlite") return openSqliteEngine({ ...options, path: connection.path });
  const { openPostgresEngine } = await import("./postgres/postgres-engine.ts");
  return openPostgresEngine({ ...options, connection });
}
