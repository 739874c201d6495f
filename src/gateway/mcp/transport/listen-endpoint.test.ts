import { afterEach, expect, it } from "vitest";
import { createTestGateway } from "../../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../../core/index.ts";
import { DEFAULT_LIMITS } from "../../index.ts";
import { createListenEndpoint } from "./listen-endpoint.ts";

const gateway = createTestGateway({
  policy: definePolicy({ tools: { read: { permissions: ["read"] } } }),
  operatorToken: "operator",
});
afterEach(() => gateway.close());

const VERSION = "2026-07-28";
const LISTEN = {
  jsonrpc: "2.0",
  id: 1,
  method: "subscriptions/listen",
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

it("leaves some streams to other principals, however many sessions one has (X14)", async () => {
  const limits = { ...DEFAULT_LIMITS, transports: 8 };
  const endpoint = createListenEndpoint({ ...gateway.service, limits }, () => {});
  const listen = async (principal: string): Promise<number | string> => {
    const request = new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": LISTEN.method,
      },
      body: JSON.stringify(LISTEN),
    });
    const session = await gateway.gate.open({ principal });
    return endpoint.handle(request, session, LISTEN).then(
      ({ status }) => status,
      ({ code }) => code,
    );
  };
  const flood = [];
  for (let count = 0; count < 8; count += 1) flood.push(await listen("ada"));
  expect(flood).toEqual([...Array(7).fill(200), "limit-reached"]);
  expect(await listen("bob")).toBe(200);
  await endpoint.close();
});
