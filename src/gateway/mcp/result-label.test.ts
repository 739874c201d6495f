/** A server's own labels and ours, on the way of a result through the gateway. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { createTestGateway } from "../../../test/fixtures/memory-gateway.ts";
import { createLabel, definePolicy } from "../../core/index.ts";
import { toAnswer } from "../../providers/mcp/calls/tool-result.ts";
import type { JsonObject, ToolProvider } from "../../runtime/index.ts";
import type { Gateway } from "../gateway.ts";

const policy = definePolicy({
  servers: { github: { tools: { get_issue: { permissions: ["read"] } } } },
});

const TOOL = { name: "get_issue", inputSchema: { type: "object" } } as const;

/** A server whose tool answers as it is told. */
const answering = (raw: JsonObject): ToolProvider => ({
  id: "github",
  status: "ready",
  problem: null,
  tools: new Map([[TOOL.name, TOOL]]),
  settled: Promise.resolve(),
  run: async () => {
    const answer = toAnswer(raw);
    if (answer.kind !== "result") throw new Error("It is no result.");
    return answer.result;
  },
  watch: () => () => {},
  close: async () => {},
});

const open: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(raw: JsonObject): Promise<{ gateway: Gateway; client: Client }> {
  const gateway = createTestGateway({
    policy,
    providers: [answering(raw)],
    operatorToken: "operator",
  });
  gateway.allowHosts({ hosts: new Set(["gateway.test"]) });
  await gateway.catalog.settled;
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL("http://gateway.test/mcp"), {
    fetch: async (url, init) => gateway.fetch(new Request(url, init)),
    requestInit: { headers: { authorization: "Bearer operator", host: "gateway.test" } },
  });
  await client.connect(transport);
  open.push(gateway, client);
  return { gateway, client };
}

const content = [{ type: "text", text: "An issue." }];

describe("a result that its server has labelled", () => {
  it("raises the session before it is released, and is given on with our label (X12-hints)", async () => {
    const { gateway, client } = await start({
      content,
      _meta: { ifc: { integrity: "untrusted", confidentiality: "private" }, "com.github/x": 1 },
    });
    const result = await client.callTool({ name: "get_issue", arguments: {} });
    const session = await gateway.gate.sticky("operator");
    expect(session.label).toEqual(createLabel("internal", [], "untrusted"));
    expect(result.content).toEqual(content);
    expect(result._meta).toMatchObject({
      ifc: { integrity: "untrusted", confidentiality: "private" },
      "dev.sluicegate/label": { level: "internal", categories: [], trust: "untrusted" },
    });
    expect(result._meta).not.toHaveProperty("com.github/x");
  });

  it("is not given on as less than the session holds, by itself or in a block (X12-hints)", async () => {
    const ifc = { integrity: "trusted", confidentiality: "public" };
    const { gateway, client } = await start({ content: [{ ...content[0], _meta: { ifc } }], _meta: { ifc } });
    const session = await gateway.gate.sticky("operator");
    await session.addDataset("crm", { level: "secret", trust: "untrusted" });
    const result = await client.callTool({ name: "get_issue", arguments: {} });
    expect(result.content).toEqual(content);
    expect(result._meta?.ifc).toEqual({ integrity: "untrusted", confidentiality: "private" });
    expect((await gateway.gate.sticky("operator")).label.level).toBe("secret");
  });

  it("raises to the top where its label isn't understood (X12-hints)", async () => {
    const { gateway, client } = await start({ content, _meta: { ifc: "public" } });
    await client.callTool({ name: "get_issue", arguments: {} });
    expect((await gateway.gate.sticky("operator")).label.level).toBe("*");
  });

  it("is refused with our label too, and with no word of the server's (X12-hints)", async () => {
    const { client } = await start({ content });
    const refused = await client.callTool({ name: "no_such_tool", arguments: {} });
    expect(refused.isError).toBe(true);
    expect(refused._meta).toMatchObject({ ifc: { integrity: "trusted", confidentiality: "public" } });
  });
});

it("checks the blocks of a result up to the first that is none (X14)", async () => {
  const { client } = await start({ content: Array.from({ length: 100 }, () => ({ type: "resource" })) });
  const { content, isError } = await client.callTool({ name: "get_issue", arguments: {} });
  expect({ content, isError }).toEqual({
    content: [
      {
        type: "text",
        text: "The tool's answer can't be used. It is not the result of a tool. Look into the server's log. The call itself was run.",
      },
    ],
    isError: true,
  });
});
