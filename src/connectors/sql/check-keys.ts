/** Whether each key of the declared columns names a column that there is. */
import type { DatabaseLabels } from "./column-labels.ts";
import type { SqlEngine, TableInfo } from "./sql-engine.ts";

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

/** What stands behind the table's name in a key, or null where it names another table. */
function columnIn(engine: SqlEngine, { schema, table }: TableInfo, key: string): string | null {
  const heads = [...(schema === null ? [] : [`${schema}.${table}.`]), `${table}.`];
  const head = heads.find((one) => engine.foldName(key.slice(0, one.length)) === engine.foldName(one));
  return head === undefined ? null : key.slice(head.length);
}
