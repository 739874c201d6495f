/** SQL databases whose reads agents may call, labelled by column. */
export type { DatabaseLabels } from "./column-labels.ts";
export type { DatabaseLimits } from "./database.ts";
export {
  createDatabaseProvider,
  type DatabaseConnection,
  type DatabaseOptions,
  type PostgresConnection,
  type SqliteConnection,
} from "./provider.ts";
