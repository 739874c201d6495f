/** SQL databases whose reads agents may call, labelled by column. */
export type { DatabaseLabels } from "./column-labels.ts";
export type { DatabaseLimits } from "./database.ts";
export type { DatabaseConnection, PostgresConnection, SqliteConnection } from "./open-engine.ts";
export { createDatabaseProvider, type DatabaseOptions } from "./provider.ts";
