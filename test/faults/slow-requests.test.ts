/** Requests that never end: they must not keep their places, whoever sends them. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { listen } from "../../src/gateway/index.ts";
import { createTestGateway } from "../fixtures/memory-gateway.ts";

const START =
  "POST /v1/session HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer operator-token-for-tests\r\n";

/** How long a connection stays open on which this was sent, in seconds, and what it was answered. */
async function waitOn(port: number, sent: string): Promise<{ seconds: number; answer: string }> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  const begun = performance.now();
  let answer = "";
  socket.on("data", (text: string) => {
    answer += text;
  });
  socket.write(sent.replace("PORT", String(port)));
  await once(socket, "close");
  return { seconds: (performance.now() - begun) / 1000, answer };
}

it("ends a request whose headers or whose body don't come in time (X14)", async () => {
  const gateway = createTestGateway();
  const doors = await listen(gateway, { port: 0 });
  const port = Number(new URL(doors.url).port);
  const body = `${START}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const [headers, rest] = await Promise.all([waitOn(port, START), waitOn(port, body)]);
  expect(headers.answer).toContain("408 Request Timeout");
  expect(headers.seconds).toBeGreaterThan(9);
  expect(headers.seconds).toBeLessThan(15);
  expect(rest.answer).toContain("408 Request Timeout");
  expect(rest.seconds).toBeLessThan(40);
  await doors.close();
  await gateway.close();
});
