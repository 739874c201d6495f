export { createMemoryStore } from "./memory.ts";
export { openSqliteStore } from "./sqlite/sqlite.ts";
export type { SqliteStoreOptions } from "./sqlite/sqlite-file.ts";
