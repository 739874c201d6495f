/**
 * The port between the provider of a database and its engine (SQLite, PostgreSQL). An engine says what a query reads
 * before it runs, and runs exactly what it examined. It knows names of columns and no labels.
 */

/** A column of a base table, spelled as the catalogue spells it. `schema` is null if the engine has none. */
export interface ColumnName {
  readonly schema: string | null;
  readonly table: string;
  readonly column: string;
}

/** A table or a view, spelled as the catalogue spells it. */
export interface TableName {
  readonly schema: string | null;
  readonly table: string;
}

/** A base table whose number of rows shows. */
export interface TableReading extends TableName {
  /** The names of all its columns; left out, the worst is taken for granted. */
  readonly columns?: readonly string[];
}

/** An aggregate of the outermost select list, and what shows through it alone. */
export interface AggregateReading {
  /** Its name, in lower case. */
  readonly function: string;
  readonly columns: readonly ColumnName[];
  /** Tables whose number of rows shows in it alone, as in `SELECT count(*) FROM t`; `tables` doesn't hold them. */
  readonly tables: readonly TableReading[];
}

/** What one query reads, found before it runs. In doubt, more is said to be read. */
export interface SqlReading {
  /** Columns of base tables that the result may depend on in any way: its values, its rows and their order. */
  readonly columns: readonly ColumnName[];
  /** Base tables whose number of rows shows, though none of their columns is read. */
  readonly tables: readonly TableReading[];
  /** Columns that show in an aggregate of the outermost select list and nowhere else; `columns` doesn't hold them. */
  readonly aggregated: readonly AggregateReading[];
  /** Columns that the statement names and doesn't read: no value of them shows, and yet that they are there. */
  readonly named?: readonly ColumnName[];
  /** Whether it reads names and types of tables and columns. */
  readonly catalog: boolean;
  /** Why a part of it couldn't be resolved, so that the worst label of the database holds; null if all was. */
  readonly unresolved: string | null;
}

/** Positional values, or values by name (SQLite only). JSON values; an engine refuses what it can't bind. */
export type SqlParameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A way to run a query. All ways of one query give the same rows, though maybe in another order. */
export interface QueryVariant {
  readonly reading: SqlReading;
  /** The engine's own, handed back to `run` as it is. */
  readonly prepared: unknown;
}

/** A wrong or forbidden statement. Nothing runs; the sentences are for whoever wrote it. */
export interface SqlRefusal {
  readonly kind: "refused";
  /** Whether the sentences depend on the catalogue ("no such column"), and not on the statement's text alone. */
  readonly catalog: boolean;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
}

/** What was found out about a statement. */
export type SqlExamined =
  | {
      readonly kind: "query";
      /** At least one, the preferred one first. The first with the least label is run. */
      readonly ways: readonly [QueryVariant, ...QueryVariant[]];
      /** Differs where the names of tables and columns do; left out by an engine that doesn't tell. */
      readonly names?: string;
    }
  | SqlRefusal;

/** On whose behalf something is examined. */
export interface SqlAsked {
  readonly signal?: AbortSignal | undefined;
  /** Label holders take turns where statements wait for each other. */
  readonly labelHolder?: string | undefined;
}

/** Which rows are wanted. */
export interface SqlPageRequest {
  /** How many rows are passed over. */
  readonly offset: number;
  /** At most so many rows. */
  readonly limit: number;
  /** At most so many bytes of JSON; a page always has its first row. */
  readonly bytes: number;
  /** Whether the query's label covers names and types, so that the words of an error may hold them. By default not. */
  readonly showsNames?: boolean;
}

/** A value as JSON has it, made by `toCell`. */
export type SqlCell =
  | string
  | number
  | boolean
  | null
  | { readonly bytes: number; readonly preview_hex: string };

/** A cell that was too long to be given in full. */
export interface CutCell {
  /** The row's place in this page, from 0. */
  readonly row: number;
  readonly column: string;
  /** How long the value is, in bytes. */
  readonly bytes: number;
}

export interface SqlPage {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly cut: readonly CutCell[];
  /** Whether there are rows behind these. */
  readonly more: boolean;
}

export interface TableInfo extends TableName {
  /** `virtual` is what a module of the database makes up, such as an index for full-text search. */
  readonly kind: "table" | "view" | "virtual";
}

export interface ColumnInfo {
  readonly name: string;
  /** As the database declares it; empty if it declares none. */
  readonly type: string;
  readonly nullable: boolean;
  /** The column's place in the primary key, from 1; 0 where it isn't part of it. */
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

/** Whether an engine can be asked, and why not. */
export interface SqlEngineState {
  readonly status: "starting" | "ready" | "down" | "closed";
  /** For operators, as a sentence; null if it is ready. Never holds a password. */
  readonly problem: string | null;
}

/** One database behind a gate. Every method rejects with a `SluicegateError`, worded without any data. */
export interface SqlEngine {
  readonly state: SqlEngineState;
  /** Resolves when the database has answered for the first time, or failed to for now. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Says what a statement reads. Runs nothing of it.
   * @throws SluicegateError `upstream-unavailable` where the database can't be asked, `upstream-timeout`.
   */
  examine(sql: string, parameters: SqlParameters, asked?: SqlAsked): Promise<SqlExamined>;
  /**
   * Runs what was examined, in a read-only transaction and within the limits. What the query reads is checked once
   * more, in that same transaction: a catalogue that has changed since is an error.
   * @throws SluicegateError `invalid-request` for an error of the query itself (worded for the model; its label is
   * that of the query), `upstream-timeout`, `upstream-unavailable`, `not-ready` where the catalogue has changed.
   */
  run(prepared: unknown, page: SqlPageRequest, signal?: AbortSignal): Promise<SqlPage>;
  /** Every table and view that a query can name, in a fixed order. */
  tables(signal?: AbortSignal): Promise<readonly TableInfo[]>;
  /**
   * Finds a table or a view, or null if there is none: by a text, as a model writes its name (`orders`,
   * `sales.orders`), or by its name as the catalogue spells it.
   */
  describe(table: string | TableName, signal?: AbortSignal): Promise<TableDescription | null>;
  /** The statement that reads one row by its key: quoted names, and one positional parameter. */
  selectRow(table: TableName, key: string): string;
  /** One spelling for all that mean the same name to this engine: SQLite ignores the case of ASCII letters. */
  foldName(name: string): string;
  /** Calls back when the state has changed. Returns how to stop. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

/** What every engine is opened with. */
export interface SqlEngineOptions {
  /** The database's id in the policy, for messages. */
  readonly id: string;
  /** The longest that one statement may take. */
  readonly seconds: number;
}
