/** The policy file: `sluicegate.yaml` to a policy that decides. */
export type { ApiConfig, ApiOperation } from "./apis.ts";
export type { DatabaseConfig, PostgresConnection, SqliteConnection } from "./databases.ts";
export type { DetectorsConfig } from "./detectors.ts";
export type { Environment } from "./environment.ts";
export { policyJsonSchema } from "./json-schema.ts";
export type { JsonObject, JsonValue } from "./json-value.ts";
export { type LoadOptions, loadConfig, loadPolicy } from "./load.ts";
export { type Config, type ParseOptions, parseConfig, type WorkspaceConfig } from "./parse.ts";
export { formatProblem, type Problem, type Warning } from "./report.ts";
export type { HttpTransport, ServerConfig, StdioTransport } from "./servers.ts";
