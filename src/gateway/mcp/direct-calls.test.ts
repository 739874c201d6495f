/** Calls that run without the SDK are answered as the SDK answers them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTestGateway } from "../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../core/index.ts";
import type { JsonObject, ToolProvider } from "../../runtime/index.ts";
import type { Gateway } from "../gateway.ts";

const OLDER = "2025-11-25";
const NEWER = "2026-07-28";
const HEADERS = {
  ...{ host: "gateway.test", authorization: "Bearer operator" },
  ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
};
const TOOL = { name: "get_issue", inputSchema: { type: "object" } } as const;
const text = [{ type: "text", text: "An issue.\u2028" }];

const open: Gateway[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function start(run: ToolProvider["run"]): Promise<Gateway> {
  const gateway = createTestGateway({
    policy: definePolicy({ servers: { github: { tools: { get_issue: { permissions: ["read"] } } } } }),
    providers: [
      {
        ...{ id: "github", status: "ready", problem: null, settled: Promise.resolve() },
        tools: new Map([[TOOL.name, TOOL]]),
        run,
        watch: () => () => {},
        close: async () => {},
      },
    ],
    operatorToken: "operator",
  });
  gateway.allowHosts({ hosts: new Set(["gateway.test"]) });
  await gateway.catalog.settled;
  open.push(gateway);
  return gateway;
}

async function post(gateway: Gateway, headers: Record<string, string>, body: unknown): Promise<Response> {
  const request = { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) };
  return gateway.fetch(new Request("http://gateway.test/mcp", request));
}

/** Sends calls of one revision; with a parameter that the protocol doesn't have, the SDK serves them. */
async function connect(gateway: Gateway, revision: string) {
  if (revision === NEWER)
    return (id: string | number, params: JsonObject, message: JsonObject = {}) => {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": NEWER,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const own = { "mcp-protocol-version": NEWER, "mcp-method": "tools/call", "mcp-name": `${params.name}` };
      const call = { jsonrpc: "2.0", id, method: "tools/call", params: { ...params, _meta: meta } };
      return post(gateway, own, { ...call, ...message });
    };
  const clientInfo = { name: "raw", version: "1" };
  const begin = { protocolVersion: OLDER, capabilities: {}, clientInfo };
  const opened = await post(
    gateway,
    {},
    { jsonrpc: "2.0", id: "begin", method: "initialize", params: begin },
  );
  const own = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": OLDER };
  await opened.text();
  await post(gateway, own, { jsonrpc: "2.0", method: "notifications/initialized" });
  return (id: string | number, params: JsonObject, message: JsonObject = {}) =>
    post(gateway, own, { jsonrpc: "2.0", id, method: "tools/call", params, ...message });
}

const answerOf = async (response: Response) => ({
  status: response.status,
  type: response.headers.get("content-type"),
  body: await response.json(),
});

const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
const RESULTS: readonly (readonly [string, JsonObject])[] = [
  ["texts", { content: [...text, ...text] }],
  ["no blocks", { content: [] }],
  ["a failure", { content: text, isError: true }],
  ["structured content and `_meta`", { content: text, structuredContent: { a: [1] }, _meta: { page: 2 } }],
  ["a picture", { content: [...text, picture] }],
  ["an annotated text", { content: [{ ...text[0], annotations: { audience: ["user"] } }] }],
  ["a field that no block has", { content: [{ ...text[0], extra: 1 }] }],
  ["a field that no result has", { content: text, extra: { a: 1 } }],
  ["no content", { structuredContent: { a: 1 } }],
  ["structured content that is a list", { content: text, structuredContent: [1] }],
  ["a failure that is no boolean", { content: text, isError: "yes" }],
  ["content that is a text", { content: "An issue." }],
  ["a block of no kind", { content: [{ type: "riddle" }] }],
  ["a question in place of a result", { resultType: "input_required", requestState: "x" }],
  ["another kind of result", { content: text, resultType: "task" }],
];

describe.each([OLDER, NEWER])("a call of revision %s (law-10)", (revision) => {
  it.each(RESULTS)("with %s is answered as by the SDK", async (_, result) => {
    const gateway = await start(async () => result as never);
    const call = await connect(gateway, revision);
    const directly = await answerOf(await call(7, { name: "get_issue", arguments: { id: 1 } }));
    const bySdk = await answerOf(await call(7, { name: "get_issue", arguments: { id: 1 }, other: 1 }));
    expect(directly).toEqual(bySdk);
  });

  it.each([
    ["an unknown tool", { name: "put_issue" }],
    ["arguments that the tool's schema refuses", { name: "get_issue", arguments: { "": 1 } }],
    ["a name that is too long", { name: "x".repeat(300) }],
    ["a tool of the gateway", { name: "sluicegate_manifest", arguments: {} }],
  ])("of %s is answered as by the SDK", async (_, params) => {
    const gateway = await start(async () => ({ content: text }) as never);
    const call = await connect(gateway, revision);
    const directly = await answerOf(await call("a", params));
    const bySdk = await answerOf(await call("a", { ...params, other: 1 }));
    const plain = (answer: unknown) =>
      JSON.parse(JSON.stringify(answer).replaceAll(/call_[0-9a-f]+/g, "call"));
    expect(plain(directly)).toEqual(plain(bySdk));
  });
});

it("a cancelled call is stopped, and its id can be used again (law-10)", async () => {
  const stopped: boolean[] = [];
  let hold = true;
  const gateway = await start(async (_name, _args, { signal }) => {
    if (hold) await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    stopped.push(signal?.aborted ?? false);
    return { content: text, extra: stopped.length } as never;
  });
  const call = await connect(gateway, OLDER);
  const first = call(1, { name: "get_issue" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const cancel = { id: undefined, method: "notifications/cancelled", params: { requestId: 1 } };
  await call(0, {}, cancel);
  expect(await (await first).json()).toMatchObject({ id: 1, error: { code: -32800 } });
  await vi.waitFor(() => expect(stopped).toEqual([true]));
  hold = false;
  expect(await (await call(1, { name: "get_issue" })).json()).toMatchObject({ id: 1, result: { extra: 2 } });
  expect(stopped).toEqual([true, false]);
});
