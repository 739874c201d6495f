/** How the gateway stops: it says so, takes no new calls, and gives those that run their answer. */
import { afterEach, expect, it } from "vitest";
import { createTestGateway } from "../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../core/index.ts";
import type { ToolProvider } from "../runtime/index.ts";
import { listen } from "./index.ts";

const TOKEN = "operator-token-for-tests";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const policy = definePolicy({ servers: { mail: { tools: { read: { permissions: ["read"] } } } } });

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start() {
  const [started, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const mail: ToolProvider = {
    id: "mail",
    status: "ready",
    problem: null,
    tools: new Map([["read", { name: "read", inputSchema: { type: "object" } }]]),
    settled: Promise.resolve(),
    run: async () => {
      started.resolve();
      await answer.promise;
      return { content: [{ type: "text", text: "x".repeat(1_000_000) }] };
    },
    watch: () => () => {},
    close: async () => {},
  };
  const gateway = createTestGateway({
    policy,
    providers: [mail],
    operatorToken: TOKEN,
    runner: { id: "abcd", isGone: () => true },
  });
  const doors = await listen(gateway, { port: 0 });
  closing.push(
    () => gateway.close(),
    () => doors.close(),
  );
  await gateway.catalog.settled;
  const { id } = await gateway.gate.open();
  const call = () =>
    fetch(`${doors.url}/v1/session/${id}/call`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ tool: "read", arguments: {} }),
    });
  const ready = async () => {
    const response = await fetch(`${doors.url}/readyz`, { headers: HEADERS });
    return [response.status, /"draining":(\w+)/.exec(await response.text())?.[1]];
  };
  return { gateway, doors, call, ready, started: started.promise, answer: answer.resolve };
}

it("says that it isn't ready, refuses new calls, and ends when the open ones have their answers", async () => {
  const { gateway, doors, call, ready, started, answer } = await start();
  expect(await ready()).toEqual([200, "false"]);
  const open = call();
  await started;
  const drained = gateway.gate.calls.drain(60_000);
  expect(await ready()).toEqual([503, "true"]);
  const refused = await call();
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("not-ready")]);
  answer();
  await drained;
  const closed = doors.close({ graceMs: 10_000 });
  const response = await open;
  expect([response.status, (await response.text()).length > 1_000_000]).toEqual([200, true]);
  await closed;
});
