/** Opens a database by its kind. What an engine needs is loaded when it is first used. */
import type { SqlEngine, SqlEngineOptions } from "./sql-engine.ts";
import { openSqliteEngine } from "./sqlite/sqlite-engine.ts";

/** A file that SQLite reads. */
export interface SqliteConnection {
  readonly type: "sqlite";
  /** Absolute. */
  readonly path: string;
}

/** A PostgreSQL server: a `url`, or its parts, of which those left out are for the driver to say. */
export interface PostgresConnection {
  readonly type: "postgres";
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  /** The schema that a name without one means. */
  readonly schema: string;
  /** Whether the connection is encrypted and the server's certificate verified. */
  readonly tls: boolean;
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
