/** The gateway's doors and what is behind them, loaded at once when the servers are on their way. */
export { createGateway } from "../../gateway/gateway.ts";
export { listen } from "../../gateway/http/listen.ts";
export { serveSessionOnStdio } from "../../gateway/mcp/transport/stdio-endpoint.ts";
