/** How each declared database is reached, and the labels of what is in it. Plain data; opening it is somebody else's. */
import { dirname, resolve } from "node:path";
import type { Label, Lattice } from "../../core/index.ts";
import { isLoopback } from "../document/loopback.ts";
import type { DatabaseDocument } from "./database-schema.ts";
import { labelOf, sensitivityOf, toLabels } from "./to-label.ts";

/** A file that SQLite reads. */
export interface SqliteConnection {
  readonly type: "sqlite";
  /** Absolute. */
  readonly path: string;
}

/** A PostgreSQL server: a `url`, or its parts, of which those left out are for the driver to say. */
export interface PostgresConnection {
  readonly type: "postgres";
  /** A `postgres:` or `postgresql:` address without parameters. */
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

/** A database whose reads agents may call. May hold secrets, which variables filled in. */
export interface DatabaseConfig {
  /** The server under which its tools stand. */
  readonly id: string;
  readonly connection: SqliteConnection | PostgresConnection;
  /** Of every column that `columns` doesn't name. */
  readonly label: Label;
  /** Of the names and types of tables and columns. */
  readonly catalog: Label;
  /** By `table.column`, `schema.table.column`, or either with `*` for the column; as written. */
  readonly columns: ReadonlyMap<string, Label>;
  /** By the name of an aggregate function, in lower case. */
  readonly aggregates: ReadonlyMap<string, Label>;
  readonly limits: { readonly rows: number; readonly bytes: number; readonly seconds: number };
}

/** A database of a document that was checked. `file` is the one that it stands in. */
export function toDatabase(
  id: string,
  database: DatabaseDocument,
  lattice: Lattice,
  file: string,
): DatabaseConfig {
  const label = sensitivityOf(database, lattice);
  const { catalog, columns = {}, aggregates = {}, limits = {} } = database;
  return Object.freeze({
    id,
    connection: Object.freeze(toConnection(database, file)),
    label,
    catalog: catalog === undefined ? label : labelOf(catalog, lattice),
    columns: toLabels(columns, lattice),
    aggregates: toLabels(aggregates, lattice),
    limits: Object.freeze({
      rows: limits.rows ?? 1000,
      bytes: limits.bytes ?? 1024 * 1024,
      seconds: limits.seconds ?? 10,
    }),
  });
}

function toConnection(database: DatabaseDocument, file: string): SqliteConnection | PostgresConnection {
  const name = database.path ?? database.dbname ?? database.database;
  // INVARIANT: a checked sqlite database has one of the names of its file.
  if (database.type === "sqlite")
    return { type: "sqlite", path: resolve(dirname(resolve(file)), name ?? "") };
  const { url, host, port, user, password, schema = "public" } = database;
  const tls =
    database.tls ?? !isLoopback(url === undefined ? (host ?? "localhost") : (URL.parse(url)?.hostname ?? ""));
  if (url !== undefined) return { type: "postgres", url, schema, tls };
  return {
    type: "postgres",
    host: host ?? "localhost",
    port: port === undefined ? 5432 : Number(port),
    ...(name !== undefined && { database: name }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    schema,
    tls,
  };
}
