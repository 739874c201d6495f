/** An MCP client whose tools stand behind a session, with a server in the same process. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { createGate, loadPolicy } from "sluicegate";
import { guard } from "sluicegate/mcp-client";

const client = await connect();

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada", task: "Pay the invoice in my mail" });

const { listTools, callTool } = guard(session, client, { waitSeconds: 50 });
const { tools } = await listTools(); // those that the session sees, each with what calling it would cost
const [mail, web] = await Promise.all([
  callTool({ name: "read_mail", arguments: { query: "Q3" } }),
  callTool({ name: "web_search", arguments: { query: "Q3 revenue 4.82" } }), // refused, as a tool's error
]);

assert.match(tools[0]?.description ?? "", /Calling it blocks `web_search`/);
assert.equal(mail.isError ?? false, false);
assert.equal(web.isError, true);
assert.match(JSON.stringify(web.content), /Tool `web_search` is blocked in this session/);
await client.close();
await gate.close();
console.log("ok");

async function connect(): Promise<Client> {
  const server = new Server({ name: "office", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: ["read_mail", "web_search", "pay"].map((name) => ({
      name,
      inputSchema: { type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => ({
    content: [{ type: "text", text: `${params.name} was called` }],
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const connected = new Client({ name: "agent", version: "1" });
  await connected.connect(near);
  return connected;
}
