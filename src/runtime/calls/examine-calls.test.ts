import { expect, it } from "vitest";
import { createGate, definePolicy } from "../../index.ts";
import type { Examination, ToolProvider } from "../ports/provider.ts";
import { callProvider } from "./call-provider.ts";
import { examineCalls } from "./examine-calls.ts";

/** A server with one tool that it looks at before, and what it has looked at and run. */
function vault(examination: Omit<Examination, "asks" | "targets">) {
  const seen: { examined: string[]; ran: (Examination | undefined)[] } = { examined: [], ran: [] };
  const provider: ToolProvider = {
    id: "vault",
    status: "ready",
    problem: null,
    tools: new Map([["open", { name: "open", inputSchema: { type: "object" } }]]),
    settled: Promise.resolve(),
    examine: async (tool) => {
      seen.examined.push(tool);
      return { asks: [], targets: [], ...examination };
    },
    run: async (_tool, _args, { examined }) => {
      seen.ran.push(examined);
      return { content: [] };
    },
    watch: () => () => {},
    close: async () => {},
  };
  return { provider, seen };
}

const policyOf = (tool: string) =>
  definePolicy({ servers: { vault: { tools: { [tool]: { permissions: ["read"] } } } } });

it.each([
  ["open", "open"],
  ["vault__open", "open"],
  ["mcp__vault__open", "open"],
  ["mcp__vault__open", "op*"],
])("looks at a call of %s, which the policy declares as %s", async (tool, declared) => {
  const { provider, seen } = vault({ isProtected: true });
  const session = await createGate({ policy: policyOf(declared), facts: examineCalls([provider]) }).open();
  const { effect } = await callProvider(session, [provider], { tool });
  expect([effect, seen]).toEqual(["deny", { examined: ["open"], ran: [] }]);
});

it("looks at no call of a tool that the run doesn't see", async () => {
  const { provider, seen } = vault({});
  const session = await createGate({ policy: policyOf("open"), facts: examineCalls([provider]) }).open();
  await session.run({ tools: [] }, (view) => callProvider(view, [provider], { tool: "vault__open" }));
  expect(seen).toEqual({ examined: [], ran: [] });
});

it("runs what was looked at, on what was found, and nothing that wasn't", async () => {
  const { provider, seen } = vault({ checked: "mine" });
  const examining = await createGate({ policy: policyOf("open"), facts: examineCalls([provider]) }).open();
  await callProvider(examining, [provider], { tool: "open" });
  expect(seen.ran).toEqual([{ asks: [], targets: [], checked: "mine" }]);
  const blind = await createGate({ policy: policyOf("open") }).open();
  await expect(callProvider(blind, [provider], { tool: "open" })).rejects.toMatchObject({
    code: "approval-needed",
  });
  await expect(callProvider(blind, [], { tool: "open" })).rejects.toMatchObject({
    code: "tool-runs-at-agent",
  });
  expect(seen.ran).toHaveLength(1);
});
