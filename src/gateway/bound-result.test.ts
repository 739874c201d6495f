/** What holds for the results of every provider, whatever it is. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestGateway } from "../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../core/index.ts";
import type { ToolProvider, ToolResult } from "../runtime/index.ts";
import { loopbackRules } from "./http/origin.ts";
import type { Gateway } from "./index.ts";

const MIB = 1024 * 1024;
const rows = (count: number): ToolResult => ({
  content: [{ type: "text", text: "" }],
  structuredContent: {
    rows: Array.from({ length: count }, (_, at) => [at, "Ada", "a@x.org", 1, 2.5, true, null]),
  },
});
const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] });
const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

const RESULTS: Readonly<Record<string, () => ToolResult>> = {
  document: () => text("A line of text.\n".repeat(MIB / 16)),
  largest_text: () => text("x".repeat(8 * MIB - 200)),
  query: () => rows(10_000),
  too_much_text: () => text("x".repeat(8 * MIB)),
  too_many_rows: () => rows(13_000),
  too_deep: () => ({ content: [], structuredContent: { a: nested(200) } }),
  too_many_names: () => ({
    content: [],
    structuredContent: Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`k${at}`, 1])),
  }),
  half_characters: () => ({
    content: [{ type: "text", text: "a\ud83d" }],
    structuredContent: { list: [{ "k\udc00": ["\ud83d\ude00", 1, null] }] },
  }),
};

/** A provider of this program, such as a database. */
const own: ToolProvider = {
  id: "own",
  isOwn: true,
  status: "ready",
  problem: null,
  tools: new Map(
    Object.keys(RESULTS).map((name) => [name, { name, description: "", inputSchema: { type: "object" } }]),
  ),
  settled: Promise.resolve(),
  run: async (name) => RESULTS[name]?.() ?? text(""),
  watch: () => () => {},
  close: async () => {},
};

let gateway: Gateway;
let session: { readonly id: string; readonly token: string };
beforeAll(async () => {
  gateway = createTestGateway({
    policy: definePolicy({
      servers: { own: {} },
      tools: { "mcp__own__*": { permissions: ["read"] } },
    }),
    providers: [own],
    onFault: () => {},
  });
  gateway.allowHosts(loopbackRules(7311, []));
  await gateway.catalog.settled;
  const { id } = await gateway.gate.open();
  session = { id, token: gateway.service.authority.sessionToken(id) };
});
afterAll(() => gateway.close());

async function call(tool: string): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
  const response = await gateway.fetch(
    new Request(`http://127.0.0.1:7311/v1/session/${session.id}/call`, {
      method: "POST",
      headers: {
        host: "127.0.0.1:7311",
        authorization: `Bearer ${session.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ tool: `mcp__own__${tool}`, arguments: {} }),
    }),
  );
  return JSON.parse(await response.text());
}

describe("a result of any provider", () => {
  it.each(["document", "largest_text", "query"])("goes through whole where it is a %s", async (name) => {
    expect((await call(name)).result).toEqual(RESULTS[name]?.());
  });

  it.each([
    "too_much_text",
    "too_many_rows",
    "too_deep",
    "too_many_names",
  ])("is refused by a sentence that says why and what to do where it is %s", async (name) => {
    const { result, error } = await call(name);
    expect(result).toBe(undefined);
    expect(error).toEqual({
      code: "result-too-large",
      message: `The result of \`${name}\` is too large.`,
      why: "It has more than 8388608 bytes, 100000 values or 5000 different member names, or is nested deeper than 128.",
      fix: "Ask for less at a time; a large table fits as one text. The call itself was run.",
    });
  });

  it("has whole characters alone, since a half one takes a hundred times as long to write", async () => {
    expect((await call("half_characters")).result).toEqual({
      content: [{ type: "text", text: "a\ufffd" }],
      structuredContent: { list: [{ "k\ufffd": ["\ud83d\ude00", 1, null] }] },
    });
  });
});
