/** What a provider is told of callers that leave. */
import { expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import { createGate } from "../index.ts";
import type { ToolProvider } from "../ports/provider.ts";
import { runAtProvider } from "./provider-call.ts";

it("is told in many turns of the event loop of callers that leave in one (D5-queue)", async () => {
  let turn = 0;
  const turns = new Set<number>();
  const provider: ToolProvider = {
    ...{
      id: "mail",
      isOwn: true,
      status: "ready",
      problem: null,
      tools: new Map(),
      settled: Promise.resolve(),
    },
    run: async (_tool, _args, { signal }) => {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      turns.add(turn);
      throw signal?.reason;
    },
    watch: () => () => {},
    close: async () => {},
  };
  const policy = definePolicy({ servers: { mail: { tools: { search: { permissions: ["read"] } } } } });
  const gate = createGate({ policy, store: createMemoryStore() });
  const session = await gate.open();
  const leaving = new AbortController();
  const calls = Array.from({ length: 100 }, () =>
    session.call(
      { tool: "mcp__mail__search" },
      (args, context) => runAtProvider({ session, provider, context }, args as Record<string, never>),
      { signal: leaving.signal },
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  const count = (): void => {
    turn += 1;
    if (turn < 100) setImmediate(count);
  };
  count();
  leaving.abort();
  const ended = await Promise.allSettled(calls);
  expect(ended.every(({ status }) => status === "rejected")).toBe(true);
  expect(turns.size).toBeGreaterThan(2);
});
