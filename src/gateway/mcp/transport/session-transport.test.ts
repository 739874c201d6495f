import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { SessionTransport } from "./session-transport.ts";

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

it("hands on one message of a batch in each turn of the event loop", async () => {
  const transport = new SessionTransport("t");
  const received: unknown[] = [];
  transport.onmessage = (message) => {
    received.push("id" in message ? message.id : null);
    if ("id" in message && message.id !== undefined)
      void transport.send({ jsonrpc: "2.0", id: message.id, result: {} });
  };
  const request = new Request("http://localhost/mcp", { method: "POST" });
  const answer = transport.post(request, [ping(1), ping(2), ping(3)]);
  const counts = [received.length];
  for (let turn = 0; turn < 2; turn += 1) {
    await nextTurn();
    counts.push(received.length);
  }
  expect(counts).toEqual([1, 2, 3]);
  expect(await answer).toMatchObject({ message: [{ id: 1 }, { id: 2 }, { id: 3 }] });
});

it("holds so much of a batch's answers until its last one, and gives the room back (X14)", async () => {
  let left = 1500;
  const take = (length: number): boolean => {
    if (left < length) return false;
    left -= length;
    return true;
  };
  const transport = new SessionTransport("t", { take });
  transport.onmessage = (message) => {
    if ("id" in message && message.id !== undefined)
      void transport.send({ jsonrpc: "2.0", id: message.id, result: { text: "x".repeat(1000) } });
  };
  const request = new Request("http://localhost/mcp", { method: "POST" });
  const answer = await transport.post(request, [ping(1), ping(2), ping(3)]);
  expect(answer).toMatchObject({
    message: [
      { id: 1, result: { text: expect.any(String) } },
      { id: 2, error: { message: expect.stringContaining("too large together") } },
      { id: 3, result: { text: expect.any(String) } },
    ],
  });
  expect(left).toBe(1500);
});

it("hands on nothing more of a batch whose client has gone", async () => {
  const transport = new SessionTransport("t");
  const received: string[] = [];
  transport.onmessage = (message) => void ("method" in message && received.push(message.method));
  const leaving = new AbortController();
  const request = new Request("http://localhost/mcp", { method: "POST", signal: leaving.signal });
  const answer = transport.post(request, [ping(1), ping(2), ping(3)]);
  leaving.abort();
  await answer;
  await nextTurn();
  expect(received).toEqual(["ping", ...Array(3).fill("notifications/cancelled")]);
});
