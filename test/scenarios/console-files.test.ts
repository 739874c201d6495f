/** The console's files over a real gateway's port: what comes without a token, with which headers, and what doesn't. */
import { mkdirSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const { path } = temporaryFolder();
const PAGE = `<!doctype html><title>Console</title>${"<p>quiet</p>".repeat(100)}`;
const ASSET = "/assets/index-1a2b3c4d.js";
const POLICY = "version: 1\ntools:\n  render_chart: { permissions: [read] }\n";

let gate: RunningGateway;
let bare: RunningGateway;
beforeAll(async () => {
  const consoleFolder = path("dist");
  mkdirSync(join(consoleFolder, "assets"), { recursive: true });
  writeFileSync(join(consoleFolder, "index.html"), PAGE);
  writeFileSync(join(consoleFolder, ASSET), "run();");
  writeFileSync(join(consoleFolder, "../package.json"), '{ "secret": true }');
  writeFileSync(join(consoleFolder, "../secret.txt"), "secret");
  [gate, bare] = await Promise.all([
    startGateway({ policy: POLICY, consoleFolder }),
    startGateway({ policy: POLICY, consoleFolder: path("not-built") }),
  ]);
});
afterAll(() => Promise.all([gate?.stop(), bare?.stop()]));

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Without a token, and with a path that is sent as it stands. */
function ask(
  at: string,
  {
    method = "GET",
    headers = {},
    of = gate,
  }: { method?: string; headers?: object; of?: RunningGateway } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(of.url);
  const answered = Promise.withResolvers<Answer>();
  const sent = httpRequest({ hostname, port, path: at, method, headers: { ...headers } }, async (response) =>
    answered.resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await buffer(response),
    }),
  );
  sent.on("error", answered.reject).end();
  return answered.promise;
}

const errorOf = ({ body }: Answer): string => JSON.parse(body.toString()).error.code;

describe("the console's files over a port", () => {
  it("come without a token, at the page's own paths too (X14)", async () => {
    for (const at of ["/", "/approvals", "/approvals/appr_1?x=1", "/sessions?role=reader", "/policy/flows"]) {
      const { status, headers, body } = await ask(at);
      expect([at, status, headers["content-type"]]).toEqual([at, 200, "text/html; charset=utf-8"]);
      expect(body.toString()).toBe(PAGE);
    }
    expect((await ask(ASSET)).body.toString()).toBe("run();");
  });

  it("say in words that there is no such page, to a browser alone (X14)", async () => {
    const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const lost = await ask("/nope", { headers: html });
    expect([lost.status, lost.body.toString()]).toEqual([404, PAGE]);
    for (const [at, headers] of [
      ["/nope", {}],
      ["/v1/session", html],
      ["/mcp", html],
      ["/nope", { ...html, authorization: "Bearer wrong" }],
    ] as const)
      expect([at, (await ask(at, { headers })).status]).toEqual([at, 401]);
  });

  it("tell a browser to run and to load nothing but the gateway's own files, and to be in no frame (X14)", async () => {
    for (const at of ["/", "/sessions/sess_1", ASSET]) {
      const { headers } = await ask(at);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": expect.stringMatching(/camera=\(\).*geolocation=\(\).*microphone=\(\)/),
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("may be kept, the page never unasked", async () => {
    expect((await ask("/")).headers["cache-control"]).toBe("no-cache");
    expect((await ask(ASSET)).headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const etag = (await ask("/")).headers.etag;
    const again = await ask("/", { headers: { "if-none-match": etag } });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
  });

  it("are compressed for who takes it, and measured for HEAD", async () => {
    const zipped = await ask("/", { headers: { "accept-encoding": "gzip, br" } });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(zipped.body).toString()).toBe(PAGE);
    const head = await ask("/", { method: "HEAD" });
    expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([
      200,
      0,
      String(PAGE.length),
    ]);
    expect(head.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it.each([
    ["/assets/../../package.json", 401],
    ["/assets/%2e%2e/%2e%2e/package.json", 401],
    ["/assets/..%2f..%2fpackage.json", 404],
    ["/assets/%252e%252e%252fpackage.json", 404],
    ["/assets/..\\..\\package.json", 400],
    ["/../secret.txt", 401],
    ["/..%2fsecret.txt", 401],
    ["/approvals/../../secret.txt", 401],
    ["//secret.txt", 401],
    ["///etc/passwd", 401],
    ["/assets//etc/passwd", 404],
    ["/assets/index-1a2b3c4d.js%00.html", 404],
    ["/assets/%00", 404],
    ["/assets/%ff%fe", 404],
  ])("lead nowhere else: %s is answered with %i (X14)", async (at, status) => {
    const answer = await ask(at);
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).toMatch(/^$|^\{"error":\{"code":"(unauthorized|not-found)"/);
  });

  it("survive a path that no client would send", async () => {
    const { hostname, port } = new URL(gate.url);
    for (const line of ["GET /assets/\0 HTTP/1.1", "GET http://evil.example/ HTTP/1.1", "GET * HTTP/1.1"]) {
      const socket = connect(Number(port), hostname);
      socket.end(`${line}\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).not.toMatch(/secret/);
    }
    expect((await ask("/")).status).toBe(200);
  });

  it("are refused under another name and to another origin's page (X14)", async () => {
    for (const at of ["/", "/approvals", ASSET]) {
      const renamed = await ask(at, { headers: { host: "rebound.example:7311" } });
      expect([renamed.status, errorOf(renamed)]).toEqual([403, "host-refused"]);
      const foreign = await ask(at, { headers: { origin: "https://evil.example" } });
      expect([foreign.status, errorOf(foreign)]).toEqual([403, "origin-refused"]);
      const own = await ask(at, { headers: { origin: gate.url } });
      expect(own.status).toBe(200);
    }
  });

  it("can only be read (X14)", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const answer = await ask("/approvals", { method });
      expect([method, answer.status, errorOf(answer)]).toEqual([method, 405, "method-not-allowed"]);
    }
  });

  it("leave everything else as it was: a token is asked for, and what isn't there isn't (X14)", async () => {
    for (const at of ["/v1/approvals", "/v1/policy", "/mcp", "/s/sess_1/mcp", "/openapi.json", "/nowhere"])
      expect([at, errorOf(await ask(at))]).toEqual([at, "unauthorized"]);
    expect((await gate.request("GET", "/nowhere")).status).toBe(404);
    const api = await gate.request("GET", "/v1/approvals");
    expect([api.status, api.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect((await ask("/healthz")).status).toBe(200);
  });
});

describe("a gateway whose console isn't built", () => {
  it("says so, with what to do, and does everything else", async () => {
    for (const at of ["/", "/approvals", "/assets/x.js"]) {
      const answer = await ask(at, { of: bare });
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body.toString()).error).toMatchObject({
        message: "The console isn't built.",
        fix: "Run `npm run build:console` in the checkout, then load the page again.",
      });
    }
    expect((await bare.request("POST", "/v1/session", {})).status).toBe(201);
  });
});
