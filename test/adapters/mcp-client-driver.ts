/** An agent that the cases drive: an MCP client, with a model that plays a script. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { guard } from "../../src/adapters/mcp-client.ts";
import type { Adapter, AgentParts, AgentTools, SharedAgent } from "../cases/adapter-driver.ts";
import { collect } from "./collect.ts";
import { playLoop } from "./scripted-loop.ts";

export async function connect(tools: AgentTools): Promise<Client> {
  const server = new Server({ name: "office", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: [...tools].map(([name, { description }]) => ({
      name,
      description,
      inputSchema: { type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    try {
      const text = await collect(tools.get(params.name)?.run(params.arguments ?? {}));
      return { content: [{ type: "text", text }] };
    } catch (cause) {
      return { content: [{ type: "text", text: (cause as Error).message }], isError: true };
    }
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(near);
  return client;
}

export const textOf = ({ content }: any): string => content.map(({ text }: any) => text).join("\n");

function createAgent({ session, tools }: AgentParts): SharedAgent {
  const connected = connect(tools);
  return {
    run: async (script) => {
      const guarded = guard(session, await connected);
      const list = async () => {
        const { tools: seen } = await guarded.listTools();
        return Object.fromEntries(seen.map(({ name, description = "" }) => [name, description]));
      };
      const call = async ({ tool, args }: any): Promise<string> => {
        try {
          return textOf(await guarded.callTool({ name: tool, arguments: args }));
        } catch (cause) {
          return (cause as Error).message;
        }
      };
      return playLoop({ list, call }, script);
    },
  };
}

export const mcpClient: Adapter = {
  name: "an MCP client",
  pauses: false,
  run: ({ script, ...parts }) => createAgent(parts).run(script),
  share: createAgent,
};
