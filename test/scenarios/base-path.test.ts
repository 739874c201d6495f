/** A gateway below a path of somebody else's host: nothing that it serves or says leads out of that path. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { definePolicy } from "../../src/core/index.ts";
import { createGateway, type Gateway, type Listening, listen } from "../../src/gateway/index.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { type PathProxy, startPathProxy } from "../fixtures/path-proxy.ts";

const TOKEN = "operator-token-for-tests";
const ISSUER = "https://login.acme.example";
const folder = mkdtempSync(join(tmpdir(), "sluicegate-base-path-"));
writeFileSync(join(folder, "index.html"), '<script src="./assets/index.js"></script>');
const links: string[] = [];
const webhook = createServer(async (request, response) => {
  const body = (await json(request)) as { links: { url: string }[] };
  links.push(...body.links.map(({ url }) => url));
  response.end();
});

let proxy: PathProxy;
let gateway: Gateway;
let doors: Listening;
let url: string;
beforeAll(async () => {
  proxy = await startPathProxy("/sluicegate");
  url = `http://${proxy.host}/sluicegate`;
  await new Promise<void>((done) => webhook.listen(0, "127.0.0.1", done));
  const address = webhook.address();
  const port = typeof address === "object" ? address?.port : 0;
  gateway = createGateway({
    policy: definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } }),
    store: createMemoryStore(),
    providers: [],
    identities: {
      principals: new Map(),
      issuers: [
        {
          issuer: ISSUER,
          audience: [url],
          jwks: new URL("http://127.0.0.1:1/keys"),
          algorithms: ["ES256"],
          principal: "sub",
          prefix: "",
          groups: null,
          rights: ["use"],
          groupRights: new Map(),
        },
      ],
    },
    notify: {
      address: new URL(url),
      webhooks: [
        {
          name: "hook",
          url: new URL(`http://127.0.0.1:${port}/`),
          secret: TOKEN,
          approvers: ["operator"],
          hasArguments: false,
        },
      ],
    },
    operatorToken: TOKEN,
    key: Buffer.alloc(32, 7),
    version: "0.0.0-test",
    consoleFolder: folder,
  });
  doors = await listen(gateway, { port: 0, allowHosts: [proxy.host], basePath: "/sluicegate/" });
  proxy.passTo(Number(new URL(doors.url).port));
});
afterAll(async () => {
  await doors.close();
  await gateway.close();
  proxy.close();
  webhook.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, { headers });
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

it("serves its routes below the path, and without it to whoever comes past the proxy", async () => {
  expect(doors.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sluicegate$/);
  const { origin } = new URL(doors.url);
  for (const base of [url, doors.url, origin]) {
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    expect((await fetch(`${base}/v1/identity`, { headers: AUTHORIZED })).status).toBe(200);
  }
  expect((await get("/v1/nothing", AUTHORIZED)).status).toBe(404);
  expect((await fetch(`${origin}/sluicegatex/healthz`, { headers: AUTHORIZED })).status).toBe(404);
});

it("names the path where the console's page loads its files", async () => {
  for (const page of ["", "/", "/sessions/one"]) {
    const answer = await get(page);
    expect(await answer.text()).toBe('<script src="/sluicegate/assets/index.js"></script>');
    expect(answer.headers.get("content-security-policy")).toContain("base-uri 'none'");
  }
});

it("sends OAuth clients to metadata below the path, whose resource is its own address", async () => {
  const refused = await get("/mcp");
  const [, metadata = ""] =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  expect(metadata).toBe(`${url}/.well-known/oauth-protected-resource`);
  const found = await (await fetch(metadata)).json();
  expect(found).toMatchObject({ resource: url, authorization_servers: [ISSUER] });
  // As RFC 9728 makes it of the resource, for a proxy that passes that on.
  const { origin } = new URL(doors.url);
  const other = await fetch(`${origin}/.well-known/oauth-protected-resource/sluicegate`);
  expect(other.status).toBe(200);
});

it("serves MCP clients, and links from a webhook to the page that answers", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: AUTHORIZED } }),
  );
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("sluicegate_manifest");
  await client.close();
  const session = await gateway.gate.open();
  await session.decide([{ tool: "pay" }]);
  await expect.poll(() => links).toHaveLength(1);
  expect(links[0]).toMatch(new RegExp(`^${url}/answer/`));
  const page = await fetch(links[0] ?? "");
  expect(await page.text()).toContain("A call waits for you");
  const answered = await fetch(links[0] ?? "", {
    method: "POST",
    body: new URLSearchParams({ answer: "approved" }),
  });
  expect(await answered.text()).toContain("The call is approved.");
});

it.each([
  "sluicegate",
  "/a/../b",
  "/a b",
  "/%41",
  "//",
  "/a?b",
])("refuses %j as a base path", async (basePath) => {
  await expect(listen(gateway, { port: 0, basePath })).rejects.toMatchObject({ code: "usage" });
});
