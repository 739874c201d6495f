import { expect, it } from "vitest";
import { createTestGateway } from "../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Store } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";

const HEADERS = { host: "gate.test", authorization: "Bearer operator-token-for-tests" };

it("says that the gateway isn't ready while the store refuses writes, tells it once, and recovers by itself", async () => {
  let isFull = false;
  let isAway = false;
  let held: Promise<void> | null = null;
  const full = () =>
    new SluicegateError("store-failed", "The store can't be written.", {
      why: "No room.",
      fix: "Make some.",
    });
  const memory = createMemoryStore();
  const store: Store = {
    ...memory,
    head: async (session) => {
      await held;
      if (isAway) throw full();
      return memory.head(session);
    },
    append: async (...args) => {
      if (isFull) throw full();
      return memory.append(...args);
    },
    stick: async (...args) => {
      if (isFull) throw full();
      return memory.stick(...args);
    },
  };
  const faults: unknown[] = [];
  const gateway = createTestGateway({
    policy: definePolicy({ tools: { read: { permissions: ["read"] } } }),
    store,
    onFault: (cause) => faults.push(cause),
  });
  gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  await gateway.catalog.settled;
  const get = async (path: string) => {
    const response = await gateway.fetch(new Request(`http://gate.test${path}`, { headers: HEADERS }));
    return [response.status, await response.text()] as const;
  };
  expect((await get("/readyz"))[0]).toBe(200);
  isFull = true;
  for (let count = 0; count < 3; count += 1) await expect(gateway.gate.open()).rejects.toThrow();
  const [status, text] = await get("/readyz");
  expect([status, JSON.parse(text).store]).toMatchObject([
    503,
    { ok: false, problem: "The store can't be written." },
  ]);
  expect(faults).toHaveLength(1);
  expect((await get("/metrics"))[1]).toMatch(/sluicegate_store_write_failures_total [1-9]/);
  expect((await get("/metrics"))[1]).toContain("sluicegate_store_up 0");
  isFull = false;
  expect((await get("/readyz"))[0]).toBe(200);
  expect((await get("/metrics"))[1]).toContain("sluicegate_store_up 1");
  // A database that is away fails at the first read, so that no write is tried.
  isAway = true;
  isFull = true;
  await expect(gateway.gate.session("sess_of_nobody")).rejects.toThrow();
  expect((await get("/readyz"))[0]).toBe(503);
  isAway = false;
  isFull = false;
  expect((await get("/readyz"))[0]).toBe(200);
  // Where nobody calls, it still hears of a database that went away, and where that answers nothing it doesn't wait.
  isAway = true;
  await expect.poll(async () => (await get("/readyz"))[0]).toBe(503);
  isAway = false;
  expect((await get("/readyz"))[0]).toBe(200);
  const hang = Promise.withResolvers<void>();
  held = hang.promise;
  await expect
    .poll(async () => JSON.parse((await get("/readyz"))[1]))
    .toMatchObject({
      ready: false,
      store: { ok: false, problem: expect.stringContaining("hasn't answered") },
    });
  hang.resolve();
  await expect.poll(async () => (await get("/readyz"))[0]).toBe(200);
  await gateway.close();
});
