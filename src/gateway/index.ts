/** The gateway before real MCP servers: REST, MCP over Streamable HTTP and stdio. */
export type { Catalog } from "./catalog.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { DEFAULT_LIMITS, type GatewayLimits } from "./limits.ts";
export { type Listening, type ListenOptions, listen } from "./listen.ts";
export { type StdioOptions, serveSessionOnStdio } from "./mcp/stdio-endpoint.ts";
export { loopbackRules, type OriginRules } from "./origin.ts";
export { assertStoreNotLost, readSecrets, type Secrets, tokenFileOf } from "./secrets.ts";
export { connectUpstream, type UpstreamOptions, type UpstreamServer } from "./upstream/upstream.ts";
