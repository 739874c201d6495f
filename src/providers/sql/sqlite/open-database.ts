/** Opens a SQLite file so that it can be read and nothing else. */
import { DatabaseSync } from "./sqlite-module.ts";

/** How long a writer of another program is waited for. */
const BUSY_MS = 2000;
/** The most memory that SQLite may take in this process. */
const HEAP_BYTES = 512 * 1024 * 1024;

/** The longest value, in bytes. */
const MAX_VALUE_LENGTH = 128 * 1024 * 1024;
/** The most that the values of one row may have together, as far as none must be shorter than the least. */
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
 * Sees to it that a row of so many columns fits into memory: SQLite holds a value once however often a row has it, and
 * whoever reads the row holds it as often.
 */
export function limitValues(database: DatabaseSync, columns: number): void {
  const share = Math.floor(MAX_ROW_LENGTH / Math.max(columns, 1));
  limit(database, { length: Math.min(MAX_VALUE_LENGTH, Math.max(MIN_VALUE_LENGTH, share)) });
}

function limit(database: DatabaseSync, limits: Partial<typeof LIMITS>): void {
  // Newer than its type.
  Object.assign(Reflect.get(database, "limits"), limits);
}
