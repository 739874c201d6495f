/** What a gateway answers without a token: how it is, to its own machine; and, to OAuth clients, where tokens come from. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { createTestGateway } from "../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../core/index.ts";
import type { IdentitiesConfig } from "../../policy-file/index.ts";
import type { Gateway } from "../gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "sluicegate-oauth-"));
const jwks = join(folder, "jwks.json");
const { privateKey, publicKey } = await generateKeyPair("ES256");
writeFileSync(
  jwks,
  JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" }] }),
);

const ISSUER = "https://login.acme.example";
const identities: IdentitiesConfig = {
  principals: new Map(),
  issuers: [
    {
      issuer: ISSUER,
      audience: ["https://gate.acme.example"],
      jwks: pathToFileURL(jwks),
      algorithms: ["ES256"],
      principal: "sub",
      prefix: "",
      groups: null,
      rights: ["use"],
      groupRights: new Map(),
    },
  ],
};

const gateways: Gateway[] = [];
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  rmSync(folder, { recursive: true });
});

function start(more: { identities?: IdentitiesConfig } = {}): Gateway {
  const gateway = createTestGateway({
    policy: definePolicy({ tools: { note: { permissions: ["read"] } } }),
    ...more,
  });
  gateway.allowHosts({ hosts: new Set(["127.0.0.1:7311", "gate.acme.example"]) });
  gateways.push(gateway);
  return gateway;
}

const get = async (gateway: Gateway, host: string, path: string, headers: Record<string, string> = {}) =>
  gateway.fetch(new Request(`http://${host}${path}`, { headers: { host, ...headers } }));

describe("whether a gateway is well", () => {
  const gateway = start();

  it.each([
    "/healthz",
    "/readyz",
    "/metrics",
  ])("is answered at %s to its own machine without a token", async (path) => {
    await gateway.catalog.settled;
    expect((await get(gateway, "127.0.0.1:7311", path)).status).toBe(200);
  });

  it("is told with nothing of its servers", async () => {
    const response = await get(gateway, "127.0.0.1:7311", "/readyz");
    expect(await response.json()).toEqual({ ready: true, draining: false });
  });

  it.each([
    "/readyz",
    "/metrics",
  ])("takes a token at %s where it is reached by another name", async (path) => {
    expect((await get(gateway, "gate.acme.example", path)).status).toBe(401);
  });
});

describe("an OAuth client", () => {
  const gateway = start({ identities });

  it("is told who issues tokens, by the answer to a request without one", async () => {
    const refused = await get(gateway, "gate.acme.example", "/mcp");
    const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1];
    expect([refused.status, address]).toEqual([
      401,
      "https://gate.acme.example/.well-known/oauth-protected-resource",
    ]);
    const metadata = await get(gateway, "gate.acme.example", "/.well-known/oauth-protected-resource");
    expect(await metadata.json()).toEqual({
      resource: "https://gate.acme.example",
      resource_name: "Sluicegate",
      authorization_servers: [ISSUER],
      bearer_methods_supported: ["header"],
    });
  });

  it("is told nothing where no issuer is accepted", async () => {
    const other = start();
    const path = "/.well-known/oauth-protected-resource";
    expect((await get(other, "gate.acme.example", path)).status).toBe(401);
    const refused = await get(other, "gate.acme.example", "/mcp");
    expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="sluicegate"');
  });

  it("works over MCP in its principal's own session with a token for this gateway", async () => {
    const token = await new SignJWT({ iss: ISSUER, aud: "https://gate.acme.example", sub: "ada" })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .setExpirationTime("5m")
      .sign(privateKey);
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL("http://gate.acme.example/mcp"), {
      fetch: async (url, init) => gateway.fetch(new Request(url, init)),
      requestInit: { headers: { authorization: `Bearer ${token}`, host: "gate.acme.example" } },
    });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("sluicegate_manifest");
    await client.close();
    const own = await gateway.gate.sticky("ada");
    const state = `/v1/session/${own.id}`;
    const authorization = `Bearer ${token}`;
    expect((await get(gateway, "gate.acme.example", state, { authorization })).status).toBe(200);
    const operators = await gateway.gate.sticky("operator");
    const foreign = `/v1/session/${operators.id}`;
    expect((await get(gateway, "gate.acme.example", foreign, { authorization })).status).toBe(404);
  });
});
