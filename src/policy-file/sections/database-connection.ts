/** Where a database is: the file of SQLite, or the server of PostgreSQL. */
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { isLoopback } from "../document/loopback.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import {
  child,
  type Entry,
  entriesOf,
  entryOf,
  isFlag,
  isText,
  type MapTree,
  type Tree,
} from "../document/tree.ts";
import { described, flag, name, number, text } from "./shape.ts";

/** The keys of a database that say where it is. */
export const connectionKeys = {
  type: z.enum(["sqlite", "postgres", "postgresql"]).meta({ description: "What kind of database it is." }),
  path: described(name, "The file of a SQLite database, relative to the file that this stands in."),
  dbname: described(name, "The name of a PostgreSQL database, or the file of a SQLite one."),
  database: described(name, "The same as `dbname`."),
  url: described(name, "Where a PostgreSQL server is, in place of the keys from `host` to `password`."),
  host: described(name, "The host of a PostgreSQL server. Left out: this machine."),
  port: described(z.union([number, name], { error: "a number" }), "Its port. Left out: 5432."),
  user: described(name, "The user to read as, who should have no right to write."),
  password: described(text, "The user's password, best from a variable."),
  schema: described(name, "The schema of names that have none. Left out: `public`."),
  tls: described(
    flag,
    "Whether the connection is encrypted and the server's certificate verified. Left out: yes, but on this machine.",
  ),
};

type ConnectionDocument = z.infer<z.ZodObject<typeof connectionKeys>>;

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

const NAME_KEYS = ["path", "dbname", "database"];
const PART_KEYS = ["host", "port", "dbname", "database", "user", "password"];
const POSTGRES_KEYS = ["url", "host", "port", "user", "password", "schema", "tls"];

export function checkConnection(database: MapTree, report: Report): void {
  const type = child(database, "type");
  if (!isText(type)) return;
  if (type.value === "sqlite") checkSqlite(database, report);
  else if (type.value === "postgres" || type.value === "postgresql") checkPostgres(database, report);
}

function checkSqlite(database: MapTree, report: Report): void {
  for (const { key, at } of entriesOf(database)) {
    if (POSTGRES_KEYS.includes(key)) {
      report.add(at, `${quote(key)} is for a database with \`type: postgres\`, and this one is \`sqlite\`.`);
    }
  }
  const [first, second] = entriesOf(database).filter(({ key }) => NAME_KEYS.includes(key));
  if (first === undefined && !database.partial) {
    report.add(database.at, "`path` is missing.", "Name the file of the database, relative to this one.");
  }
  if (first && second) report.add(second.at, ...both(first, second));
}

const both = (first: Entry, second: Entry) =>
  [`The database has both ${quote(first.key)} and ${quote(second.key)}.`, "Keep one of the two."] as const;

function checkPostgres(database: MapTree, report: Report): void {
  const path = entryOf(database, "path");
  if (path) {
    report.add(
      path.at,
      "`path` is for a database with `type: sqlite`, and this one is `postgres`.",
      "Its name stands under `dbname`.",
    );
  }
  const [name, another] = entriesOf(database).filter(({ key }) => key === "dbname" || key === "database");
  if (name && another) report.add(another.at, ...both(name, another));
  const url = entryOf(database, "url");
  const parts = entriesOf(database).filter(({ key }) => PART_KEYS.includes(key));
  const [part] = parts;
  if (url && part) {
    const message = `The database has both \`url\` and ${quoteAll(parts.map(({ key }) => key))}.`;
    report.add(part.at, message, "The address holds them all: keep it, or what it is made of.");
  }
  checkUrl(url?.value, report);
  checkHost(child(database, "host"), report);
  checkPort(child(database, "port"), report);
}

// THREAT: a variable may fill in a secret, so an address is not quoted.
function checkUrl(tree: Tree | undefined, report: Report): void {
  if (!isText(tree) || tree.value === "") return;
  const url = URL.parse(tree.value);
  if (url === null || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) {
    report.add(tree.at, "`url` is not an address that begins with `postgres://` or `postgresql://`.");
  } else if (url.hostname === "") {
    report.add(tree.at, "`url` names no host.", "Write where the server is: `postgres://127.0.0.1/name`.");
  } else if (url.search !== "" || url.hash !== "") {
    const fix = "Take out what follows the name of the database; `schema` and `tls` are keys of their own.";
    report.add(tree.at, "`url` holds parameters, which could say otherwise than the other keys.", fix);
  }
}

function checkHost(tree: Tree | undefined, report: Report): void {
  if (!isText(tree) || tree.value === "") return;
  if (isIP(tree.value) !== 0 || tree.value.startsWith("/") || /^[A-Za-z0-9._-]+$/.test(tree.value)) return;
  const fix = "Write the name or the address alone; the port stands under `port`.";
  report.add(tree.at, `\`host\` is not the name or the address of a host: ${quote(tree.written)}.`, fix);
}

function checkPort(tree: Tree | undefined, report: Report): void {
  if (tree?.kind !== "scalar" || tree.unresolved || tree.value === "") return;
  if (typeof tree.value !== "number" && typeof tree.value !== "string") return;
  const isPort =
    /^\d{1,5}$/.test(String(tree.value)) && Number(tree.value) >= 1 && Number(tree.value) <= 65_535;
  if (!isPort) report.add(tree.at, `\`port\` can be from 1 to 65535, and ${quote(tree.written)} is not.`);
}

// THREAT: an address may hold a password, so it is not quoted.
export function warnAboutConnection(tree: Tree, report: Report): void {
  const url = child(tree, "url");
  const parsed = isText(url) ? URL.parse(url.value) : null;
  const password = parsed?.password ? url : child(tree, "password");
  if (isText(password) && password.value !== "" && !/\$\{/.test(password.written)) {
    report.add(password.at, "A password stands in the file.", WITH_VARIABLE);
  }
  const host = parsed ? parsed.hostname : textOf(child(tree, "host"));
  if (host !== null && isFlag(child(tree, "tls"), false) && !isLoopback(host)) {
    const at = child(tree, "tls")?.at ?? tree.at;
    report.add(at, "The database is on another machine, and what it says goes there and back unencrypted.");
  }
}

const WITH_VARIABLE = `Put it into a variable, and write \`\${NAME}\`.`;

const textOf = (tree: Tree | undefined): string | null => (isText(tree) ? tree.value : null);

/** `file` is the one that the database stands in. */
export function toConnection(
  database: ConnectionDocument,
  file: string,
): SqliteConnection | PostgresConnection {
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
