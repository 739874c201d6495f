import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { createUpstreams, overHttp } from "./upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
afterEach(closeAll);

const TOOL = { name: "look", inputSchema: { type: "object" } };
const QUESTION = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};

it("asks no session what its server asks while it lists its tools, though a call said that they changed (X14)", async () => {
  let isAsking = false;
  const answered = Promise.withResolvers<unknown>();
  const calls: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, ...answer } = (await json(request)) as Record<string, unknown>;
    if (method === undefined) answered.resolve(answer);
    if (id === undefined || method === undefined) return response.writeHead(202).end();
    const say = (message: object, to: ServerResponse = response): void =>
      void to.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const result = (value: object): void => {
      say({ id, result: value });
      response.end();
    };
    if (method === "initialize")
      return result({
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "asking", version: "1.0.0" },
      });
    if (method === "tools/call") {
      isAsking = true;
      calls.push(() => result({ content: [] }));
      return say({ method: "notifications/tools/list_changed" });
    }
    if (method !== "tools/list") {
      say({ id, error: { code: -32601, message: "unknown" } });
      return response.end();
    }
    if (isAsking) say({ id: "of-the-list", ...QUESTION });
    await (isAsking ? answered.promise : null);
    for (const end of calls) end();
    return result({ tools: [TOOL] });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const provider = await open(overHttp(`http://127.0.0.1:${port}/mcp`));
  const asked: unknown[] = [];
  const ask = async (questions: object) => {
    asked.push(questions);
    return { answer: { action: "cancel" } };
  };
  await provider.run("look", {}, { session: "one", capabilities: { elicitation: {} }, ask });
  expect(asked).toEqual([]);
  expect(await answered.promise).toMatchObject({ error: { code: -32601 } });
  await closeAll();
  server.closeAllConnections();
  server.close();
});
