/**
 * The variants of a query, and what each of them reads. As written, a query also depends on the order in which its
 * tables and indexes are read; if that adds a column, it may be run over sorted tables instead.
 */
import type { AggregateReading, ColumnName, SqlReading, SqlRefusal, TableReading } from "../../sql-engine.ts";
import type { CatalogueTable, SchemaCatalog, StoredTree } from "../schema-catalog.ts";
import { checkStatement, type Statement } from "./check-statement.ts";
import { type BoundValues, type Compiler, columnKey, type Instruction, type Read } from "./compile.ts";
import { findOuterAggregates, NO_AGGREGATES, type OuterAggregates } from "./find-aggregates.ts";
import { type ColumnSet, findReading, type Reading, toColumnSet, withSources } from "./find-reading.ts";
import { overSortedTables } from "./sorted-tables.ts";
import { foldName } from "./tokens.ts";

/** A variant: the statement that is run, and what it reads. */
export interface Way {
  readonly sql: string;
  readonly reading: SqlReading;
}

export interface QueryVariants {
  readonly kind: "ways";
  readonly ways: readonly Way[];
}

export function findVariants(
  compiler: Compiler,
  catalogue: SchemaCatalog,
  statement: Statement,
  values: BoundValues,
): QueryVariants | SqlRefusal {
  const whole = findReading(compiler, catalogue, statement, values);
  if (whole.kind === "refused") return whole;
  // A column of a view may be anything.
  const outer = whole.named.views.length > 0 ? NO_AGGREGATES : findOuterAggregates(statement);
  const shown =
    outer.found.length > 0 ? withoutAggregates(compiler, catalogue, statement, values, outer) : whole;
  const parts = split(whole, shown?.columns ?? whole.columns, outer, catalogue);
  const ordering = findOrderColumns(whole.program, catalogue);
  const order = ordering && [...withSources(toColumnSet(ordering), catalogue).values()];
  const asWritten: Way = { sql: statement.sql, reading: toReading(whole, parts, outer, order) };
  const isOrdered = order?.every(({ table, column }) => parts.shown.has(columnKey(table, column))) === true;
  const sorted = isOrdered ? null : overSortedTables(statement, whole, parts, compiler);
  if (sorted === null) return { kind: "ways", ways: [asWritten] };
  const inFull = isMixed(compiler.program(sorted, values), parts, outer)
    ? [...parts.aggregated.values()]
    : [];
  return {
    kind: "ways",
    ways: [asWritten, { sql: sorted, reading: toReading(whole, parts, outer, inFull) }],
  };
}

/**
 * Whether columns of aggregates may show by more than those aggregates, though the tables are sorted: a temporary index
 * of a copy orders its rows by them, and a text or a sum of one column is made in the order of the others.
 */
function isMixed(
  program: readonly Instruction[] | null,
  { aggregated }: Parts,
  { found }: OuterAggregates,
): boolean {
  if (program?.some(({ opcode }) => opcode === "OpenAutoindex") !== false) return true;
  return aggregated.size > 1 && found.some((one) => one.column !== null && !UNORDERED.has(one.function));
}

/** Aggregates whose result is the same in any order of the rows. */
const UNORDERED = new Set(["count", "median"]);

/** What is read if the aggregates count rows instead. */
function withoutAggregates(
  compiler: Compiler,
  catalogue: SchemaCatalog,
  { sql }: Statement,
  values: BoundValues,
  { found }: OuterAggregates,
): Reading | null {
  let text = sql;
  for (const { start, end } of found.toReversed()) text = `${text.slice(0, start)}count(*)${text.slice(end)}`;
  const replaced = checkStatement(text);
  if ("kind" in replaced) return null;
  const reading = findReading(compiler, catalogue, replaced, values);
  return reading.kind === "reading" ? reading : null;
}

interface Parts {
  readonly shown: ColumnSet;
  readonly aggregated: ColumnSet;
}

/**
 * Columns that affect only aggregates that name them. THREAT: a generated column may be `CASE WHEN salary > 100 THEN
 * 1 END`, so its sources count in full.
 */
function split(
  whole: Reading,
  elsewhere: ColumnSet,
  { found }: OuterAggregates,
  { tables }: SchemaCatalog,
): Parts {
  const named = new Set(found.map(({ column }) => column));
  const isGenerated = ({ table, column }: Read): boolean =>
    tables.get(foldName(table))?.generated.has(foldName(column)) === true;
  const entries = [...whole.columns];
  const made = withSources(new Map(entries.filter(([, read]) => isGenerated(read))), { tables });
  const isAggregated = ([key, { column }]: readonly [string, Read]): boolean =>
    !elsewhere.has(key) && !made.has(key) && named.has(nameIn(columnKey("", column)));
  return {
    shown: new Map([...elsewhere, ...entries.filter((entry) => !isAggregated(entry))]),
    aggregated: new Map(entries.filter(isAggregated)),
  };
}

const nameIn = (key: string): string => key.slice(1);

function toReading(
  whole: Reading,
  { shown, aggregated }: Parts,
  outer: OuterAggregates,
  order: readonly Read[] | null,
): SqlReading {
  const columns = new Map([...shown, ...toColumnSet(order ?? [])]);
  const isRest = ([key]: readonly [string, Read]): boolean => !columns.has(key);
  const rest = new Map([...aggregated].filter(isRest));
  const unread = whole.tables.filter(({ name }) => ![...shown.values()].some(({ table }) => table === name));
  return {
    columns: [...columns.values()].map(toName),
    tables: outer.isAll ? [] : unread.map(toTable),
    aggregated: toAggregated(outer, rest, outer.isAll ? unread : []),
    named: whole.unused.map(toName),
    catalog: whole.catalog,
    unresolved: whole.unresolved ?? (order === null ? "The order of its rows can't be determined." : null),
  };
}

/** An aggregate whose columns are all read elsewhere needs no entry. */
function toAggregated(
  { found }: OuterAggregates,
  columns: ColumnSet,
  tables: readonly CatalogueTable[],
): readonly AggregateReading[] {
  const readings = found.map((aggregate) => {
    const own = [...columns].filter(([, { column }]) => nameIn(columnKey("", column)) === aggregate.column);
    return {
      function: aggregate.function,
      columns: own.map(([, read]) => toName(read)),
      tables: tables.map(toTable),
    };
  });
  return readings.filter((reading) => reading.columns.length > 0 || reading.tables.length > 0);
}

const toName = ({ table, column }: Read): ColumnName => ({ schema: null, table, column });
const toTable = ({ name, columns }: CatalogueTable): TableReading => ({
  schema: null,
  table: name,
  columns: columns.map((column) => column.name),
});

/**
 * The columns that order the b-trees which a program opens; null if one isn't known. The order of rows depends on
 * them: rows come in the order of the trees, and the first of several equal ones is used.
 */
function findOrderColumns(program: readonly Instruction[], catalogue: SchemaCatalog): readonly Read[] | null {
  const found: Read[] = [];
  const trees = new Map<number, StoredTree[]>();
  for (const { opcode, p1, p2, p3 } of program) {
    const opens = opensTree(opcode);
    if (opens === null) return null;
    // Page 1 is the catalog.
    if (!opens || p2 === 1) continue;
    const tree = p3 === 0 ? catalogue.trees.get(p2) : undefined;
    if (tree === undefined) return null;
    // For an OR, one cursor opens several indexes.
    trees.set(p1, [...(trees.get(p1) ?? []), tree]);
    for (const column of tree.columns) found.push({ table: tree.table.name, column });
  }
  return [...found, ...findIndexedColumns(program, trees)];
}

/**
 * The columns in SQLite's temporary indexes of tables, which order their rows. THREAT: columns that the query doesn't
 * read may be among them: all of a table with a generated column, all from the 63rd on, and those of a condition that
 * SQLite drops, as in `1 OR salary`, even with NULL in the place of `salary`.
 */
function findIndexedColumns(
  program: readonly Instruction[],
  trees: ReadonlyMap<number, readonly StoredTree[]>,
): readonly Read[] {
  let filled: number | null = null;
  return program.flatMap(({ opcode, p1, p2 }) => {
    if (opcode === "OpenAutoindex") filled = p1;
    if (opcode === "IdxInsert" && p1 === filled) filled = null;
    const read = filled !== null && opcode === "Column" ? (trees.get(p1) ?? []) : [];
    return read.flatMap(({ table, stored }) => {
      const column = stored[p2];
      const names = column === undefined ? table.columns.map(({ name }) => name) : [column];
      return names.map((name) => ({ table: table.name, column: name }));
    });
  });
}

/** Instructions that open the query's own tables, or a table-valued function. */
const OWN = new Set(["OpenEphemeral", "OpenAutoindex", "OpenPseudo", "OpenDup", "SorterOpen", "VOpen"]);

function opensTree(opcode: string): boolean | null {
  if (opcode === "OpenRead" || opcode === "ReopenIdx") return true;
  return /open/i.test(opcode) && !OWN.has(opcode) ? null : false;
}
