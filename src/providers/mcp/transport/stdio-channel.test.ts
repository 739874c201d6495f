import { expect, it } from "vitest";
import { UPSTREAM_LIMITS } from "../limits.ts";
import { createStdioChannel } from "./stdio-channel.ts";

const ECHO = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => console.log(line))`;

it("writes a message as one line, for servers whose lines end at other separators too", async () => {
  const server = { kind: "stdio", command: "node", args: ["-e", ECHO], env: {}, cwd: "." } as const;
  const channel = createStdioChannel(server, UPSTREAM_LIMITS, () => {});
  const { promise: received, resolve } = Promise.withResolvers<unknown>();
  const ignored = { oversized: () => {}, single: () => {}, trouble: () => {}, closed: () => {} };
  await channel.start({ message: resolve, ...ignored });
  const message = { jsonrpc: "2.0", method: "ping", params: { text: "one\u2028two\u2029three" } } as const;
  await channel.send(message);
  expect(await received).toEqual(message);
  await channel.close();
});

const X = '"x".repeat(3_000_000)';
it.each([
  ["large messages and small ones", `for (const at of [1, 2, 3]) say(at, at === 2 ? "" : ${X});`, 3],
  ["many small ones", `for (let at = 1; at <= 400; at += 1) say(at, "");`, 400],
  ["many large ones", `for (let at = 1; at <= 100; at += 1) say(at, "x".repeat(140_000));`, 100],
])("hands on what a server wrote right before it ended, in its order: %s", async (_, writes, count) => {
  const code = `const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result })); ${writes}`;
  const server = { kind: "stdio", command: "node", args: ["-e", code], env: {}, cwd: "." } as const;
  const channel = createStdioChannel(server, UPSTREAM_LIMITS, () => {});
  const received: unknown[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await channel.start({
    message: (message) => received.push(Reflect.get(Object(message), "id")),
    oversized: () => {},
    single: () => {},
    trouble: () => {},
    closed: resolve,
  });
  await closed;
  expect(received).toEqual(Array.from({ length: count }, (_, at) => at + 1));
});
