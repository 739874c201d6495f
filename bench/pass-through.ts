/**
 * The least that can stand between HTTP and a stdio server with the official SDK (v1): each connection of a client
 * gets a server of the SDK's, which hands every request on as it is. It decides nothing and records nothing.
 * `node pass-through.ts COMMAND ARGS…` prints its address once it listens.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { asTransport } from "./sdk-transport.ts";

const [command = "", ...args] = process.argv.slice(2);
const upstream = new Client({ name: "pass-through", version: "1.0.0" });
await upstream.connect(new StdioClientTransport({ command, args }));

const open = new Map<string, StreamableHTTPServerTransport>();

/** A connection for a client that begins. */
async function connect(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      open.set(id, transport);
    },
  });
  const server = new Server({ name: "pass-through", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => upstream.listTools(params));
  server.setRequestHandler(CallToolRequestSchema, (request) =>
    upstream.request(request, CallToolResultSchema),
  );
  await server.connect(asTransport(transport));
  return transport;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return request.method === "POST" ? JSON.parse(await text(request)) : undefined;
}

const http = createServer(async (request, response) => {
  try {
    const id = request.headers["mcp-session-id"];
    const transport = typeof id === "string" ? open.get(id) : await connect();
    if (transport === undefined) response.writeHead(404).end();
    else await transport.handleRequest(request, response, await bodyOf(request));
  } catch (error) {
    process.stderr.write(`${error}\n`);
    if (!response.headersSent) response.writeHead(500).end();
  }
});
http.listen(0, "127.0.0.1", () => {
  const address: string | AddressInfo | null = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
