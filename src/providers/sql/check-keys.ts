/** Whether each key of the declared columns names a column that there is. */
import { SluicegateError } from "../../errors/index.ts";
import type { DatabaseLabels } from "./column-labels.ts";
import type { SqlEngine, TableInfo } from "./sql-engine.ts";

/**
 * Looks at the keys again whenever the names of the catalogue are others than before.
 * THREAT: a column that was given another name would have the database's label, and no longer its own.
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

/** The keys that name nothing: whoever wrote one of them believes a column to be labelled that isn't. */
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

/** What stands behind the table's name in a key, or null if it names another table. */
function columnIn(engine: SqlEngine, { schema, table }: TableInfo, key: string): string | null {
  const heads = [...(schema === null ? [] : [`${schema}.${table}.`]), `${table}.`];
  const head = heads.find((one) => engine.foldName(key.slice(0, one.length)) === engine.foldName(one));
  return head === undefined ? null : key.slice(head.length);
}
