/**
 * Node's own SQLite, or an error that explains what is missing: a static import would fail without a reason; and how a
 * file is opened with it.
 */
import { SluicegateError } from "../../../errors/index.ts";

type SqliteModule = typeof import("node:sqlite");

/** @throws SluicegateError `usage` if there is no `node:sqlite`. */
export function loadSqlite(
  find: ((id: "node:sqlite") => SqliteModule | undefined) | undefined = process.getBuiltinModule,
): SqliteModule {
  const found = find?.("node:sqlite");
  if (found !== undefined) return found;
  throw new SluicegateError("usage", "The connectors can't be loaded in this runtime.", {
    why: `They need \`node:sqlite\`, which Node ${process.versions.node} doesn't have.`,
    fix: "Run the program with Node 24 or later.",
  });
}

export const { DatabaseSync, constants } = loadSqlite();
type DatabaseSync = InstanceType<SqliteModule["DatabaseSync"]>;

/** How long to wait for a writer of another program. */
const BUSY_MS = 2000;
/** The most memory that SQLite may take in this process. */
const HEAP_BYTES = 512 * 1024 * 1024;

/** The longest value, in bytes. */
const MAX_VALUE_LENGTH = 128 * 1024 * 1024;
/** Total size of the values of one row, as far as each may have the minimum. */
const MAX_ROW_LENGTH = 512 * 1024 * 1024;
const MIN_VALUE_LENGTH = 1024 * 1024;

/** Limits of SQLite's own, by the names that Node gives them. */
const LIMITS = {
  length: MAX_VALUE_LENGTH,
  sqlLength: 4 * 1024 * 1024,
  compoundSelect: 200,
  vdbeOp: 1_000_000,
  likePatternLength: 1000,
  variableNumber: 1000,
  attach: 0,
};

export function openReadOnly(path: string): DatabaseSync {
  const database = new DatabaseSync(path, {
    readOnly: true,
    allowExtension: false,
    defensive: true,
    enableDoubleQuotedStringLiterals: false,
    timeout: BUSY_MS,
  });
  limit(database, LIMITS);
  database.exec(
    `PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
     PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = ${HEAP_BYTES};`,
  );
  return database;
}

/**
 * Limits values so that a row of this many columns fits into memory: SQLite holds a repeated value once, but a reader
 * holds every copy.
 */
export function limitValues(database: DatabaseSync, columns: number): void {
  const share = Math.floor(MAX_ROW_LENGTH / Math.max(columns, 1));
  limit(database, { length: Math.min(MAX_VALUE_LENGTH, Math.max(MIN_VALUE_LENGTH, share)) });
}

function limit(database: DatabaseSync, limits: Partial<typeof LIMITS>): void {
  // Missing in Node's types.
  Object.assign(Reflect.get(database, "limits"), limits);
}
