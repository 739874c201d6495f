/** Warns of databases, APIs and detectors that let through more than their policy probably means. */
import { bottomLabel, flowsTo, type Lattice } from "../../core/index.ts";
import type { Loaded } from "../document/loaded.ts";
import { isLoopback } from "../document/loopback.ts";
import { quote, quoteAll } from "../document/quote.ts";
import { specOf } from "../document/read-documents.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, entryOf, isFlag, isText, type Tree } from "../document/tree.ts";
import type { ApiConfig } from "./apis.ts";
import { DETECTORS } from "./check-detectors.ts";
import type { DatabaseConfig } from "./databases.ts";
import type { DeclaredApi, DeclaredDatabase } from "./declared.ts";
import type { DetectorsConfig } from "./detectors.ts";

/** What a policy's servers are, besides those that speak MCP. */
export interface LoadedConnectors extends Loaded {
  readonly databases: ReadonlyMap<string, DatabaseConfig>;
  readonly apis: ReadonlyMap<string, ApiConfig>;
  readonly detectors: DetectorsConfig | null;
}

export function warnAboutConnectors(loaded: LoadedConnectors, report: Report): void {
  const { root, declared, databases, apis, detectors } = loaded;
  const { lattice } = loaded.policy;
  for (const database of declared.databases) {
    const config = databases.get(database.key);
    if (config) warnAboutDatabase(database, config, lattice, report);
  }
  for (const api of declared.apis) {
    const config = apis.get(api.key);
    if (config) warnAboutApi(api, config, lattice, report);
  }
  const section = entryOf(root, "detectors");
  if (section && detectors) warnAboutDetectors(section.value, detectors, lattice, report);
}

function warnAboutDatabase(
  { key, at, value }: DeclaredDatabase,
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

const saysNothing = (tree: Tree): boolean =>
  child(tree, "sensitivity") === undefined && child(tree, "categories") === undefined;

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

// THREAT: an address may hold a password, so it is not quoted.
function warnAboutConnection(tree: Tree, report: Report): void {
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

function warnAboutApi(api: DeclaredApi, config: ApiConfig, lattice: Lattice, report: Report): void {
  const { key, at, value } = api;
  const isUnsaid = saysNothing(value) && api.operations.every((operation) => saysNothing(operation.value));
  if (isUnsaid) {
    const message = `Nothing says how sensitive the API ${quote(key)} is, so all that it answers is ${quote(lattice.levels[0] ?? "")}.`;
    report.add(at, message, "Say so with `sensitivity`, or name another level.");
  }
  if (config.operations.length === 0) {
    const place = entryOf(value, "only")?.at ?? specOf(api)?.at ?? at;
    report.add(place, `The API ${quote(key)} offers no operation, so agents get none of it.`);
  }
  const base = URL.parse(config.baseUrl);
  if (base?.protocol !== "http:" || isLoopback(base.hostname)) return;
  const place = child(value, "base_url")?.at ?? at;
  report.add(
    place,
    "The API is on another machine, and what it is asked and answers goes unencrypted.",
    "Use `https://` where it answers that.",
  );
}

function warnAboutDetectors(tree: Tree, config: DetectorsConfig, lattice: Lattice, report: Report): void {
  const labels = { secrets: config.secrets, personal_data: config.personalData };
  if (DETECTORS.every((key) => labels[key] === null)) {
    report.add(
      tree.at,
      "`detectors` names nothing to look for.",
      "Name `secrets` or `personal_data`, each with a label.",
    );
  }
  for (const key of DETECTORS) {
    const label = labels[key];
    if (label === null || !flowsTo(lattice, label, bottomLabel(lattice))) continue;
    const message = `A finding under ${quote(key)} raises nothing: its label is the lowest.`;
    report.add(entryOf(tree, key)?.at ?? tree.at, message, "Name a level that such data has.");
  }
}
