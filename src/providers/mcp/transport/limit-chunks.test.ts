import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fetchLimitingChunks } from "./limit-chunks.ts";

const CHUNKS = 6000;
const server = createServer((request, response) => {
  const piece = request.url === "/tiny" ? " " : "x".repeat(16);
  response.flushHeaders();
  // Without corking, each has its own chunk.
  for (let count = 0; count < CHUNKS; count += 1) response.write(piece);
  response.end();
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => server.close());

const addressOf = (path: string): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

it("ends an answer of thousands of tiny chunks, and reads one of larger ones (X14)", async () => {
  const tiny = async () => (await fetchLimitingChunks(addressOf("/tiny"))).text();
  await expect(tiny()).rejects.toThrow("tiny chunks");
  expect(await (await fetchLimitingChunks(addressOf("/large"))).text()).toHaveLength(CHUNKS * 16);
});

it("leaves other requests of the process alone (X14)", async () => {
  await fetchLimitingChunks(addressOf("/large"));
  expect(await (await fetch(addressOf("/tiny"))).text()).toHaveLength(CHUNKS);
});
