export { createMemoryStore } from "./memory.ts";
export { openSqliteStore } from "./sqlite.ts";
export type { SqliteStoreOptions } from "./sqlite-file.ts";
