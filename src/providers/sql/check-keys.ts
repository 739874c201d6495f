/** Whether each key of the declared columns matches an existing column. */
import { SluicegateError } from "../../errors/index.ts";
import type { DatabaseLabels } from "./column-labels.ts";
import type { SqlEngine, TableInfo } from "./sql-engine.ts";

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
