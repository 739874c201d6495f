/**
 * The label of each column of a database, by the most specific key of its declaration, and the label of a query; and
 * whether each key matches an existing column.
 */
import { bottomLabel, flowsTo, join, type Label, type Lattice } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { DatabaseConfig } from "../../policy-file/index.ts";
import type {
  AggregateReading,
  ColumnName,
  SqlEngine,
  SqlReading,
  TableInfo,
  TableReading,
} from "./sql-engine.ts";

export type DatabaseLabels = Pick<DatabaseConfig, "label" | "catalog" | "columns" | "aggregates">;

/** Labels of columns, aggregates and rows. */
export interface ColumnLabels {
  readonly lattice: Lattice;
  readonly declared: DatabaseLabels;
  /** For everything that can't be resolved: the join of the database's label and those of all its columns. */
  readonly worst: Label;
  ofColumn(column: ColumnName): Label;
  /** Whether a key names exactly this column. */
  isDeclared(column: ColumnName): boolean;
  /** For the number of rows: the label of a column that flows to those of all others, otherwise the database's. */
  ofRowCount(table: TableReading): Label;
}

/** Prepares a database's labels. `foldName` is the engine's; if two keys are equal to it, both count. */
export function toColumnLabels(
  declared: DatabaseLabels,
  lattice: Lattice,
  foldName: (name: string) => string,
): ColumnLabels {
  const byKey = new Map<string, Label>();
  for (const [key, label] of declared.columns) {
    const known = byKey.get(foldName(key));
    byKey.set(foldName(key), known === undefined ? label : join(lattice, known, label));
  }
  const worst = joinAll(lattice, [declared.label, ...declared.columns.values()]);
  const ofColumn = (column: ColumnName): Label => {
    const found = keysOf(column).map((key) => byKey.get(foldName(key)));
    return found.find((label) => label !== undefined) ?? declared.label;
  };
  return {
    lattice,
    declared,
    worst,
    ofColumn,
    isDeclared: (column) => keysOf(column).some((key) => !key.endsWith(".*") && byKey.has(foldName(key))),
    ofRowCount: ({ schema, table, columns }) =>
      columns === undefined
        ? worst
        : (leastOf(
            lattice,
            columns.map((column) => ofColumn({ schema, table, column })),
          ) ?? declared.label),
  };
}

/** The keys that match a column, the most specific first. */
function keysOf({ schema, table, column }: ColumnName): readonly string[] {
  const tables = [...(schema === null ? [] : [`${schema}.${table}`]), table];
  return [column, "*"].flatMap((name) => tables.map((owner) => `${owner}.${name}`));
}

const leastOf = (lattice: Lattice, labels: readonly Label[]): Label | undefined =>
  labels.find((label) => labels.every((other) => flowsTo(lattice, label, other)));

export const joinAll = (lattice: Lattice, labels: readonly Label[]): Label =>
  labels.reduce((all, label) => join(lattice, all, label), bottomLabel(lattice));

/** The join of everything that a query reads; the lowest label if it reads nothing. */
export function labelOfReading(reading: SqlReading, labels: ColumnLabels): Label {
  return joinAll(labels.lattice, [
    ...(reading.unresolved === null ? [] : [labels.worst, labels.declared.catalog]),
    ...reading.columns.map(labels.ofColumn),
    ...reading.tables.map(labels.ofRowCount),
    ...reading.aggregated.map((aggregate) => labelOfAggregate(aggregate, labels)),
    ...(reading.catalog || !isDeclared(reading.named ?? [], labels) ? [labels.declared.catalog] : []),
  ]);
}

/** Whether the policy has a key for each of these columns. */
const isDeclared = (columns: readonly ColumnName[], labels: ColumnLabels): boolean =>
  columns.every(labels.isDeclared);

/** A declared aggregate has its own label; for any other, its columns count. */
function labelOfAggregate({ columns, tables, ...aggregate }: AggregateReading, labels: ColumnLabels): Label {
  const declared = labels.declared.aggregates.get(aggregate.function);
  if (declared !== undefined) return declared;
  return joinAll(labels.lattice, [...columns.map(labels.ofColumn), ...tables.map(labels.ofRowCount)]);
}

/**
 * Checks the keys again whenever names in the catalog have changed. THREAT: a renamed column would get the database's
 * label instead of its own.
 */
export function guardKeys(
  engine: SqlEngine,
  labels: Pick<DatabaseLabels, "columns">,
): (names: string | undefined) => Promise<void> {
  let known: string | undefined;
  return async (names) => {
    if (names === undefined || names === known) return;
    if ((await findUnknownKeys(engine, labels)).length > 0) throw renamed();
    known = names;
  };
}

const renamed = (): SluicegateError =>
  new SluicegateError("not-ready", "The query was not run.", {
    why: "Tables or columns that the policy labels are no longer in the database.",
    fix: "Whoever keeps the policy has to correct the keys under `columns`.",
  });

/** The keys that match nothing: their columns wouldn't have the declared label. */
export async function findUnknownKeys(
  engine: SqlEngine,
  { columns }: Pick<DatabaseLabels, "columns">,
): Promise<readonly string[]> {
  if (columns.size === 0) return [];
  const tables = await engine.tables();
  const unknown: string[] = [];
  for (const key of columns.keys()) if (!(await isKnown(engine, tables, key))) unknown.push(key);
  return unknown;
}

async function isKnown(engine: SqlEngine, tables: readonly TableInfo[], key: string): Promise<boolean> {
  for (const table of tables) {
    const column = columnIn(engine, table, key);
    if (column === null) continue;
    if (column === "*") return true;
    const described = await engine.describe(table);
    if (described?.columns.some(({ name }) => engine.foldName(name) === engine.foldName(column))) return true;
  }
  return false;
}

/** The part of a key after the table's name; null if it names another table. */
function columnIn(engine: SqlEngine, { schema, table }: TableInfo, key: string): string | null {
  const heads = [...(schema === null ? [] : [`${schema}.${table}.`]), `${table}.`];
  const head = heads.find((one) => engine.foldName(key.slice(0, one.length)) === engine.foldName(one));
  return head === undefined ? null : key.slice(head.length);
}
