/** Opens a SQLite file so that it can be read and nothing else. */
import { DatabaseSync } from "node:sqlite";

/** How long a writer of another program is waited for. */
const BUSY_MS = 2000;
/** The most memory that SQLite may take in this process. */
const HEAP_BYTES = 512 * 1024 * 1024;

/** Limits of SQLite's own, by the names that Node gives them. */
const LIMITS = {
  length: 128 * 1024 * 1024,
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
  // Newer than its type.
  Object.assign(Reflect.get(database, "limits"), LIMITS);
  database.exec(
    `PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
     PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = ${HEAP_BYTES};`,
  );
  return database;
}
