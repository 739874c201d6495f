/** The MCP server behind every path that is measured: one tool that answers with what it was given. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const ECHO = {
  name: "echo",
  description: "Answers with the text it was given.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [ECHO] }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: "text", text: String(params.arguments?.text) }],
}));
await server.connect(new StdioServerTransport());
