/** One open SQLite database: examines statements and runs them, in a separate process. */
import type { DatabaseSync } from "node:sqlite";
import { SluicegateError } from "../../../errors/index.ts";
import { BoundedMap } from "../../../json/bounded-map.ts";
import { toPage } from "../page.ts";
import type {
  ForeignKey,
  SqlPage,
  SqlPageRequest,
  SqlParameters,
  SqlRefusal,
  TableDescription,
  TableInfo,
} from "../sql-engine.ts";
import { bindValues } from "./bind-values.ts";
import { checkStatement } from "./reading/check-statement.ts";
import { type BoundValues, Compiler, rowsOf } from "./reading/compile.ts";
import { findVariants, type QueryVariants, type Way } from "./reading/find-variants.ts";
import { foldName } from "./reading/tokens.ts";
import { type CatalogueTable, readCatalogue, type SchemaCatalog } from "./schema-catalog.ts";
import { limitValues, openReadOnly } from "./sqlite-module.ts";

/** A statement and its values. */
export interface Question {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/** A statement with the variant that was chosen. */
export interface ChosenWay extends Question {
  readonly way: Way;
}

interface Found {
  readonly found: QueryVariants;
  readonly values: BoundValues;
}

/** Cached examinations, so that a query isn't examined again when it runs. */
const MAX_REMEMBERED = 64;

export class DatabaseReader {
  readonly #database: DatabaseSync;
  #catalogue: SchemaCatalog | null = null;
  #version: unknown = null;
  readonly #remembered = new BoundedMap<string, Found>(MAX_REMEMBERED);

  constructor(path: string) {
    this.#database = openReadOnly(path);
    this.#inTransaction(() => {});
  }

  /** What a statement reads, by variant; or why it is refused. */
  examine(question: Question): (QueryVariants & { readonly names: string }) | SqlRefusal {
    return this.#inTransaction((catalogue) => {
      const found = this.#find(question, catalogue);
      return found.kind === "refused" ? found : { ...found.found, names: catalogue.names };
    });
  }

  /** The rows of an examined statement, if it still reads the same. */
  run({ way, ...question }: ChosenWay, page: SqlPageRequest): SqlPage {
    return this.#inTransaction((catalogue) => {
      const found = this.#find(question, catalogue);
      if (found.kind === "refused") throw changed();
      const same = found.found.ways.find((one) => JSON.stringify(one) === JSON.stringify(way));
      if (same === undefined) throw changed();
      const compiled = new Compiler(this.#database, catalogue).compile(same.sql);
      if (compiled.kind === "refused") throw changed();
      const { statement } = compiled;
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      const columns = statement.columns().map(({ name }) => name);
      limitValues(this.#database, columns.length);
      try {
        return toPage(columns, rowsOf(statement, found.values) as Iterable<readonly unknown[]>, page);
      } catch (error) {
        throw SluicegateError.isInstance(error) ? error : failed(error);
      } finally {
        limitValues(this.#database, 1);
      }
    });
  }

  tables(): readonly TableInfo[] {
    return this.#inTransaction(listTables);
  }

  describe(table: string): TableDescription | null {
    return this.#inTransaction((catalogue) => describeTable(this.#database, catalogue, table));
  }

  close(): void {
    this.#database.close();
  }

  #find(question: Question, catalogue: SchemaCatalog): (Found & { kind: "found" }) | SqlRefusal {
    const key = JSON.stringify([question.sql, question.parameters]);
    const known = this.#remembered.get(key);
    if (known !== undefined) return { kind: "found", ...known };
    const statement = checkStatement(question.sql);
    if ("kind" in statement) return statement;
    const bound = bindValues(statement, question.parameters);
    if (bound.kind === "refused") return bound;
    const compiler = new Compiler(this.#database, catalogue);
    const found = findVariants(compiler, catalogue, statement, bound.values);
    if (found.kind === "refused") return found;
    this.#remembered.set(key, { found, values: bound.values });
    return { kind: "found", found, values: bound.values };
  }

  /** INVARIANT: in a transaction the catalog doesn't change, so the examination is valid for the run. */
  #inTransaction<Value>(use: (catalogue: SchemaCatalog) => Value): Value {
    this.#database.setAuthorizer(null);
    this.#database.exec("BEGIN");
    try {
      const version = this.#database.prepare("PRAGMA main.schema_version").get()?.schema_version;
      if (this.#catalogue === null || version !== this.#version) {
        this.#remembered.clear();
        this.#catalogue = readCatalogue(this.#database);
        this.#version = version;
      }
      return use(this.#catalogue);
    } finally {
      this.#database.setAuthorizer(null);
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    }
  }
}

const changed = (): SluicegateError =>
  new SluicegateError("not-ready", "The query was not run.", {
    why: "The tables of the database have changed since it was examined.",
    fix: "Call it again.",
  });

/** SQLite's message may contain data; the query's label covers them. */
function failed(error: unknown): SluicegateError {
  const words =
    error instanceof Error ? error.message.slice(0, 500).replace(/\.?$/, ".") : "It gave no reason.";
  return new SluicegateError("invalid-request", "The query failed while it ran.", {
    why: `SQLite says: ${words}`,
    fix: "Change the query so that it avoids this.",
  });
}

/** SQLite's own tables, and the data tables of virtual tables, are left out. */
function listTables(catalogue: SchemaCatalog): readonly TableInfo[] {
  return [...catalogue.tables.values()]
    .filter(isShown)
    .map(toInfo)
    .sort((left, right) => (left.table < right.table ? -1 : 1));
}

function describeTable(
  database: DatabaseSync,
  catalogue: SchemaCatalog,
  name: string,
): TableDescription | null {
  const table = catalogue.tables.get(foldName(name));
  if (table === undefined || !isShown(table)) return null;
  return { ...toInfo(table), columns: table.columns, foreignKeys: foreignKeysOf(database, table.name) };
}

const isShown = ({ kind, sql }: CatalogueTable): boolean =>
  kind === "table" || kind === "view" || (kind === "virtual" && /^\s*CREATE\s+VIRTUAL\b/i.test(sql));

const toInfo = ({ name, kind }: CatalogueTable): TableInfo => ({
  schema: null,
  table: name,
  kind: kind === "view" || kind === "virtual" ? kind : "table",
});

function foreignKeysOf(database: DatabaseSync, table: string): readonly ForeignKey[] {
  const rows = database
    .prepare("SELECT * FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq")
    .all(table);
  const keys = new Map<unknown, { columns: string[]; table: string; references: string[] }>();
  for (const row of rows) {
    const key = keys.get(row.id) ?? { columns: [], table: String(row.table), references: [] };
    key.columns.push(String(row.from));
    // If the declaration doesn't name it, it is the other table's primary key.
    if (row.to !== null) key.references.push(String(row.to));
    keys.set(row.id, key);
  }
  return [...keys.values()].map((key) => ({ ...key, table: { schema: null, table: key.table } }));
}
