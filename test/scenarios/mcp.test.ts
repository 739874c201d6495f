/** The same story for MCP clients of both protocol eras, over Streamable HTTP and over stdio. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BUNDLED_COMMAND } from "../../src/cli/cli.test-kit.ts";
import { OFFICE_POLICY, OPERATOR_TOKEN, type RunningGateway, startGateway } from "./running-gateway.ts";

let gate: RunningGateway;
const open: Client[] = [];
beforeAll(async () => {
  gate = await startGateway();
});
afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((client) => client.close()));
});
afterAll(() => gate.stop());

type Era = "2025-11-25" | "2026-07-28";
const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

const newClient = (era: Era): Client => {
  const mode = era === "2025-11-25" ? "legacy" : "auto";
  return new Client({ name: "test-agent", version: "1.0.0" }, { versionNegotiation: { mode } });
};

async function connect(
  era: Era,
  path: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = newClient(era);
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(gate.url + path), { requestInit }));
  open.push(client);
  return client;
}

const newSession = async (body: object = {}) => (await gate.request("POST", "/v1/session", body)).body;
const textOf = (result: any): string => result.content.map((block: any) => block.text).join("\n");

describe.each(ERAS)("an MCP client of %s", (era) => {
  it("is told the planning constraint in the instructions (C3)", async () => {
    const { session_id, session_token } = await newSession();
    const client = await connect(era, `/s/${session_id}/mcp`, session_token);
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect(client.getInstructions()).toContain(
      "Calling `search_email` or `search_docs` blocks `web_search` and `slack_post`",
    );
    expect(client.getInstructions()).toContain("`sluicegate_check_plan`");
  });

  it("sees the tools under their short names, each with what it costs (C8)", async () => {
    const { session_id, session_token } = await newSession();
    const client = await connect(era, `/s/${session_id}/mcp`, session_token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        "github_create_pr",
        "sluicegate_appeal",
        "report_impossible",
        "search_docs",
        "search_email",
        "sluicegate_check_plan",
        "sluicegate_manifest",
        "slack_post",
        "web_search",
      ].sort(),
    );
    const mail = tools.find(({ name }) => name === "search_email");
    expect(mail?.description).toContain("[Sluicegate] Calling it blocks `web_search` and `slack_post`");
    expect(mail?.inputSchema.properties).toHaveProperty("query");
  });

  it("gets manifest and plan check as tools, and has a person asked for a plan (C8, X6)", async () => {
    const { session_id, session_token } = await newSession();
    const client = await connect(era, `/s/${session_id}/mcp`, session_token);
    const manifest: any = await client.callTool({ name: "sluicegate_manifest", arguments: {} });
    expect(manifest.structuredContent.tools.map((tool: any) => tool.name)).toContain("web_search");
    const planned_calls = ["search_email", "web_search", "github_create_pr"];
    const plan: any = await client.callTool({ name: "sluicegate_check_plan", arguments: { planned_calls } });
    expect(plan.structuredContent).toMatchObject({
      valid: false,
      violations: [{ at_step: 1, tool: "web_search" }],
      safe_ordering: ["web_search", "search_email", "github_create_pr"],
    });
    const wrong: any = await client.callTool({
      name: "sluicegate_check_plan",
      arguments: { planned_calls: [1] },
    });
    expect(wrong.isError).toBe(true);
    const paying = [{ tool: "wire_transfer", arguments: { amount: 12 } }];
    const asked: any = await client.callTool({
      name: "sluicegate_check_plan",
      arguments: { planned_calls: paying, ask: true },
    });
    expect(asked.structuredContent).toMatchObject({ effect: "ask", approval: { status: "pending" } });
  });

  it("reads mail, then is refused the web with the reason that REST gives; the other way round both run (C1-declared)", async () => {
    const first = await newSession();
    const client = await connect(era, `/s/${first.session_id}/mcp`, first.session_token);
    const mail: any = await client.callTool({ name: "search_email", arguments: { query: "Q3" } });
    expect(mail.isError ?? false).toBe(false);
    expect(textOf(mail)).toContain("Q3");
    const web: any = await client.callTool({ name: "web_search", arguments: { query: "market" } });
    const rest = (
      await gate.request("POST", `/v1/session/${first.session_id}/call`, {
        tool: "web_search",
        arguments: { query: "market" },
      })
    ).body;
    expect(web.isError).toBe(true);
    expect(textOf(web)).toBe(rest.reasons[0].message);
    const pull = { repository: "acme/site", title: "Fix", body: "A fix", branch: "fix" };
    expect(
      ((await client.callTool({ name: "github_create_pr", arguments: pull })) as any).isError ?? false,
    ).toBe(false);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("web_search");
    const second = await newSession();
    const other = await connect(era, `/s/${second.session_id}/mcp`, second.session_token);
    for (const [name, args] of [
      ["web_search", { query: "market" }],
      ["github_create_pr", pull],
      ["search_email", { query: "Q3" }],
    ] as const) {
      const result: any = await other.callTool({ name, arguments: args });
      expect([name, result.isError ?? false]).toEqual([name, false]);
    }
  });

  it("appeals its last refusal, or one that it names, by a tool that runs nothing (X24)", async () => {
    const { session_id, session_token } = await newSession();
    const client = await connect(era, `/s/${session_id}/mcp`, session_token);
    const appeal = async (args: object): Promise<any> =>
      client.callTool({ name: "sluicegate_appeal", arguments: { ...args } });
    const text = "The user asked for it.";
    expect(await appeal({ text })).toMatchObject({ isError: true });
    await client.callTool({ name: "search_email", arguments: { query: "Q3" } });
    const refuse = async (): Promise<any> =>
      client.callTool({ name: "web_search", arguments: { query: "market" } });
    const [first, last] = [await refuse(), await refuse()];
    expect(first._meta["dev.sluicegate/decision"].class).toBe("never");
    expect(await appeal({ text })).toMatchObject({
      structuredContent: { acknowledged: true, call_id: last._meta["dev.sluicegate/decision"].call_id },
    });
    const { call_id } = first._meta["dev.sluicegate/decision"];
    expect(await appeal({ text, call_id })).toMatchObject({ structuredContent: { call_id } });
    expect(await appeal({ text: "a\u202eb", call_id })).toMatchObject({ isError: true });
    expect(client.getInstructions()).toContain("sluicegate_appeal");
  });

  it("is refused what its session can't see, though it names it (law-5)", async () => {
    const { session_id, session_token } = await newSession({ tools: ["search_docs"] });
    const client = await connect(era, `/s/${session_id}/mcp`, session_token);
    for (const name of ["search_email", "mcp__office__search_email", "nothing_at_all"]) {
      const result: any = await client.callTool({ name, arguments: { query: "x" } });
      expect([name, result.isError, textOf(result)]).toEqual([
        name,
        true,
        `There is no tool \`${name}\` in this session. Use a tool of the session's manifest.`,
      ]);
    }
    expect(client.getInstructions()).not.toContain("search_email");
  });

  it("comes in by path, by header, by its token alone, or to the operator's sticky session", async () => {
    const { session_id, session_token } = await newSession({ tools: ["search_docs"] });
    const names = async (client: Client) => (await client.listTools()).tools.length;
    expect(await names(await connect(era, "/mcp", session_token))).toBe(5);
    expect(
      await names(await connect(era, "/mcp", OPERATOR_TOKEN, { "sluicegate-session": session_id })),
    ).toBe(5);
    const sticky = await connect(era, "/mcp", OPERATOR_TOKEN);
    await sticky.callTool({ name: "search_docs", arguments: { query: "pricing" } });
    const again = await connect(era, "/mcp", OPERATOR_TOKEN);
    const web: any = await again.callTool({ name: "web_search", arguments: { query: "market" } });
    expect(textOf(web)).toContain("is blocked in this session");
  });
});

describe("a transport session of an older client", () => {
  it("can't be used from another session", async () => {
    const [mine, theirs] = [await newSession(), await newSession()];
    const client = newClient("2025-11-25");
    const transport = new StreamableHTTPClientTransport(new URL(`${gate.url}/s/${mine.session_id}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${mine.session_token}` } },
    });
    await client.connect(transport);
    open.push(client);
    const stolen = await fetch(`${gate.url}/s/${theirs.session_id}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${theirs.session_token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": transport.sessionId ?? "",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(stolen.status).toBe(404);
    expect(((await stolen.json()) as any).error.code).toBe("session-not-found");
  });
});

describe.each(ERAS)("over stdio, a client of %s", (era) => {
  it("gets a clean session of its own per process, and the same refusals (C8)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
    const config = join(folder, "sluicegate.yaml");
    writeFileSync(config, OFFICE_POLICY.replace(/\$\{OFFICE_STATE\}/, join(folder, "state")));
    const client = newClient(era);
    try {
      await client.connect(
        new StdioClientTransport({
          command: BUNDLED_COMMAND,
          args: ["mcp", "--config", config],
          stderr: "ignore",
        }),
      );
      expect(client.getInstructions()).toContain("Safe in any order: `github_create_pr`");
      expect(
        ((await client.callTool({ name: "search_email", arguments: { query: "Q3" } })) as any).isError ??
          false,
      ).toBe(false);
      const web: any = await client.callTool({ name: "web_search", arguments: { query: "market" } });
      expect([web.isError, textOf(web)]).toEqual([
        true,
        expect.stringContaining("`search_email` (call 1) loaded internal data"),
      ]);
    } finally {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
