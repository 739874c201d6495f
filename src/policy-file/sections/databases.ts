/** Databases that agents may read: how each is reached, and the labels of what is in it. Opening one is somebody else's. */
import type { z } from "zod";
import { flowsTo, join, type Label, type Lattice, type ServerDeclaration } from "../../core/index.ts";
import { didYouMean, quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, isText, type MapTree, type Tree } from "../document/tree.ts";
import type { Wording } from "../shape-wording.ts";
import {
  checkConnection,
  connectionKeys,
  type PostgresConnection,
  type SqliteConnection,
  toConnection,
  warnAboutConnection,
} from "./database-connection.ts";
import { DATABASE_TOOLS, type Declared } from "./declared.ts";
import {
  checkLabel,
  checkSensitivity,
  labelOf,
  labelsOf,
  saysNothing,
  sensitivity,
  sensitivityOf,
  source,
} from "./labels.ts";
import { checkLimits } from "./limits.ts";
import { byName, described, map, number } from "./shape.ts";
import { type Making, ownToolKeys, toRest } from "./tools.ts";

const toolSchema = map("A tool of a database", ownToolKeys, {
  later: ["requires", "once"],
});

const limitsSchema = map("`limits`", {
  rows: described(number, "The most rows of one result. Left out: 1000."),
  seconds: described(number, "How long a query may run. Left out: 10."),
  bytes: described(number, "The largest result. Left out: 1048576, which is 1 MiB."),
});

const labels = byName(source, "a map of labels");

const databaseSchema = map(
  "A database",
  {
    ...connectionKeys,
    ...sensitivity,
    catalog: described(
      source,
      "The label of the names and types of tables and columns. Left out: the database's.",
    ),
    columns: described(
      labels,
      "The labels of columns, by `table.column` or `schema.table.column`; `table.*` is every column that no other key names. Left out: the database's.",
    ),
    aggregates: described(
      labels,
      "The labels of what aggregate functions make of columns, by function: `count: public`. Left out: those of the columns.",
    ),
    tools: described(
      byName(toolSchema, "a map of the database's tools by name"),
      "Settings of its tools: `query`, `list_tables`, `describe_table` and `get_row`.",
    ),
    limits: described(limitsSchema, "What one call may take."),
  },
  { error: "a map with `type`" },
).meta({ id: "database", description: "A database that agents may read." });

export const databaseKeys = {
  databases: described(
    byName(databaseSchema, "a map of databases by name"),
    "Databases that agents may read, by name: each the server of its own tools.",
  ),
};

type DatabaseDocument = z.infer<typeof databaseSchema>;

/** The tools that show what stands in tables, and not only which tables there are. */
const ROW_READING: ReadonlySet<string> = new Set(["query", "get_row"]);

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

function checkTools(database: Entry, report: Report): void {
  for (const { key, at } of entriesOf(child(database.value, "tools"))) {
    if (!DATABASE_TOOLS.includes(key)) report.add(at, ...noSuchTool(database, key));
  }
}

/** What is said of a tool that databases don't have. */
export function noSuchTool({ key }: Entry, name: string): Wording {
  const end = didYouMean(name, DATABASE_TOOLS);
  const message = `The database ${quote(key)} has no tool ${quote(name)}${end}`;
  return end === "." ? [message, `It has ${quoteAll(DATABASE_TOOLS)}.`] : [message];
}

/** Warns of databases that let through more than their policy probably means. */
export function warnAboutDatabases(
  declared: Declared,
  databases: ReadonlyMap<string, DatabaseConfig>,
  lattice: Lattice,
  report: Report,
): void {
  for (const database of declared.databases) {
    const config = databases.get(database.key);
    if (config) warnAboutDatabase(database, config, lattice, report);
  }
}

function warnAboutDatabase(
  { key, at, value }: Entry,
  config: DatabaseConfig,
  lattice: Lattice,
  report: Report,
): void {
  if (saysNothing(value) && child(value, "columns") === undefined) {
    const message = `Nothing says how sensitive the database ${quote(key)} is, so all of it is ${quote(config.label.level)}.`;
    report.add(at, message, "Say so with `sensitivity`, or name another level.");
  }
  warnAboutColumns(value, config, lattice, report);
  warnAboutAggregates(value, config, lattice, report);
  warnAboutConnection(value, report);
}

/** A column that nobody has named yet has the label of the database. */
function warnAboutColumns(tree: Tree, config: DatabaseConfig, lattice: Lattice, report: Report): void {
  const above = entriesOf(child(tree, "columns")).filter(({ key }) => {
    const label = config.columns.get(key);
    return label !== undefined && !flowsTo(lattice, label, config.label);
  });
  const [first] = above;
  if (first === undefined) return;
  report.add(
    first.at,
    `The label of the database doesn't cover ${quoteAll(above.map(({ key }) => key))}, and a column that is added one day has the database's.`,
    "Give the database the label of the worst that is in it, and name the columns that are less.",
  );
}

/** Functions that make one value of many, and show values as they are. */
const SHOWING: ReadonlySet<string> = new Set([
  "any_value",
  "array_agg",
  "group_concat",
  "json_agg",
  "json_arrayagg",
  "json_group_array",
  "json_group_object",
  "json_object_agg",
  "jsonb_agg",
  "jsonb_object_agg",
  "max",
  "min",
  "mode",
  "percentile_disc",
  "string_agg",
  "xmlagg",
]);

function warnAboutAggregates(tree: Tree, config: DatabaseConfig, lattice: Lattice, report: Report): void {
  const labels = [config.label, ...config.columns.values()];
  for (const { key, at } of entriesOf(child(tree, "aggregates"))) {
    const made = config.aggregates.get(key);
    if (made === undefined || key === "count") continue;
    if (labels.every((label) => flowsTo(lattice, label, made))) continue;
    const shows = SHOWING.has(key) ? "shows values as they are" : "of one row is, or tells of, its value";
    report.add(
      at,
      `${quote(key)} ${shows}, and counts as ${quote(made.level)} whatever it is made of.`,
      "Leave it out, so that its result is as sensitive as the columns in it.",
    );
  }
}

/** How the databases are reached, and what the core is told about them. `file` is the policy file, absolute. */
export function toDatabases(
  databases: Readonly<Record<string, DatabaseDocument>>,
  declared: Declared,
  making: Making,
  file: string,
) {
  const places = new Map(declared.databases.map(({ key, at }) => [key, at.file]));
  const configs = new Map<string, DatabaseConfig>();
  const declarations = new Map<string, ServerDeclaration>();
  for (const [id, database] of Object.entries(databases)) {
    const config = toDatabase(id, database, making.lattice, places.get(id) ?? file);
    configs.set(id, config);
    declarations.set(id, toDeclaration(database, config, making));
  }
  return { configs, declarations: Object.fromEntries(declarations) };
}

/** `file` is the one that the database stands in. */
function toDatabase(id: string, database: DatabaseDocument, lattice: Lattice, file: string): DatabaseConfig {
  const label = sensitivityOf(database, lattice);
  const { catalog, columns = {}, aggregates = {}, limits = {} } = database;
  return Object.freeze({
    id,
    connection: Object.freeze(toConnection(database, file)),
    label,
    catalog: catalog === undefined ? label : labelOf(catalog, lattice),
    columns: labelsOf(columns, lattice),
    aggregates: labelsOf(aggregates, lattice),
    limits: Object.freeze({
      rows: limits.rows ?? 1000,
      bytes: limits.bytes ?? 1024 * 1024,
      seconds: limits.seconds ?? 10,
    }),
  });
}

/** A query brings in what it reads, at most everything; what that is is found before it runs. */
function toDeclaration(
  { tools = {} }: DatabaseDocument,
  { label, catalog, columns, aggregates }: DatabaseConfig,
  making: Making,
): ServerDeclaration {
  const worst = [...columns.values(), ...aggregates.values(), catalog].reduce(
    (left, right) => join(making.lattice, left, right),
    label,
  );
  const declared = DATABASE_TOOLS.map((name) => {
    const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const source = ROW_READING.has(name)
      ? ({ source: worst, sourceBound: "most" } as const)
      : { source: catalog };
    return [name, { permissions: ["read"] as const, ...source, ...toRest(own ?? {}, making) }] as const;
  });
  return { tools: Object.fromEntries(declared) };
}
