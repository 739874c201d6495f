import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBoundedFetch } from "./bounded-fetch.ts";

const LIMITS = { messageBytes: 1000, messageValues: 50 };
/** More bytes and values than a message may have, in events that have few. */
const EVENTS = `data: {"text":"${"x".repeat(400)}","list":[1,2,3]}\n\n`.repeat(20);
const REQUEST = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
const NOTICE = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  response.writeHead(Number(searchParams.get("status")), { "content-type": searchParams.get("type") ?? "" });
  response.end(EVENTS);
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => server.close());

async function answerTo(init: RequestInit, status: number, type: string) {
  const seen: unknown[] = [];
  const fetchBounded = createBoundedFetch(
    LIMITS,
    (id) => seen.push(`oversized ${id}`),
    () => seen.push("single"),
  );
  const { port } = server.address() as AddressInfo;
  const response = await fetchBounded(
    `http://127.0.0.1:${port}/?${new URLSearchParams({ status: `${status}`, type })}`,
    init,
  );
  const text = await response.text().catch(() => null);
  const isStream = text !== null && response.headers.get("content-type") === "text/event-stream";
  return [text === EVENTS, ...(isStream ? ["stream"] : []), ...seen];
}

const post = (body: string): RequestInit => ({ method: "POST", body });

it.each<[string, RequestInit, number, string, readonly unknown[]]>([
  ["a request's stream", post(REQUEST), 200, "Text/Event-Stream; charset=utf-8", [true, "stream"]],
  ["a stream with odd parameters", post(REQUEST), 200, "text/event-stream;=,", [true, "stream"]],
  ["a stream with a quoted comma", post(REQUEST), 200, 'text/event-stream; a="b,c"', [true, "stream"]],
  ["a stream for GET, whatever its type", {}, 200, "text/plain", [true, "stream"]],
  [
    "a request's answer that is one document",
    post(REQUEST),
    200,
    "application/json",
    [false, "single", "oversized 7"],
  ],
  ["an error that calls itself a stream", post(REQUEST), 500, "text/event-stream", [false, "oversized 7"]],
  ["an accepted notice's", post(NOTICE), 202, "text/event-stream", [false, "single", "oversized null"]],
  [
    "a reply's",
    post('{"jsonrpc":"2.0","id":7,"result":{}}'),
    200,
    "text/event-stream",
    [false, "single", "oversized 7"],
  ],
  ["a notice's", post(NOTICE), 200, "text/event-stream", [false, "single", "oversized null"]],
])("bounds each message of what is read as events, and else the whole: %s (X14)", async (_, init, status, type, expected) => {
  expect(await answerTo(init, status, type)).toEqual(expected);
});
