import { expect, it } from "vitest";
import { createGate, definePolicy } from "../../index.ts";
import type { Examination, ToolProvider } from "../ports/provider.ts";
import { examineCalls } from "./call-facts.ts";
import { callProvider, executeCall } from "./provider-call.ts";

/** A server with one tool that it examines before, and what it has examined and run. */
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

it("decides a call on what its caller found out as well, which takes nothing away of what the gate says", async () => {
  const declared = { tools: { open: { permissions: ["read"] } }, levels: ["public", "secret"] } as const;
  const asked = { examined: { asks: ["protected-name"], targets: [{ path: "/a" }] } } as const;
  const gate = createGate({ policy: definePolicy(declared), facts: () => asked });
  const session = await gate.open();
  const facts = () => ({ faults: [{ code: "provider", message: "Nobody knows." }] }) as const;
  const [decision] = await session.decide([{ tool: "open" }], { facts });
  expect(decision).toMatchObject({
    effect: "deny",
    faults: facts().faults,
    reasons: [{ code: "approval-required" }, { code: "fault" }],
  });
  expect(await session.preview({ tool: "open" }, { facts: () => ({}) })).toMatchObject({ effect: "ask" });
  expect(await session.preview({ tool: "open" }, { facts: () => Promise.reject() })).toMatchObject({
    effect: "deny",
    faults: [{ code: "provider" }],
  });
});

const LEVELS = ["public", "secret"];
const at = (level: string) => ({ level, categories: [], trust: "untrusted" });
const PUBLIC = at("public");
const SECRET = at("secret");
const examined = { asks: [], targets: [] };

it.each([
  ["a source", { source: PUBLIC }, { source: SECRET }],
  ["a source of its own", { examined: { ...examined, source: PUBLIC } }, { source: SECRET }],
  [
    "what was examined",
    { examined: { ...examined, source: PUBLIC } },
    { examined: { ...examined, source: SECRET } },
  ],
])("brings in what both find out of a call, whoever is asked first: %s", async (_, one, other) => {
  const tools = { open: { permissions: ["read"] } } as const;
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const gate = createGate({ policy: definePolicy({ levels: LEVELS, tools }), facts: () => first });
    const session = await gate.open();
    await session.call({ tool: "open" }, () => "", { facts: () => second });
    expect(session.state.label).toEqual(SECRET);
  }
});

it.each([
  ["protects", { examined: { ...examined, isProtected: true } }, "deny"],
  ["asks", { examined: { ...examined, asks: ["protected-name"] } }, "ask"],
] as const)("counts what a second look %s", async (_, second, effect) => {
  const tools = { open: { permissions: ["read"] } } as const;
  const gate = createGate({ policy: definePolicy({ tools }), facts: () => ({ examined }) });
  const session = await gate.open();
  expect((await session.call({ tool: "open" }, () => "", { facts: () => second })).effect).toBe(effect);
});

it("looks at no call of a tool that the run doesn't see", async () => {
  const { provider, seen } = vault({});
  const session = await createGate({ policy: policyOf("open"), facts: examineCalls([provider]) }).open();
  await session.run({ tools: [] }, (view) => callProvider(view, [provider], { tool: "vault__open" }));
  expect(seen).toEqual({ examined: [], ran: [] });
});

it.each([
  true,
  false,
])("runs a call on what its provider found, looked at once: its gate has the facts? %s", async (has) => {
  const { provider, seen } = vault({ checked: "mine" });
  const facts = examineCalls([provider]);
  const session = await createGate({ policy: policyOf("open"), ...(has && { facts }) }).open();
  await callProvider(session, [provider], { tool: "open" });
  expect(seen).toEqual({ examined: ["open"], ran: [{ asks: [], targets: [], checked: "mine" }] });
  await expect(callProvider(session, [], { tool: "open" })).rejects.toMatchObject({
    code: "tool-runs-at-agent",
  });
});

it("runs nothing that wasn't looked at", async () => {
  const { provider, seen } = vault({ checked: "mine" });
  const blind = await createGate({ policy: policyOf("open") }).open();
  const { error } = await executeCall(blind, [provider], { tool: "open" });
  expect([error?.code, seen.ran]).toEqual(["approval-needed", []]);
});
