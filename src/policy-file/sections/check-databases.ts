/** Checks databases: that each says in one way where it is, and the labels of what is in it. */
import { isIP } from "node:net";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, entryOf, isText, type MapTree, type Tree } from "../document/tree.ts";
import { noSuchTool } from "./check-connector-ids.ts";
import { checkLabel, checkSensitivity } from "./check-labels.ts";
import { checkLimits } from "./check-limits.ts";
import { DATABASE_TOOLS } from "./database-tools.ts";
import type { Declared, DeclaredDatabase } from "./declared.ts";

export function checkDatabases(declared: Declared, report: Report): void {
  for (const database of declared.databases) {
    if (database.value.kind !== "map") continue;
    checkConnection(database.value, report);
    checkSensitivity(database.value, declared, report);
    checkLabel(child(database.value, "catalog"), declared, report);
    checkColumns(database.value, declared, report);
    checkAggregates(database.value, declared, report);
    checkTools(database, report);
    checkLimits(database.value, report);
  }
}

const NAME_KEYS = ["path", "dbname", "database"];
const PART_KEYS = ["host", "port", "dbname", "database", "user", "password"];
const POSTGRES_KEYS = ["url", "host", "port", "user", "password", "schema", "tls"];

function checkConnection(database: MapTree, report: Report): void {
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

const COLUMN_FIX =
  "Write `table.column` or `schema.table.column`; `table.*` is every column that no other key names.";

function checkColumns(database: MapTree, declared: Declared, report: Report): void {
  const type = child(database, "type");
  const isSqlite = isText(type) && type.value === "sqlite";
  const seen = new Map<string, string>();
  for (const { key, at, value } of entriesOf(child(database, "columns"))) {
    checkLabel(value, declared, report);
    if (!isColumn(key)) report.add(at, `${quote(key)} is not the name of a column.`, COLUMN_FIX);
    // SQLite's names are the same whatever the case of their ASCII letters.
    const folded = isSqlite ? key.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : key;
    const before = seen.get(folded);
    if (before !== undefined) {
      report.add(
        at,
        `${quote(key)} and ${quote(before)} are the same column to SQLite.`,
        "Keep one of the two.",
      );
    }
    seen.set(folded, key);
  }
}

function isColumn(key: string): boolean {
  const parts = key.split(".");
  const isComplete = (parts.length === 2 || parts.length === 3) && parts.every((part) => part.trim() !== "");
  return isComplete && parts.slice(0, -1).every((part) => !part.includes("*"));
}

function checkAggregates(database: MapTree, declared: Declared, report: Report): void {
  for (const { key, at, value } of entriesOf(child(database, "aggregates"))) {
    checkLabel(value, declared, report);
    if (/^[a-z_][a-z0-9_]*$/.test(key)) continue;
    report.add(
      at,
      `An aggregate function can't be called ${quote(key)}.`,
      "Write its name in lower case: `count`.",
    );
  }
}

function checkTools(database: DeclaredDatabase, report: Report): void {
  for (const { key, at } of database.tools) {
    if (!DATABASE_TOOLS.includes(key)) report.add(at, ...noSuchTool(database, key));
  }
}
