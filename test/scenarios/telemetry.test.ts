/** Traces, metrics and logs of a gateway as operators collect them: a real one, and a collector that takes OTLP over HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const POLICY = `
version: 1
servers:
  office:
    command: node
    args: [server.ts, office]
    cwd: ${join(ROOT, "examples/office")}
    tools:
      search_email: { permissions: [read], source: { level: internal, trust: untrusted } }
  outside:
    command: node
    args: [server.ts, outside]
    cwd: ${join(ROOT, "examples/office")}
    tools:
      web_search: { permissions: [connect], sink: public }
`;
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const SECRET = "argument-that-nobody-collects";

const folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
const received = { traces: [] as any[], metrics: [] as any[] };
let log = "";

const attributesOf = ({ attributes }: any): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }: any) => [
      key,
      value.stringValue ?? value.arrayValue?.values.map((one: any) => one.stringValue),
    ]),
  );
const spans = (): any[] =>
  received.traces.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans.flatMap((scope: any) => scope.spans)),
  );
const spanOf = (kind: number, name: string): any =>
  spans().find((span) => span.kind === kind && span.name === name);

beforeAll(async () => {
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received[request.url === "/v1/traces" ? "traces" : "metrics"].push(
      JSON.parse(Buffer.concat(chunks).toString()),
    );
    response.setHeader("content-type", "application/json").end("{}");
  });
  await once(collector.listen(0, "127.0.0.1"), "listening");
  writeFileSync(join(folder, "sluicegate.yaml"), POLICY);
  const gateway = spawn(
    join(ROOT, "bin/sluicegate"),
    ["serve", "--config", join(folder, "sluicegate.yaml"), "--port", "0", "--json", "--log-format", "json"],
    {
      env: {
        PATH: process.env.PATH ?? "",
        HOME: process.env.HOME ?? "",
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      },
    },
  );
  gateway.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  let out = "";
  for await (const text of gateway.stdout.setEncoding("utf8")) {
    out += text;
    if (out.trimEnd().endsWith("}")) break;
  }
  const entrance = JSON.parse(out);
  const headers = { authorization: `Bearer ${entrance.session_token}`, "content-type": "application/json" };
  const rest = (tool: string, args: object, more = {}) =>
    fetch(`${entrance.url}/v1/session/${entrance.session_id}/call`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify({ tool, arguments: args }),
    }).then((response) => response.json());
  const mcp = (body: object, more = {}) =>
    fetch(entrance.mcp, {
      method: "POST",
      headers: { ...headers, accept: "application/json, text/event-stream", ...more },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });
  await rest("search_email", { query: SECRET }, { traceparent: PARENT });
  await rest("web_search", { query: SECRET }, { traceparent: "00-nonsense" });
  await rest(`unknown-${SECRET}`, {});
  const clientInfo = { name: "test", version: "1" };
  const opened = await mcp({
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  const connection = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const params = {
    name: "mcp__office__search_email",
    arguments: { query: SECRET },
    _meta: { traceparent: PARENT },
  };
  const answer = await mcp({ id: 2, method: "tools/call", params }, connection);
  expect(await answer.text()).toContain("result");
  gateway.kill("SIGTERM");
  await once(gateway, "exit");
  collector.close();
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("traces a call from its arrival to its server, with the conventions' names", () => {
  const call = spanOf(2, "tools/call mcp__office__search_email");
  expect(attributesOf(call)).toMatchObject({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "mcp__office__search_email",
    "sluicegate.server": "office",
    "sluicegate.effect": "allow",
    "sluicegate.session.id": expect.stringMatching(/^sess_/),
  });
  const request = spanOf(3, "tools/call mcp__office__search_email");
  expect([request.traceId, request.parentSpanId]).toEqual([call.traceId, call.spanId]);
});

it("says why a call was refused, and asks no server for it", () => {
  const refused = spanOf(2, "tools/call mcp__outside__web_search");
  expect(attributesOf(refused)).toMatchObject({
    "sluicegate.effect": "deny",
    "sluicegate.reasons": ["flow-blocked"],
    "error.type": "permission-denied",
  });
  expect(refused.status.code).toBe(2);
  expect(spanOf(3, "tools/call mcp__outside__web_search")).toBeUndefined();
});

it("links the caller's trace, by header and by MCP's `_meta`, and doesn't go on with it", () => {
  const linked = spans().filter(({ links = [] }) => links.some(({ traceId }: any) => traceId === TRACE));
  expect(linked.map(({ name }) => name)).toEqual(Array(2).fill("tools/call mcp__office__search_email"));
  expect(spans().filter(({ traceId }) => traceId === TRACE)).toEqual([]);
});

it("measures how long calls take here and at their servers", () => {
  const metrics = received.metrics.flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }: any) => scopeMetrics.flatMap((scope: any) => scope.metrics)),
  );
  const countOf = (name: string): number =>
    metrics
      .filter((metric) => metric.name === name)
      .flatMap(({ histogram }) => histogram.dataPoints)
      .reduce((sum, { count }) => sum + Number(count), 0);
  expect([countOf("mcp.server.operation.duration"), countOf("mcp.client.operation.duration")]).toEqual([
    4, 2,
  ]);
  const [{ resource }] = received.metrics[0].resourceMetrics;
  expect(attributesOf(resource)).toMatchObject({
    "service.name": "sluicegate",
    "deployment.environment.name": "test",
  });
  expect(JSON.stringify(received)).not.toContain("process.command");
});

it("holds neither arguments nor names that a caller made up", () => {
  expect(JSON.stringify(received)).not.toContain(SECRET);
});

it("logs JSON lines", () => {
  const lines = log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: "info",
    message: expect.stringContaining("SIGTERM: closing"),
  });
});
