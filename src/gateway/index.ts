/** The gateway before real MCP servers: REST, MCP over Streamable HTTP and stdio. */

export { connectUpstream, type UpstreamOptions, type UpstreamServer } from "../providers/mcp/index.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { type Listening, type ListenOptions, listen } from "./http/listen.ts";
export { loopbackRules, type OriginRules } from "./http/origin.ts";
export { DEFAULT_LIMITS, type GatewayLimits } from "./limits.ts";
export { type StdioOptions, serveSessionOnStdio } from "./mcp/transport/stdio-endpoint.ts";
export type { Telemetry } from "./service.ts";
export { assertStoreNotLost, readSecrets, type Secrets, tokenFileOf } from "./state/secrets.ts";
export type { ToolRegistry } from "./tools/tool-registry.ts";
