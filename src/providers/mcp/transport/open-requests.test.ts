import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it, vi } from "vitest";
import { callText, createUpstreams, failureOf, overHttp } from "../upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
afterEach(closeAll);

const ANSWER = { content: [{ type: "text", text: "hi" }] };
const LISTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-03-26",
    capabilities: { tools: {} },
    serverInfo: { name: "a", version: "1" },
  },
  "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
};

/** A server that answers a call as the test says, and how many connections to it are open. */
async function startServer(onCall: (response: ServerResponse, answer: string) => void) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = JSON.parse((await text(request)) || "{}");
    const send = (status: number, result?: object): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(result && JSON.stringify({ jsonrpc: "2.0", id, ...result }));
    };
    if (request.method !== "POST") send(405);
    // Nobody has to say when it accepts this, so this server never does.
    else if (method === "notifications/cancelled") return;
    else if (id === undefined) send(202);
    else if (method === "tools/call")
      onCall(response, JSON.stringify({ jsonrpc: "2.0", id, result: ANSWER }));
    else if (LISTS[method]) send(200, { result: LISTS[method] });
    else send(200, { error: { code: -32601, message: "no" } });
  };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void answer(request, response));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url, sockets, [Symbol.dispose]: close };
}

const EVENTS = { "content-type": "text/event-stream" };

it("ends the stream of a call that has its result, if the server doesn't (X14)", async () => {
  using server = await startServer((response, answer) => {
    response.writeHead(200, EVENTS).write(`data: ${answer}\n\n`);
  });
  const web = await open(overHttp(server.url));
  for (let at = 0; at < 20; at += 1) expect(await callText(web, "t", {})).toBe("hi");
  expect(server.sockets.size).toBeGreaterThan(15);
  await vi.waitFor(() => expect(server.sockets.size).toBeLessThan(4), 10_000);
  expect(await callText(web, "t", {})).toBe("hi");
});

it("leaves the connection of a stream that ends by itself open for the next call", async () => {
  let asked = 0;
  using server = await startServer((response, answer) => {
    asked += 1;
    response.writeHead(200, EVENTS).end(`data: ${answer}\n\n`);
  });
  const web = await open(overHttp(server.url));
  for (let at = 0; at < 20; at += 1) expect(await callText(web, "t", {})).toBe("hi");
  expect([asked, server.sockets.size < 4]).toEqual([20, true]);
});

it("ends the answers to calls that were given up, and doesn't wait for a cancellation to be accepted (X14)", async () => {
  const types = [EVENTS, { "content-type": "application/json" }];
  const begun: Promise<unknown>[] = [];
  const all = Promise.withResolvers<void>();
  using server = await startServer((response) => {
    response.writeHead(200, types[begun.length]).write(" ");
    begun.push(once(response, "close"));
    if (begun.length === types.length) all.resolve();
  });
  const web = await open(overHttp(server.url));
  const abort = new AbortController();
  const failed = types.map(() => failureOf(web.run("t", {}, { signal: abort.signal })));
  await all.promise;
  abort.abort();
  for (const failure of await Promise.all(failed)) expect(failure.code).toBe("upstream-failed");
  await Promise.all(begun);
  await vi.waitFor(() => expect(server.sockets.size).toBe(0), 15_000);
});

it("closes the connection of an answer whose status HTTP doesn't have (X14)", async () => {
  using server = await startServer((response) => response.writeHead(600).write("x"));
  const web = await open(overHttp(server.url));
  for (let at = 0; at < 20; at += 1)
    expect(await failureOf(web.run("t", {}, {}))).toMatchObject({ code: "upstream-failed" });
  await vi.waitFor(() => expect(server.sockets.size).toBeLessThan(4), 10_000);
});

it.each([
  [100, "hi"],
  [200, "result-too-large"],
])("reads one document of %i messages: %s (X14)", async (notices, expected) => {
  const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} });
  using server = await startServer((response, answer) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`[${Array(notices).fill(notice).join()},${answer}]`);
  });
  const web = await open(overHttp(server.url));
  const said = await callText(web, "t", {}).catch(({ code }) => code);
  expect(said).toBe(expected);
});
