/** Bad input at each door of HTTP: a clear error each, and the gateway lives on. */
import { request as httpRequest } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const POLICY = `
version: 1
tools:
  read_mail: { permissions: [read], source: internal }
  post: { permissions: [connect], sink: public }
`;

let gate: RunningGateway;
let session: string;
let token: string;
beforeAll(async () => {
  gate = await startGateway({ policy: POLICY, limits: { bodyBytes: 10_000, planCalls: 50, batchCalls: 50 } });
  const opened = (await gate.request("POST", "/v1/session", {})).body;
  session = `/v1/session/${opened.session_id}`;
  token = opened.session_token;
});
afterEach(async () => {
  expect((await fetch(`${gate.url}/healthz`)).status).toBe(200);
});
afterAll(() => gate.stop());

const expectError = (reply: { status: number; body: any }, status: number, code: string): void => {
  expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
  for (const part of ["message", "why", "fix"]) expect(reply.body.error[part]).toMatch(/^\S[^\n]*[.!]$/);
};

describe("a body", () => {
  it.each([
    ["that is no JSON", "{nope", 400, "malformed-json"],
    ["that is empty where one is due", "", 400, "invalid-request"],
    ["with a key twice", '{"tool":"post","tool":"read_mail"}', 400, "malformed-json"],
    ["with __proto__ as a key", '{"tool":"post","arguments":{"__proto__":{}}}', 400, "malformed-json"],
    ["with a lone surrogate", '{"tool":"post","arguments":{"a":"\\ud800"}}', 400, "malformed-json"],
    [
      "with a number that can't be kept",
      '{"tool":"post","arguments":{"a":9007199254740993}}',
      400,
      "malformed-json",
    ],
    [
      "nested 4,000 deep",
      `{"tool":"post","arguments":{"a":${"[".repeat(4000)}${"]".repeat(4000)}}}`,
      400,
      "malformed-json",
    ],
    [
      "that is too large",
      JSON.stringify({ tool: "post", arguments: { a: "x".repeat(10_000) } }),
      413,
      "body-too-large",
    ],
    ["with an unknown key", '{"tool":"post","wiat":5}', 400, "invalid-request"],
    ["with a wrong type", '{"tool":7}', 400, "invalid-request"],
    ["that is a list", "[]", 400, "invalid-request"],
    ["with arguments that are no object", '{"tool":"post","arguments":[1]}', 400, "invalid-request"],
    [
      "with a batch that is too long",
      JSON.stringify({ calls: Array.from({ length: 51 }, () => ({ tool: "post" })) }),
      429,
      "limit-reached",
    ],
  ])("%s is refused", async (_, body, status, code) => {
    expectError(
      await gate.request("POST", `${session}/decide`, body, { "content-type": "application/json" }),
      status,
      code,
    );
  });

  it("of another media type is refused", async () => {
    expectError(
      await gate.request("POST", `${session}/decide`, "tool=post", { "content-type": "text/plain" }),
      415,
      "unsupported-media-type",
    );
  });

  it("never finds its values in the error", async () => {
    const reply = await gate.request("POST", `${session}/decide`, { tool: 7, secret: "hunter2" });
    expect(JSON.stringify(reply.body)).not.toContain("hunter2");
  });

  it("gets problem details where the client asks for them", async () => {
    const reply = await gate.request("POST", `${session}/decide`, "{", {
      accept: "application/problem+json",
    });
    expect(reply.headers.get("content-type")).toBe("application/problem+json");
    expect(reply.body).toMatchObject({
      status: 400,
      code: "malformed-json",
      type: "urn:sluicegate:error:malformed-json",
    });
  });
});

describe("a caller", () => {
  it("without a token, or with a wrong one, is refused everywhere but at /healthz", async () => {
    for (const path of [
      "/v1/session",
      "/mcp",
      "/openapi.json",
      "/metrics",
      "/readyz",
      "/v1/events",
      "/",
      "/nothing",
    ]) {
      for (const authorization of ["", "Bearer wrong", "Basic b3BlcmF0b3I6"]) {
        const reply = await gate.request("GET", path, undefined, { authorization });
        expect([path, reply.status, reply.headers.get("www-authenticate")]).toEqual([
          path,
          401,
          'Bearer realm="sluicegate"',
        ]);
      }
    }
  });

  it("with a foreign Host is refused before anything else", async () => {
    const status = await new Promise<number | undefined>((done, fail) => {
      const url = new URL(`${gate.url}/v1/session`);
      const sent = httpRequest(
        {
          host: url.hostname,
          port: url.port,
          path: url.pathname,
          method: "POST",
          headers: { host: "evil.example" },
        },
        (reply) => {
          reply.resume();
          done(reply.statusCode);
        },
      );
      sent.on("error", fail);
      sent.end("{");
    });
    expect(status).toBe(403);
  });

  it.each([
    "https://evil.example",
    "null",
    "http://127.0.0.1.evil.example",
    "http://127.0.0.1:1",
  ])("from the origin %s is refused", async (origin) => {
    for (const path of ["/v1/session", "/mcp", "/healthz"]) {
      expectError(await gate.request("POST", path, {}, { origin }), 403, "origin-refused");
    }
  });

  it("may come from the gateway's own origin", async () => {
    expect((await gate.request("GET", session, undefined, { origin: gate.url })).status).toBe(200);
  });
});

describe("a session", () => {
  it.each([
    "sess_00000000000000000000000000000000",
    "sess_x",
    "constructor",
    "%00",
    "a".repeat(300),
  ])("called %s is not found", async (id) => {
    expectError(await gate.request("GET", `/v1/session/${id}`), 404, "session-not-found");
    expectError(await gate.request("POST", `/s/${id}/mcp`, {}), 404, "session-not-found");
  });

  it("named in two places that differ is an error", async () => {
    const headers = { "sluicegate-session": `sess_${"1".repeat(32)}` };
    expectError(await gate.request("GET", session, undefined, headers), 400, "session-mismatch");
  });

  it("that somebody else has the token of is not found, whatever the body", async () => {
    const other = (await gate.request("POST", "/v1/session", {})).body;
    const reply = await gate.request("POST", `/v1/session/${other.session_id}/decide`, "{nope", {
      authorization: `Bearer ${token}`,
    });
    expectError(reply, 404, "session-not-found");
  });

  it("can't be opened with a role that isn't there", async () => {
    expectError(await gate.request("POST", "/v1/session", { role: "king" }), 400, "invalid-request");
  });
});

describe("a route", () => {
  it("that isn't there, and a method that isn't taken, say so", async () => {
    expectError(await gate.request("GET", "/v1/nothing"), 404, "not-found");
    expectError(await gate.request("DELETE", "/v1/session"), 405, "method-not-allowed");
    expectError(await gate.request("GET", `${session}/journal?after=-1`), 400, "invalid-request");
    expectError(await gate.request("GET", `${session}/journal?before=1`), 400, "invalid-request");
    expectError(
      await gate.request("POST", `${session}/validate-plan`, {
        planned_calls: Array.from({ length: 51 }, () => "post"),
      }),
      429,
      "limit-reached",
    );
  });
});

describe("an MCP message", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    gate.request("POST", `${session.replace("/v1/session/", "/s/")}/mcp`, body, {
      accept: "application/json, text/event-stream",
      ...headers,
    });

  it("that is no JSON, empty, or no message is refused", async () => {
    expectError(await post("{nope"), 400, "malformed-json");
    expectError(await post(""), 400, "malformed-json");
    expect((await post('{"jsonrpc":"2.0"}')).status).toBe(400);
    expect((await post("[]")).status).toBe(400);
    expectError(await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), 400, "invalid-request");
  });

  it("whose headers differ from its body is refused", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "post", arguments: {}, _meta: meta },
    });
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "read_mail",
    };
    expect((await post(body, headers)).status).toBe(400);
  });
});

describe("too many requests", () => {
  it("are refused with the time to wait, and those of others go on", async () => {
    const busy = await startGateway({ policy: POLICY, limits: { requestsPerSecond: 5 } });
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => busy.request("GET", "/openapi.json")),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect((await fetch(`${busy.url}/healthz`)).status).toBe(200);
    await busy.stop();
  });
});
