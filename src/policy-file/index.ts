/** The policy file: `sluicegate.yaml` to a policy that decides. */

export type { Environment } from "./document/environment.ts";
export type { JsonObject, JsonValue } from "./document/json-value.ts";
export { type LoadOptions, loadConfig, loadPolicy } from "./document/load.ts";
export { formatProblem, type Problem, type Warning } from "./document/report.ts";
export { type Config, type ParseOptions, parseConfig } from "./parse.ts";
export { policyJsonSchema } from "./schema.ts";
export type { ApiConfig, ApiOperation } from "./sections/apis.ts";
export type { PostgresConnection, SqliteConnection } from "./sections/database-connection.ts";
export type { DatabaseConfig } from "./sections/databases.ts";
export type { DetectorsConfig } from "./sections/detectors.ts";
export type { IdentitiesConfig, IssuerConfig, Right } from "./sections/identities.ts";
export type { NotifyConfig, WebhookConfig } from "./sections/notify.ts";
export type { RetentionConfig } from "./sections/retention.ts";
export type { HttpTransport, ServerConfig, StdioTransport } from "./sections/servers.ts";
export type { WorkspaceConfig } from "./sections/workspace.ts";
