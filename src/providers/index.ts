/** Databases and APIs as servers behind a gate. */
export { type ConnectorsOptions, type OpenConnectorsOptions, openConnectors } from "./open-connectors.ts";
export {
  type ApiOperationOptions,
  type ApiOptions,
  type ApiProvider,
  createApiProvider,
} from "./openapi/index.ts";
export {
  createDatabaseProvider,
  type DatabaseConnection,
  type DatabaseLabels,
  type DatabaseLimits,
  type DatabaseOptions,
  type PostgresConnection,
  type SqliteConnection,
} from "./sql/index.ts";
