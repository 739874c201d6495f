/**
 * What a query reads. Added to the authorizer's report: columns that NATURAL and USING compare, the sources of
 * generated columns, and a whole table if its row numbers are read. Removed from it: columns that the text names (for
 * example in a view) and the program doesn't use.
 */
import type { SqlRefusal } from "../../sql-engine.ts";
import type { CatalogueTable, SchemaCatalog } from "../schema-catalog.ts";
import type { Statement } from "./check-statement.ts";
import {
  type BoundValues,
  type Compiler,
  columnKey,
  type Instruction,
  notATable,
  type Read,
} from "./compile.ts";
import { findNamedTables, type NamedTables, type NamingText } from "./named-tables.ts";
import { foldName, isNaming, namedBy, type Token } from "./tokens.ts";

/** Columns by key, in the order in which they were found. */
export type ColumnSet = ReadonlyMap<string, Read>;

export interface Reading {
  readonly kind: "reading";
  readonly columns: ColumnSet;
  /** Base tables of which the query reads anything, even only the number of rows. */
  readonly tables: readonly CatalogueTable[];
  readonly named: NamedTables;
  /** Columns that the text names and the program doesn't use. */
  readonly unused: readonly Read[];
  /** Whether the numbers of rows are read in a table without a column for them. */
  readonly byRowNumber: boolean;
  readonly catalog: boolean;
  readonly unresolved: string | null;
  readonly program: readonly Instruction[];
}

/** Columns that are tested for removal; if there are more, all count as read. */
const MAX_TRIALS = 128;

export function findReading(
  compiler: Compiler,
  catalogue: SchemaCatalog,
  statement: Statement,
  values: BoundValues,
): Reading | SqlRefusal {
  const compiled = compiler.compile(statement.sql);
  if (compiled.kind === "refused") return compiled;
  const shown = compiled.statement.columns().map(({ table, column }) => columnKey(table ?? "", column ?? ""));
  const named = findNamedTables(statement, catalogue);
  const module = findHiddenModule(named);
  if (module !== null) return notATable(module);
  const joined = sortOut(findHiddenJoins(named), catalogue);
  const told = sortOut(compiled.reads, catalogue);
  const hidden = joined.columns;
  const program = compiler.program(statement.sql, values) ?? [];
  const fixed = new Set([...shown, ...hidden.keys(), ...told.rowNumbers.keys()]);
  const columns = new Map(told.columns);
  const isSure = told.unresolved === null && program.length > 0;
  if (isSure) leaveOutUnused({ compiler, sql: statement.sql, values, program, columns, fixed });
  for (const [key, column] of [...hidden, ...told.rowNumbers]) columns.set(key, column);
  return {
    kind: "reading",
    columns: withSources(columns, catalogue),
    tables: [...told.tables],
    named,
    unused: [...told.columns].flatMap(([key, read]) =>
      !columns.has(key) && isNamedIn(statement.sql, read) ? [read] : [],
    ),
    byRowNumber: told.byRowNumber,
    catalog: told.catalog || joined.catalog,
    unresolved: told.unresolved ?? joined.unresolved ?? whyUnsure(program, told, named),
    program,
  };
}

/** In doubt true: the name may be in a text or a comment. */
const isNamedIn = (sql: string, { column }: Read): boolean => foldName(sql).includes(foldName(column));

/** INVARIANT: everything that is read is named in the text; otherwise SQLite reads another text. */
function whyUnsure(
  program: readonly Instruction[],
  { tables }: AuthorizerReads,
  named: NamedTables,
): string | null {
  if (program.length === 0) return "SQLite made no program of it.";
  if (!named.isWhole) return "The text of a view can't be read.";
  return [...tables].every((table) => named.tables.includes(table))
    ? null
    : "It reads a table that isn't named in it.";
}

export const toColumnSet = (reads: readonly Read[]): ColumnSet =>
  new Map(reads.map((read) => [columnKey(read.table, read.column), read]));

interface AuthorizerReads {
  readonly columns: Map<string, Read>;
  readonly rowNumbers: Map<string, Read>;
  readonly tables: Set<CatalogueTable>;
  byRowNumber: boolean;
  catalog: boolean;
  unresolved: string | null;
}

/** Views and functions are dropped: what they read is reported too. */
function sortOut(reads: readonly Read[], catalogue: SchemaCatalog): AuthorizerReads {
  const told: AuthorizerReads = {
    columns: new Map(),
    rowNumbers: new Map(),
    tables: new Set(),
    byRowNumber: false,
    catalog: false,
    unresolved: null,
  };
  for (const read of reads) {
    const table = catalogue.tables.get(foldName(read.table));
    if (table === undefined || table.kind === "view") continue;
    if (table.kind === "catalog") addCatalogRead(told, read.column);
    else if (table.kind === "table") addRead(told, table, read.column);
    else told.unresolved ??= `\`${table.name}\` is not an ordinary table.`;
  }
  return told;
}

/** The catalog's columns with names only. `sql` contains defaults, bounds and literals, which may be data. */
const NAMES: ReadonlySet<string> = new Set(["", "type", "name", "tbl_name"]);

function addCatalogRead(told: AuthorizerReads, column: string): void {
  told.catalog = true;
  if (NAMES.has(foldName(column))) return;
  told.unresolved ??= "It reads more of the catalogue than the names of tables.";
}

function addRead(told: AuthorizerReads, table: CatalogueTable, column: string): void {
  told.tables.add(table);
  if (column === "") return;
  const key = columnKey(table.name, column);
  const known = table.columns.find(({ name }) => columnKey(table.name, name) === key);
  if (known !== undefined) told.columns.set(key, { table: table.name, column: known.name });
  // The authorizer reports a row's number under the name of a column that may exist.
  const isColumn = foldName(column) !== "rowid" || table.key.length > 0;
  if (known !== undefined && isColumn) return;
  told.byRowNumber = true;
  for (const { name } of table.columns)
    told.rowNumbers.set(columnKey(table.name, name), { table: table.name, column: name });
}

interface Trial {
  readonly compiler: Compiler;
  readonly sql: string;
  readonly values: BoundValues;
  readonly program: readonly Instruction[];
  readonly columns: Map<string, Read>;
  /** Columns that can't be removed. */
  readonly fixed: ReadonlySet<string>;
}

/**
 * INVARIANT: equal programs compute equal results. A program compiled with NULL instead of a column can't depend on
 * that column; if it equals the original program, neither can the result.
 */
function leaveOutUnused({ compiler, sql, values, program, columns, fixed }: Trial): void {
  const candidates = [...columns.keys()].filter((key) => !fixed.has(key));
  if (candidates.length > MAX_TRIALS) return;
  const original = JSON.stringify(program);
  const unused = new Set<string>();
  for (const key of candidates) {
    unused.add(key);
    const without = compiler.program(sql, values, unused);
    if (without === null || JSON.stringify(without) !== original) unused.delete(key);
  }
  for (const key of unused) columns.delete(key);
}

/** Adds the sources of generated columns, recursively. */
export function withSources(columns: ColumnSet, { tables }: Pick<SchemaCatalog, "tables">): ColumnSet {
  const all = new Map(columns);
  // Columns added during the loop are visited too.
  for (const { table, column } of all.values()) {
    const sources = tables.get(foldName(table))?.generated.get(foldName(column)) ?? [];
    for (const source of sources) {
      const key = columnKey(table, source);
      if (!all.has(key)) all.set(key, { table, column: source });
    }
  }
  return all;
}

/**
 * Every column that NATURAL and USING may compare. SQLite's authorizer doesn't report them: `SELECT 1 FROM a NATURAL
 * JOIN b` seems to read no column. A join is between relations that its own text names: the statement's, or a view's.
 * What a view names is read through the view's columns.
 */
const findHiddenJoins = ({ texts }: NamedTables): readonly Read[] =>
  texts.filter(isJoining).flatMap(hiddenIn);

/**
 * What such a join may read that isn't a table of the database, since SQLite's authorizer isn't called for it; or
 * null.
 */
const findHiddenModule = ({ texts }: NamedTables): string | null =>
  texts.filter(isJoining).flatMap(({ modules }) => modules)[0] ?? null;

const isJoining = ({ tokens }: NamingText): boolean =>
  tokens.some(({ keyword }) => keyword === "NATURAL" || keyword === "USING");

function hiddenIn(text: NamingText): readonly Read[] {
  const using = new Set(columnsOfUsing(text.tokens));
  const isNatural = text.tokens.some(({ keyword }) => keyword === "NATURAL");
  const isShared = isNatural ? sharing(text) : () => false;
  const isCompared = (table: CatalogueTable, name: string): boolean =>
    using.has(name) || isShared(table, name);
  return [...text.tables].flatMap((table) => {
    if (table.kind === "view") return [];
    // THREAT: a full-text index is searched by comparing a hidden column.
    if (table.kind === "virtual") return [{ table: table.name, column: "" }];
    const compared = table.columns.filter(({ name }) => isCompared(table, foldName(name)));
    return compared.map(({ name }) => ({ table: table.name, column: name }));
  });
}

function columnsOfUsing(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ keyword, depth }, index) => {
    if (keyword !== "USING") return [];
    const list = tokens.slice(index + 2);
    const end = list.findIndex((token) => token.depth <= depth);
    return list
      .slice(0, end < 0 ? undefined : end)
      .filter(isNaming)
      .map(namedBy);
  });
}

/**
 * Whether the other side of a NATURAL join may have a column of this name: another table or view has one, the table
 * itself is named twice, the name is in the text (as an alias), or SQLite may compute it.
 */
function sharing({ tokens, tables }: NamingText): (table: CatalogueTable, column: string) => boolean {
  const times = new Map<string, number>();
  const owners = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const token of tokens) if (isNaming(token)) count(times, namedBy(token));
  for (const { columns } of tables) for (const { name } of columns) count(owners, foldName(name));
  const hasFunction = [...times.keys()].some((name) => /^jsonb?_(each|tree)$/.test(name));
  return (table, column) =>
    hasFunction ||
    (owners.get(column) ?? 0) > 1 ||
    (times.get(foldName(table.name)) ?? 0) > 1 ||
    times.has(column) ||
    !/^[a-z_][a-z0-9_]*$/.test(column) ||
    /^column\d+$/.test(column);
}
