import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import type { ExchangeOptions } from "../../../runtime/index.ts";
import { verdictOf } from "../calls/answer-verdict.ts";
import { currentExchange, currentStream } from "../calls/exchange.ts";
import { UPSTREAM_LIMITS, type UpstreamLimits } from "../limits.ts";
import type { Channel, ChannelEvents } from "./channel.ts";
import { randomId, VettedTransport } from "./vetted-transport.ts";

/** A transport over a channel whose server is played by the test. */
async function open(
  kind: "stdio" | "http" = "stdio",
  limits: Partial<UpstreamLimits> = {},
  newId = (id: number): number => id,
) {
  const sent: JSONRPCMessage[] = [];
  const delivered: JSONRPCMessage[] = [];
  let troubles = 0;
  let listChanges = 0;
  const updated: string[] = [];
  let server: ChannelEvents | undefined;
  let endStream: (() => void) | undefined;
  const channel: Channel = {
    kind,
    ending: null,
    start: async (events) => {
      server = events;
    },
    send: async (message, options) => {
      sent.push(message);
      endStream = options?.onRequestStreamEnd;
    },
    close: async () => {},
  };
  const transport = new VettedTransport(
    channel,
    { ...UPSTREAM_LIMITS, messageBytes: 1000, ...limits },
    {
      onTrouble: () => {
        troubles += 1;
      },
      onListChanged: () => {
        listChanges += 1;
      },
      onUpdated: (uri) => updated.push(uri),
    },
    newId,
  );
  transport.onmessage = (message) => delivered.push(message);
  await transport.start();
  if (server === undefined) throw new Error("The channel was not started.");
  const ask = (id: number | string) => transport.send({ jsonrpc: "2.0", id, method: "tools/list" });
  return {
    transport,
    server,
    sent,
    delivered,
    ask,
    endStream: () => endStream?.(),
    troubles: () => troubles,
    listChanges: () => listChanges,
    updated,
  };
}

const answer = (id: unknown, result: unknown = {}): unknown => ({ jsonrpc: "2.0", id, result });
const verdict = (message: JSONRPCMessage | undefined): unknown =>
  message && "error" in message ? message.error.message : "no verdict";

describe("a vetted transport", () => {
  it("lets the first answer to a request through, and no other", async () => {
    const { server, delivered, ask } = await open();
    for (const id of [7, "7", undefined, null, [7]]) server.message(answer(id));
    await ask(7);
    for (const id of ["7", 8, [7], 7.5, null]) server.message(answer(id));
    expect(delivered).toEqual([]);
    server.message(answer(7, { first: true }));
    server.message(answer(7, { second: true }));
    server.oversized(7);
    expect(delivered).toEqual([{ jsonrpc: "2.0", id: 7, result: { first: true } }]);
  });

  it("lets no answer through once the request was cancelled", async () => {
    const { transport, server, delivered, ask } = await open();
    await ask(1);
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    const abort = new AbortController();
    await transport.send({ jsonrpc: "2.0", id: 2, method: "tools/call" }, { requestSignal: abort.signal });
    abort.abort();
    server.message(answer(1));
    server.message(answer(2));
    expect(delivered).toEqual([]);
  });

  it.each([
    ["a result that is no object", answer(1, "text"), "malformed"],
    ["meta data that is no object", answer(1, { _meta: [] }), "malformed"],
    ["neither result nor error", { jsonrpc: "2.0", id: 1 }, "malformed"],
    ["an error without a code", { id: 1, error: { message: "a" } }, "malformed"],
    ["a large result", answer(1, { a: "x".repeat(1000) }), "too-large"],
    ["a deep result", answer(1, JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`)), "too-deep"],
  ])("ends a request that is answered with %s", async (_, message, expected) => {
    const { server, delivered, ask } = await open();
    await ask(1);
    server.message(message);
    expect(delivered.map(verdict)).toEqual([expected]);
  });

  it("gives what comes of a large answer a turn of the event loop of its own", async () => {
    const { server, delivered, ask } = await open("stdio", { messageBytes: 1e7 });
    await ask(1);
    server.message(answer(1, { a: "x".repeat(1e6) }));
    server.message(answer(1, { a: "second" }));
    expect(delivered).toHaveLength(0);
    await vi.waitFor(() => expect(delivered).toHaveLength(1));
    expect(delivered.map((one) => "result" in one && Object.keys(one.result))).toEqual([["a"]]);
  });

  it("lets a large answer count where its stream, or its request, ends before its turn", async () => {
    const { server, delivered, ask, endStream } = await open("http", { messageBytes: 1e7 });
    await ask(1);
    server.message(answer(1, { a: "x".repeat(1e6) }));
    endStream();
    await vi.waitFor(() => expect(delivered.map(verdict)).toEqual(["no verdict"]));
  });

  it("ends a request whose answer was too large to be read, or broke off", async () => {
    const { server, delivered, ask, endStream } = await open("http");
    await ask(1);
    server.oversized(null);
    server.oversized(1);
    await ask(2);
    endStream();
    endStream();
    expect(delivered.map(verdict)).toEqual(["too-large", "broken-off"]);
  });

  it("drops the fields and notices that nobody asked for", async () => {
    const { server, delivered, ask } = await open();
    await ask(1);
    server.message({ jsonrpc: "1.0", id: 1, result: {}, extra: true });
    server.message({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    for (const other of [null, "text", 7, [answer(1)]]) server.message(other);
    expect(delivered).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("gives each request an id that another's doesn't tell, and takes an answer to no other (X14)", async () => {
    const wire = [701, 35, 36, 9000];
    const { transport, server, sent, delivered, ask } = await open("stdio", {}, () => wire.shift() ?? 0);
    for (const id of [0, 1]) await ask(id);
    expect(sent.map((message) => "id" in message && message.id)).toEqual([701, 35]);
    for (const id of [0, 1, 36, 702]) server.message(answer(id));
    expect(delivered).toEqual([]);
    server.message(answer(35, { second: true }));
    expect(delivered).toEqual([{ jsonrpc: "2.0", id: 1, result: { second: true } }]);
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
    expect(sent.at(-1)).toMatchObject({ params: { requestId: 701 } });
    server.message(answer(701));
    await ask(2);
    server.oversized(36);
    expect(delivered.slice(1)).toMatchObject([{ id: 2, error: { message: "too-large" } }]);
    await transport.send({ jsonrpc: "2.0", id: "listen:0", method: "subscriptions/listen" });
    expect(sent.at(-1)).toMatchObject({ id: "listen:0" });
  });

  it("has ids at random", async () => {
    const { sent, ask } = await open("stdio", {}, randomId);
    for (let id = 0; id < 20; id += 1) await ask(id);
    const ids = sent.map((message) => ("id" in message ? Number(message.id) : 0));
    const gaps = ids.slice(1).map((id, index) => Math.abs(id - (ids[index] ?? 0)));
    expect([new Set(ids).size, gaps.filter((gap) => gap < 1000), ids.every(Number.isSafeInteger)]).toEqual([
      20,
      [],
      true,
    ]);
  });

  it("reads a server's notices itself, so that a flood of them costs no more than their bytes (X14)", async () => {
    const { server, delivered, listChanges, updated } = await open();
    for (let count = 0; count < 1000; count += 1) {
      for (const list of ["tools", "resources", "prompts"])
        server.message({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
      for (const method of ["notifications/cancelled", "notifications/subscriptions/acknowledged"])
        server.message({ jsonrpc: "2.0", method, params: { requestId: "listen:0" } });
    }
    for (const params of [{ uri: "a://b" }, { uri: 7 }, null])
      server.message({ jsonrpc: "2.0", method: "notifications/resources/updated", params });
    expect([delivered, listChanges(), updated]).toEqual([[], 3000, ["a://b"]]);
  });

  it("passes on that a stream of notices has begun or ended as often as one was asked for (X14)", async () => {
    const { transport, server, delivered } = await open();
    await transport.send({ jsonrpc: "2.0", id: "listen:0", method: "subscriptions/listen" });
    for (let count = 0; count < 3; count += 1) {
      for (const method of ["notifications/cancelled", "notifications/subscriptions/acknowledged"])
        server.message({ jsonrpc: "2.0", method, params: { requestId: "listen:0" } });
    }
    expect(delivered.map((message) => "method" in message && message.method)).toEqual([
      "notifications/cancelled",
      "notifications/subscriptions/acknowledged",
    ]);
  });

  it("lets so many requests of a server through as were answered, and a few more", async () => {
    const { transport, server, delivered } = await open();
    for (let id = 0; id < 1000; id += 1) server.message({ jsonrpc: "2.0", id, method: "ping" });
    expect(delivered.length).toBe(256);
    await transport.send({ jsonrpc: "2.0", id: 0, result: {} });
    for (let id = 0; id < 1000; id += 1) server.message({ jsonrpc: "2.0", id, method: "ping" });
    expect(delivered.length).toBe(257);
  });

  it.each([
    "stdio",
    "http",
  ] as const)("sends no answer of any kind over %s to a question of a session that may not tell its server anything (X14)", async (kind) => {
    const { server, sent, ask } = await open(kind);
    const ended = Promise.withResolvers<void>();
    let mayAnswer = true;
    const exchange: ExchangeOptions = {
      session: "s",
      ask: async () => Promise.reject(new Error("The client declines.")),
      mayAnswer: async (methods) => {
        expect(methods).toEqual(["elicitation/create"]);
        queueMicrotask(ended.resolve);
        return mayAnswer;
      },
    };
    await currentExchange.run(exchange, () => ask(1));
    const question = (id: number) =>
      currentStream.run(1, () =>
        server.message({ jsonrpc: "2.0", id, method: "elicitation/create", params: {} }),
      );
    question(7);
    await expect.poll(() => sent.at(-1)).toMatchObject({ id: 7, error: {} });
    mayAnswer = false;
    const before = sent.length;
    // More than it may have open at a time, so that neither the client's word nor our own goes out.
    for (let id = 10; id < 90; id += 1) question(id);
    await ended.promise;
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(sent.length).toBe(before);
  });

  it("has a quarter of a server's open questions for the sessions of one label, and one at least for each (X14)", async () => {
    const { server, sent, ask } = await open("http");
    const openBy = new Map<string, number>();
    let request = 0;
    const askFor = async (labelHolder: string, session: string, questions: number): Promise<void> => {
      request += 1;
      const id = request;
      const exchange: ExchangeOptions = {
        session,
        labelHolder,
        ask: () => {
          openBy.set(labelHolder, (openBy.get(labelHolder) ?? 0) + 1);
          return new Promise(() => {});
        },
      };
      await currentExchange.run(exchange, () => ask(id));
      for (let count = 0; count < questions; count += 1) {
        const message = { jsonrpc: "2.0", id: `${id}-${count}`, method: "elicitation/create", params: {} };
        currentStream.run(id, () => server.message(message));
      }
    };
    for (let fork = 0; fork < 16; fork += 1) await askFor("greedy", `fork-${fork}`, 16);
    expect(openBy.get("greedy")).toBe(64);
    await expect.poll(() => sent.filter((message) => "error" in message).length).toBe(16 * 16 - 64);
    for (const other of ["b", "c", "d"]) await askFor(other, other, 64);
    for (const late of ["e", "f"]) await askFor(late, late, 2);
    expect([...openBy]).toEqual([
      ["greedy", 64],
      ["b", 64],
      ["c", 64],
      ["d", 64],
      ["e", 1],
      ["f", 1],
    ]);
  });

  it("throws nothing into the stream that a message came from", async () => {
    const { transport, server, ask, troubles } = await open();
    transport.onmessage = () => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    await ask(1);
    expect(() => server.message(answer(1))).not.toThrow();
    expect(troubles()).toBe(1);
  });
});

it("takes no verdict from a server that copies its words", () => {
  expect(verdictOf(Object.assign(new Error("too-large"), { code: -32603, data: {} }))).toBe(null);
});
