/**
 * Compiles statements under SQLite's authorizer, which reports what they read and permits nothing but reading. The
 * report is incomplete: see `find-reading.ts`.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { SqlRefusal } from "../../sql-engine.ts";
import type { SchemaCatalog } from "../schema-catalog.ts";
import { constants } from "../sqlite-module.ts";
import { ALLOWED_FUNCTIONS, ALLOWED_TABLE_FUNCTIONS } from "./allowed-functions.ts";
import { forbidden, refusal } from "./check-statement.ts";
import { foldName } from "./tokens.ts";

/** Values for a statement's parameters, by position or by name. */
export type BoundValues = readonly SQLInputValue[] | Readonly<Record<string, SQLInputValue>>;

export interface Read {
  readonly table: string;
  /** Empty if only the number of rows counts. */
  readonly column: string;
}

interface Compiled {
  readonly kind: "compiled";
  readonly statement: StatementSync;
  readonly reads: readonly Read[];
}

/** A column as one text, for sets. */
export const columnKey = (table: string, column: string): string => `${foldName(table)}\0${foldName(column)}`;

interface Watch {
  readonly reads: Read[];
  denied: SqlRefusal | null;
}

/** The authorizer, which is also called while a statement runs. */
export class Compiler {
  readonly #database: DatabaseSync;
  readonly #catalogue: SchemaCatalog;

  constructor(database: DatabaseSync, catalogue: SchemaCatalog) {
    this.#database = database;
    this.#catalogue = catalogue;
  }

  /**
   * Compiles a statement, with NULL for the ignored columns. A refusal depends on the catalog: a missing table is
   * reported first.
   */
  compile(sql: string, ignored: ReadonlySet<string> = new Set()): Compiled | SqlRefusal {
    const watch: Watch = { reads: [], denied: null };
    this.#database.setAuthorizer((code, first, second) =>
      this.#authorize(watch, ignored, code, first, second),
    );
    try {
      const statement = this.#database.prepare(sql);
      return { kind: "compiled", statement, reads: watch.reads };
    } catch (error) {
      return watch.denied === null ? incorrect(error) : { ...watch.denied, catalog: true };
    }
  }

  /** SQLite's compiled program of a statement, a text per instruction; null if there is none. */
  program(sql: string, values: BoundValues, ignored?: ReadonlySet<string>): readonly Instruction[] | null {
    const compiled = this.compile(`EXPLAIN ${sql}`, ignored);
    if (compiled.kind === "refused") return null;
    return allOf(compiled.statement, values) as unknown as readonly Instruction[];
  }

  #authorize(
    watch: Watch,
    ignored: ReadonlySet<string>,
    code: number,
    first: string | null,
    second: string | null,
  ) {
    if (code === constants.SQLITE_SELECT || code === constants.SQLITE_RECURSIVE) return constants.SQLITE_OK;
    if (code === constants.SQLITE_FUNCTION) return this.#mayCall(watch, second ?? "");
    if (code === constants.SQLITE_READ) return this.#mayRead(watch, ignored, first ?? "", second ?? "");
    // Full-text search needs this itself.
    if (code === constants.SQLITE_PRAGMA && first === "data_version" && second === null)
      return constants.SQLITE_OK;
    watch.denied ??= forbidden();
    return constants.SQLITE_DENY;
  }

  #mayCall(watch: Watch, name: string): number {
    if (ALLOWED_FUNCTIONS.has(foldName(name))) return constants.SQLITE_OK;
    watch.denied ??= refusal(
      "The statement was refused, and nothing was run.",
      `It calls the function \`${name}\`, which is not allowed here.`,
      "Leave that function out.",
    );
    return constants.SQLITE_DENY;
  }

  /** For common table expressions (`WITH`), the authorizer reports that rows count, but no columns. */
  #isReadable(table: string, column: string): boolean {
    if (this.#catalogue.tables.has(table) || ALLOWED_TABLE_FUNCTIONS.has(table)) return true;
    return column === "" && !table.startsWith("pragma_") && !this.#catalogue.modules.has(table);
  }

  #mayRead(watch: Watch, ignored: ReadonlySet<string>, table: string, column: string): number {
    if (!this.#isReadable(foldName(table), column)) {
      watch.denied ??= notATable(table);
      return constants.SQLITE_DENY;
    }
    watch.reads.push({ table, column });
    return ignored.has(columnKey(table, column)) ? constants.SQLITE_IGNORE : constants.SQLITE_OK;
  }
}

/** One instruction of SQLite's virtual machine. */
export interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
  readonly p5: number;
}

function allOf(statement: StatementSync, values: BoundValues): readonly Record<string, unknown>[] {
  return isPositional(values) ? statement.all(...values) : statement.all({ ...values });
}

/** The rows of a statement, one after the other. */
export function rowsOf(statement: StatementSync, values: BoundValues): Iterable<unknown> {
  return isPositional(values) ? statement.iterate(...values) : statement.iterate({ ...values });
}

const isPositional = (values: BoundValues): values is readonly SQLInputValue[] => Array.isArray(values);

/** The refusal of something that SQLite could read, such as `dbstat`. */
export const notATable = (name: string): SqlRefusal =>
  refusal(
    "The statement was refused, and nothing was run.",
    `It reads \`${name}\`, which is not a table of this database.`,
    "Use `list_tables` and `describe_table` to see what there is.",
    true,
  );

/** SQLite's message is about the statement and the catalog; no row was read. */
function incorrect(error: unknown): SqlRefusal {
  const words = error instanceof Error ? error.message.slice(0, 500) : "";
  // Other errors also contain names from the statement.
  const isGrammar = /^(near ".*": syntax error$|unrecognized token: |incomplete input$)/s.test(words);
  return refusal(
    "The query is not correct, and nothing was run.",
    words === "" ? "SQLite can't read it." : `SQLite says: ${words.replace(/\.?$/, ".")}`,
    isGrammar ? "Correct the SQL." : "Use `describe_table` to see the columns of a table.",
    !isGrammar,
  );
}
