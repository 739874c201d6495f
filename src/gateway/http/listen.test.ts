/** On which addresses the gateway listens, and under which names it answers there. */
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, expect, it } from "vitest";
import { createTestGateway } from "../../../test/fixtures/memory-gateway.ts";
import { listen } from "./listen.ts";

const gateway = createTestGateway({
  operatorToken: "x".repeat(32),
});
afterAll(() => gateway.close());

/** The status that a request gets which names this host. */
const statusOf = (url: string, host?: string): Promise<number | undefined> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(new URL("/healthz", url), { ...(host && { headers: { host } }) }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  sent.on("error", reject).end();
  return promise;
};

it.each([
  ["the loopback", {}, [200, 403]],
  ["another address of the loopback's network", { host: "127.0.0.2" }, [200, 403]],
  ["every address, with a name", { host: "0.0.0.0", allowHosts: ["gate.acme.example"] }, [200, 200]],
])("listens on %s, and answers to its own names only", async (_, options, statuses) => {
  const doors = await listen(gateway, { port: 0, ...options });
  expect([await statusOf(doors.url), await statusOf(doors.url, "gate.acme.example")]).toEqual(statuses);
  await doors.close();
});

it("doesn't listen on every address without a name to be reached by", async () => {
  await expect(listen(gateway, { port: 0, host: "0.0.0.0" })).rejects.toMatchObject({ code: "usage" });
});

/** Sends so many requests at once on one connection; how many were answered before it was closed, or were all. */
async function answersTo(url: string, count: number): Promise<number> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(count));
  let answers = 0;
  socket.setEncoding("utf8").on("data", (text: string) => {
    answers += text.split("HTTP/1.1 200").length - 1;
    if (answers === count) socket.destroy();
  });
  await once(socket, "close");
  return answers;
}

it("closes a connection on which too many requests are sent ahead of their answers (X14)", async () => {
  const doors = await listen(gateway, { port: 0 });
  expect(await answersTo(doors.url, 8)).toBe(8);
  expect(await answersTo(doors.url, 1000)).toBeLessThan(50);
  await doors.close();
});
