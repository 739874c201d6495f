/** The reference server `server-everything` behind the gateway: each of its features is reached, or refused on purpose. */
import { resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningGateway } from "../scenarios/running-gateway.ts";
import { openGatedSession, startAllowAllGateway } from "./allow-all.ts";
import { type Agent, connectAgent, type Era } from "./everything-agent.ts";
import { FEATURES } from "./everything-features.ts";

const SERVER = resolve(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

const startServer = () =>
  new StdioClientTransport({ command: process.execPath, args: [SERVER, "stdio"], stderr: "ignore" });

describe.each(["legacy", "modern"] as const)("server-everything, for a client of the %s era", (era: Era) => {
  let gate: RunningGateway;
  let agent: Agent;
  beforeAll(async () => {
    gate = await startAllowAllGateway(`command: "${process.execPath}", args: ["${SERVER}", stdio]`);
    const session = await openGatedSession(gate);
    const requestInit = { headers: { authorization: `Bearer ${session.token}` } };
    agent = await connectAgent(era, new StreamableHTTPClientTransport(new URL(session.url), { requestInit }));
  });
  afterAll(async () => {
    await agent.client.close();
    await gate.stop();
  });

  const features = FEATURES.filter(({ eras = [era] }) => eras.includes(era));
  it.each(features.filter(({ outcome }) => outcome === "reached"))("reaches $name", async ({ use }) => {
    await use(agent);
  });
  it.each(features.filter(({ outcome }) => outcome === "refused"))("refuses $name", async ({ use }) => {
    await expect(use(agent)).rejects.toThrow();
  });
});

describe("server-everything without a gateway", () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent("legacy", startServer());
  });
  afterAll(() => agent.client.close());

  const features = FEATURES.filter(({ needsTasks }) => !needsTasks);
  it.each(features)("has $name", async ({ use }) => {
    await use(agent);
  });
});

describe("the table of its features", () => {
  it("names each tool, prompt and template that the server offers to a client that can do everything", async () => {
    const tasks = { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } };
    const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {}, tasks };
    const client = new Client({ name: "direct", version: "1.0.0" }, { capabilities });
    client.setRequestHandler("roots/list", () => ({ roots: [] }));
    await client.connect(startServer());
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    const { resourceTemplates } = await client.listResourceTemplates();
    await client.close();
    const offered = [
      ...[...tools, ...prompts].map(({ name }) => name),
      ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ];
    expect(offered).toHaveLength(25);
    const isNamed = (what: string) => FEATURES.some(({ name }) => name.split(/[ ,]+/).includes(what));
    expect(offered.filter((what) => !isNamed(what))).toEqual([]);
  });

  it("gives a reason for each refusal", () => {
    for (const { outcome, reason } of FEATURES) expect(reason !== undefined).toBe(outcome === "refused");
  });
});
