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
