import { afterAll, expect, it } from "vitest";
import { createTestGateway } from "../../../../test/fixtures/memory-gateway.ts";

const HOST = "127.0.0.1:7311";
const faults: unknown[] = [];
const gateway = createTestGateway({
  onFault: (cause) => faults.push(cause),
});
gateway.allowHosts({ hosts: new Set([HOST]) });
afterAll(() => gateway.close());

it.each([
  ["says an unknown revision", "1", "1", "notifications/cancelled"],
  ["says another revision in its header", "1", "2026-07-28", "tools/list"],
  ["says another method in its header", "2026-07-28", "2026-07-28", "tools/call"],
])("tells the client alone that a request %s", async (_, header, version, method) => {
  const response = await gateway.fetch(
    new Request(`http://${HOST}/mcp`, {
      method: "POST",
      headers: {
        host: HOST,
        authorization: "Bearer operator-token-for-tests",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": header,
        "mcp-method": method,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        ...(method === "notifications/cancelled" ? { method } : { id: 1, method: "tools/list" }),
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    }),
  );
  expect([response.status, faults.splice(0)]).toEqual([400, []]);
});
