/**
 * The port between a database's provider and its engine (SQLite, PostgreSQL). An engine determines what a query reads
 * before it runs, and runs exactly what it examined. It knows names of columns, but no labels.
 */

/** A column of a base table, as spelled in the catalog. `schema` is null if the engine has none. */
export interface ColumnName {
  readonly schema: string | null;
  readonly table: string;
  readonly column: string;
}

/** A table or a view, as spelled in the catalog. */
export interface TableName {
  readonly schema: string | null;
  readonly table: string;
}

/** A base table whose number of rows affects the result. */
export interface TableReading extends TableName {
  /** The names of all its columns; left out, the worst case is assumed. */
  readonly columns?: readonly string[];
}

/** An aggregate of the outermost select list, and what affects only its result. */
export interface AggregateReading {
  /** Its name, in lower case. */
  readonly function: string;
  readonly columns: readonly ColumnName[];
  /** Tables whose number of rows affects only this aggregate, as in `SELECT count(*) FROM t`; not in `tables`. */
  readonly tables: readonly TableReading[];
}

/** What a query reads, determined before it runs. In doubt, more counts as read. */
export interface SqlReading {
  /** Columns of base tables on which the result may depend: its values, its rows and their order. */
  readonly columns: readonly ColumnName[];
  /** Base tables whose number of rows affects the result, although none of their columns is read. */
  readonly tables: readonly TableReading[];
  /** Columns that affect only an aggregate of the outermost select list; not in `columns`. */
  readonly aggregated: readonly AggregateReading[];
  /** Columns that the statement names without reading them: only their existence is revealed. */
  readonly named?: readonly ColumnName[];
  /** Whether it reads names and types of tables and columns. */
  readonly catalog: boolean;
  /** Why a part couldn't be resolved, so that the database's highest label counts; null if all was. */
  readonly unresolved: string | null;
}

/** Positional values, or values by name (SQLite only). JSON values; an engine refuses others. */
export type SqlParameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A way to run a query. All variants return the same rows, perhaps in another order. */
export interface QueryVariant {
  readonly reading: SqlReading;
  /** The engine's own data, passed back to `run` unchanged. */
  readonly prepared: unknown;
}

/** A wrong or forbidden statement. Nothing runs; the sentences are for its author. */
export interface SqlRefusal {
  readonly kind: "refused";
  /** Whether the sentences depend on the catalog ("no such column"), and not only on the statement's text. */
  readonly catalog: boolean;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
}

/** What was found out about a statement. */
export type SqlExamined =
  | {
      readonly kind: "query";
      /** At least one, the preferred one first. The first with the lowest label is run. */
      readonly ways: readonly [QueryVariant, ...QueryVariant[]];
      /** Differs if the names of tables and columns differ; left out by an engine that doesn't know. */
      readonly names?: string;
    }
  | SqlRefusal;

/** Which rows are wanted. */
export interface SqlPageRequest {
  /** How many rows are skipped. */
  readonly offset: number;
  /** At most so many rows. */
  readonly limit: number;
  /** At most so many bytes of JSON; a page always has its first row. */
  readonly bytes: number;
  /** Whether the query's label covers names and types, so that an error's message may contain them. Default: no. */
  readonly showsNames?: boolean;
}

/** A JSON value, made by `toCell`. */
export type SqlCell =
  | string
  | number
  | boolean
  | null
  | { readonly bytes: number; readonly preview_hex: string };

/** A truncated cell. */
export interface CutCell {
  /** The row's position in this page, from 0. */
  readonly row: number;
  readonly column: string;
  /** How long the value is, in bytes. */
  readonly bytes: number;
}

export interface SqlPage {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly cut: readonly CutCell[];
  /** Whether more rows follow. */
  readonly more: boolean;
}

export interface TableInfo extends TableName {
  /** `virtual` tables are computed by a module, such as an index for full-text search. */
  readonly kind: "table" | "view" | "virtual";
}

export interface ColumnInfo {
  readonly name: string;
  /** As declared in the database; empty without a declaration. */
  readonly type: string;
  readonly nullable: boolean;
  /** The column's position in the primary key, from 1; 0 if it isn't part of it. */
  readonly primaryKey: number;
}

/** A column of a table that refers to another table. */
export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: TableName;
  readonly references: readonly string[];
}

export interface TableDescription extends TableInfo {
  readonly columns: readonly ColumnInfo[];
  readonly foreignKeys: readonly ForeignKey[];
}

/** Whether an engine is available, and if not, why. */
export interface SqlEngineState {
  readonly status: "starting" | "ready" | "down" | "closed";
  /** For operators, as a sentence; null if it is ready. Never contains a password. */
  readonly problem: string | null;
}

/** One database behind a gate. Methods reject with a `SluicegateError` whose text contains no data. */
export interface SqlEngine {
  readonly state: SqlEngineState;
  /** Resolves when the database has answered for the first time, or failed to. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Determines what a statement reads, without running it.
   * @throws SluicegateError `upstream-unavailable`, `upstream-timeout`.
   */
  examine(sql: string, parameters: SqlParameters, signal?: AbortSignal): Promise<SqlExamined>;
  /**
   * Runs what was examined, in a read-only transaction and within the limits. In the same transaction it checks again
   * what the query reads: if the catalog has changed since, that is an error.
   * @throws SluicegateError `invalid-request` for an error of the query itself (worded for the model; its label is
   *   that of the query), `upstream-timeout`, `upstream-unavailable`, `not-ready` if the catalog has changed.
   */
  run(prepared: unknown, page: SqlPageRequest, signal?: AbortSignal): Promise<SqlPage>;
  /** Every table and view that a query can name, in a fixed order. */
  tables(signal?: AbortSignal): Promise<readonly TableInfo[]>;
  /**
   * Finds a table or a view: by a text, as a model writes its name (`orders`, `sales.orders`), or by its name as
   * spelled in the catalog; null if there is none.
   */
  describe(table: string | TableName, signal?: AbortSignal): Promise<TableDescription | null>;
  /** The statement that reads one row by its key: quoted names, and one positional parameter. */
  selectRow(table: TableName, key: string): string;
  /** The same spelling for names that are equal in this engine: SQLite ignores the case of ASCII letters. */
  foldName(name: string): string;
  /** Calls the listener when the state has changed. Returns a function that ends this. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Options of every engine. */
export interface SqlEngineOptions {
  /** The database's id in the policy, for messages. */
  readonly id: string;
  /** The longest that one statement may take. */
  readonly seconds: number;
}

/** A name in the quotes of the standard. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
