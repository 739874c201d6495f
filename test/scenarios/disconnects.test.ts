/** Clients that go away in the middle: nothing is reported as a fault of the gateway's, and all others are served. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, expect, it } from "vitest";
import { definePolicy } from "../../src/core/index.ts";
import { createGateway, listen } from "../../src/gateway/index.ts";
import { createMemoryStore } from "../../src/stores/index.ts";

const TOKEN = "operator-token-for-tests";
const faults: unknown[] = [];
const gateway = createGateway({
  policy: definePolicy({ tools: { read_mail: { permissions: ["read"] } } }),
  store: createMemoryStore(),
  providers: [],
  operatorToken: TOKEN,
  key: Buffer.alloc(32, 7),
  version: "0.0.0-test",
  onFault: (cause) => faults.push(cause),
});
const doors = await listen(gateway, { port: 0 });
const { id } = await gateway.gate.open();

afterAll(async () => {
  await doors.close();
  await gateway.close();
});

/** Begins a request with a body that never becomes whole, and breaks the connection once the gateway reads it. */
async function breakOff(path: string, framing: string, part: string, isHard: boolean): Promise<void> {
  const { hostname, port, host } = new URL(doors.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  // The gateway answers `100 Continue` when it has seen the head.
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${TOKEN}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "Expect: 100-continue",
    framing,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  expect(String(await once(socket, "data"))).toContain("100 Continue");
  socket.write(part);
  const closed = once(socket, "close");
  if (isHard) socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

it.each([
  ["a body of a known length", "Content-Length: 100", '{"tool"'],
  ["a chunked body", "Transfer-Encoding: chunked", '7\r\n{"tool"\r\n'],
  ["a chunk that is none", "Transfer-Encoding: chunked", "zz\r\n"],
])("takes a client that goes in the middle of %s for no fault", async (_title, framing, part) => {
  for (const path of [`/v1/session/${id}/decide`, `/s/${id}/mcp`]) {
    await breakOff(path, framing, part, false);
    await breakOff(path, framing, part, true);
  }
  const answer = await fetch(`${doors.url}/v1/session/${id}/decide`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ tool: "read_mail", arguments: {} }),
  });
  expect(await answer.json()).toMatchObject({ effect: "allow" });
  expect(faults).toEqual([]);
});
