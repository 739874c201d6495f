export { createMemoryStore } from "./memory.ts";
export { openPostgresStore, type PostgresStoreOptions } from "./postgres/postgres.ts";
export { openSqliteStore } from "./sqlite/sqlite.ts";
export type { SqliteStoreOptions } from "./sqlite/sqlite-file.ts";
