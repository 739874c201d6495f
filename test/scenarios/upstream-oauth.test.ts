/** A remote server behind OAuth, used by two principals of a gateway with their own tokens. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BUNDLED_COMMAND } from "../../src/cli/cli.test-kit.ts";
import {
  type AuthorizationServer,
  browse,
  EXCHANGER,
  startAuthorizationServer,
} from "../fixtures/authorization-server.ts";
import { type ProtectedServer, startProtectedServer } from "../fixtures/protected-server.ts";
import { answerOf } from "../fixtures/sign-in-arena.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const REDIRECT = "http://127.0.0.1:7998/callback";
const TOKENS = { ada: "ada-token-0123456789", ben: "ben-token-0123456789", eve: "eve-token-0123456789" };
type Name = keyof typeof TOKENS;

let authorization: AuthorizationServer;
let mail: ProtectedServer;
let gateway: RunningGateway;
let folder: string;
/** Of `zoe`, who has no token of the policy. */
let jwt: string;
const said: string[] = [];

beforeAll(async () => {
  authorization = await startAuthorizationServer();
  mail = await startProtectedServer(authorization);
  folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  writeFileSync(
    join(folder, "jwks.json"),
    JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] }),
  );
  const claims = new SignJWT({ aud: "gate" }).setSubject("zoe").setIssuer("https://login.example");
  jwt = await claims.setExpirationTime("1h").setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  const policy = `version: 1
servers:
  files:
    url: ${mail.url}
    oauth:
      { for: principal, issuer: "${authorization.issuer}", client_id: gate, client_secret: "\${SECRET}", exchange: true }
    tools: { whoami: { permissions: [read] } }
  mail:
    url: ${mail.url}
    oauth: { for: principal }
    tools: { whoami: { permissions: [read] }, repeat: { permissions: [read] }, fail: { permissions: [read] } }
  shared:
    url: ${mail.url}
    oauth: { for: gateway }
    tools: { whoami: { permissions: [read] } }
identities:
  issuers:
    acme: { issuer: "https://login.example", audience: gate, jwks: jwks.json, rights: [use] }
  principals:
    ada: { token: "\${ada}", rights: [use] }
    ben: { token: "\${ben}", rights: [use] }
    eve: { token: "\${eve}", rights: [use] }
`;
  const environment = { ...TOKENS, SECRET: EXCHANGER.client_secret };
  gateway = await startGateway({ policy, environment, folder, basePath: "/gate" });
});

afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
  await mail.close();
  await authorization.close();
});

async function ask(name: Name | null, method: string, path: string, body?: unknown) {
  const headers = name === null ? {} : { authorization: `Bearer ${TOKENS[name]}` };
  const reply = await gateway.request(method, path, body, headers);
  said.push(JSON.stringify(reply.body));
  return reply;
}

const begin = async (name: Name | null, server = "mail"): Promise<URL> => {
  const { status, body } = await ask(name, "POST", `/v1/servers/${server}/sign-in`, {
    redirect_uri: REDIRECT,
  });
  expect(status).toBe(200);
  return new URL(body.url);
};

async function signIn(name: Name | null, account: string, server?: string): Promise<void> {
  const { issuer: iss, error: _, ...rest } = answerOf(await browse(await begin(name, server), account));
  const path = `/v1/servers/${server ?? "mail"}/sign-in/answer`;
  expect(await ask(name, "POST", path, { ...rest, iss })).toMatchObject({
    status: 200,
    body: { signed_in: true },
  });
}

const sessions = new Map<Name, string>();

async function call(name: Name, tool: string) {
  const open = async () => (await ask(name, "POST", "/v1/session", {})).body.session_id;
  const id = sessions.get(name) ?? (await open());
  sessions.set(name, id);
  return (await ask(name, "POST", `/v1/session/${id}/call`, { tool, arguments: {} })).body;
}

const textOf = (answer: any): unknown => answer.result?.content?.[0]?.text;
const whoami = async (name: Name, server = "mail") => textOf(await call(name, `mcp__${server}__whoami`));

it("refuses whoever has not signed in, and says how to (X21)", async () => {
  await signIn("ada", "ada at work");
  await expect.poll(() => gateway.gateway.catalog.providers[1]?.status).toBe("ready");
  expect(await whoami("ada")).toBe("ada at work");
  const refused = await call("ben", "mcp__mail__whoami");
  expect(refused).toMatchObject({ effect: "deny", class: "person", raises: null });
  const link = `${gateway.url}/oauth/sign-in/mail`;
  expect(refused.reasons).toMatchObject([
    {
      code: "sign-in-needed",
      message: expect.stringContaining(`Ask the user to sign in at ${link}, or with`),
    },
  ]);
  const plan = `/v1/session/${sessions.get("ben")}/validate-plan`;
  const checked = await ask("ben", "POST", plan, { planned_calls: ["mcp__mail__whoami"] });
  expect(JSON.stringify(checked.body)).toContain("sign-in-needed");
});

it("calls with each principal's own token, over REST and MCP (X21)", async () => {
  await signIn("ben", "ben at home");
  expect(await Promise.all([whoami("ada"), whoami("ben"), whoami("ada")])).toEqual([
    "ada at work",
    "ben at home",
    "ada at work",
  ]);
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const url = new URL(`${gateway.url}/s/${sessions.get("ben")}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${TOKENS.ben}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const results = [];
  for (const name of ["mcp__mail__whoami", "mcp__mail__repeat", "mcp__mail__fail"])
    results.push(await client.callTool({ name, arguments: {} }));
  said.push(JSON.stringify([results, await client.listTools()]));
  await client.close();
  expect(results[0]).toMatchObject({ content: [{ text: "ben at home" }] });
});

it("lets nobody sign in for somebody else, and no agent at all (X21)", async () => {
  const answer = answerOf(await browse(await begin("eve"), "eve"));
  const { state, code, issuer: iss } = answer;
  const finish = (name: Name | null) =>
    ask(name, "POST", "/v1/servers/mail/sign-in/answer", { state, code, iss });
  expect(await finish("ada")).toMatchObject({ status: 400, body: { error: { code: "invalid-request" } } });
  expect(await whoami("ada")).toBe("ada at work");
  const session = gateway.gateway.service.authority.sessionToken(sessions.get("ada") ?? "");
  for (const [method, path] of [
    ["GET", "/v1/sign-ins"],
    ["POST", "/v1/servers/mail/sign-in"],
    ["DELETE", "/v1/servers/mail/sign-in"],
  ] as const) {
    const headers = { authorization: `Bearer ${session}` };
    expect(await gateway.request(method, path, undefined, headers)).toMatchObject({ status: 403 });
  }
  const elsewhere = { redirect_uri: "https://evil.example/callback" };
  expect(await ask("eve", "POST", "/v1/servers/mail/sign-in", elsewhere)).toMatchObject({ status: 400 });
});

/** What a person's browser does at the gateway's page, up to the answer of the authorization server. */
async function browsePage(name: Name) {
  const page = `${gateway.url}/oauth/sign-in/mail`;
  const html = await (await fetch(page, { headers: { accept: "text/html" } })).text();
  const body = new URLSearchParams({ token: TOKENS[name] });
  const headers = { origin: new URL(gateway.url).origin };
  const started = await fetch(page, { method: "POST", body, headers, redirect: "manual" });
  const cookie = started.headers.get("set-cookie") ?? "";
  said.push(html, String(started.status), cookie);
  const callback = await browse(new URL(started.headers.get("location") ?? ""), `${name} by browser`);
  return { html, cookie, callback };
}

it("signs in by its page in the browser that began, and in no other (X21)", async () => {
  const { html, cookie, callback } = await browsePage("eve");
  expect(html).toContain("Your token at this gateway");
  expect(cookie).toMatch(/; Path=\/gate\/oauth; Max-Age=600; HttpOnly; SameSite=Lax$/);
  expect(`${callback.origin}${callback.pathname}`).toBe(`${gateway.url}/oauth/callback`);
  const mine = cookie.split(";")[0] ?? "";
  const [named = "", , secret] = mine.split("~");
  const forAda = [named, Buffer.from("ada").toString("base64url"), secret].join("~");
  for (const other of ["", "sluicegate_sign_in=mail~ZXZl~forged", forAda, mine.replace(secret ?? "", "")]) {
    const answer = await fetch(callback, { headers: { cookie: other } });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("Not signed in")]);
  }
  const finished = await fetch(callback, { headers: { cookie: mine, accept: "text/html" } });
  expect([finished.status, await finished.text()]).toEqual([
    200,
    expect.stringContaining("You are signed in"),
  ]);
  expect(finished.headers.get("referrer-policy")).toBe("same-origin");
  expect((await fetch(callback, { headers: { cookie: mine } })).status).toBe(400);
  expect([await whoami("eve"), await whoami("ada")]).toEqual(["eve by browser", "ada at work"]);
});

it("begins no sign-in on its page from another site, with a wrong token or with a session's (X21)", async () => {
  const page = `${gateway.url}/oauth/sign-in/mail`;
  const session = gateway.gateway.service.authority.sessionToken(sessions.get("ada") ?? "");
  const post = async (token: string, origin = new URL(gateway.url).origin) => {
    const body = new URLSearchParams({ token });
    return (await fetch(page, { method: "POST", body, headers: { origin }, redirect: "manual" })).status;
  };
  expect(await post(TOKENS.ada, "https://evil.example")).toBe(403);
  expect([await post("wrong"), await post(session), await post("x".repeat(9000))]).toEqual([401, 403, 413]);
  expect((await fetch(`${gateway.url}/oauth/sign-in/nosuch`)).status).toBe(401);
});

it("signs in and out from the command line (X21)", async () => {
  const run = (...args: readonly string[]) => {
    const env = { ...process.env, SLUICEGATE_TOKEN: TOKENS.eve, NO_COLOR: "1" };
    const child = spawn(BUNDLED_COMMAND, [...args, "--url", gateway.url], { cwd: gateway.folder, env });
    return { child, out: text(child.stdout), ended: once(child, "close") };
  };
  const signing = run("sign-in", "mail", "--port", "0");
  const lines = createInterface({ input: signing.child.stderr });
  const iterator = lines[Symbol.asyncIterator]();
  await iterator.next();
  const { value: address = "" } = await iterator.next();
  const callback = await browse(new URL(address.trim()), "eve by terminal");
  const forged = new URL(callback);
  forged.searchParams.set("state", "forged");
  expect((await fetch(forged)).status).toBe(404);
  expect((await fetch(callback)).status).toBe(200);
  expect([await signing.ended, await signing.out]).toEqual([[0, null], "signed in to mail, for yourself\n"]);
  await expect.poll(() => whoami("eve")).toBe("eve by terminal");
  const listed = await run("sign-in", "--list").out;
  expect(listed).toMatch(/mail +each principal +signed in/);
  expect(await run("sign-out", "mail").out).toBe("signed out of mail\n");
  expect(await call("eve", "mcp__mail__whoami")).toMatchObject({ effect: "deny" });
});

it("exchanges a principal's JWT for a token, and nobody else's token (X21)", async () => {
  const exchange = "/v1/servers/files/sign-in/exchange";
  const bearer = { authorization: `Bearer ${jwt}` };
  expect(await ask("ada", "POST", exchange)).toMatchObject({ status: 400 });
  expect(await ask(null, "POST", exchange)).toMatchObject({ status: 400 });
  const signedIn = await gateway.request("POST", exchange, undefined, bearer);
  expect(signedIn).toMatchObject({ status: 200, body: { server: "files", signed_in: true } });
  await expect.poll(() => gateway.gateway.catalog.providers[0]?.status).toBe("ready");
  const { body: opened } = await gateway.request("POST", "/v1/session", {}, bearer);
  const call = { tool: "mcp__files__whoami", arguments: {} };
  const answer = await gateway.request("POST", `/v1/session/${opened.session_id}/call`, call, bearer);
  expect(textOf(answer.body)).toBe("zoe");
  said.push(JSON.stringify([signedIn.body, answer.body]));
  expect(await gateway.request("POST", exchange.replace("files", "mail"), undefined, bearer)).toMatchObject({
    status: 400,
  });
});

it("describes itself as a client to authorization servers (X21)", async () => {
  const answer = await fetch(`${gateway.url}/oauth/client.json`);
  expect(await answer.json()).toMatchObject({
    client_id: `${gateway.url}/oauth/client.json`,
    redirect_uris: [`${gateway.url}/oauth/callback`, "http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
  });
});

it("has one sign-in for all where the policy says so, given by whoever administers (X21)", async () => {
  const refused = await ask("ada", "POST", "/v1/servers/shared/sign-in", { redirect_uri: REDIRECT });
  expect(refused).toMatchObject({ status: 403 });
  await signIn(null, "the team", "shared");
  await expect.poll(() => gateway.gateway.catalog.providers[2]?.status).toBe("ready");
  expect(await Promise.all([whoami("ada", "shared"), whoami("ben", "shared")])).toEqual([
    "the team",
    "the team",
  ]);
  const listed = await ask("ben", "GET", "/v1/sign-ins");
  expect(listed.body.sign_ins).toMatchObject([
    { server: "files", for: "principal", signed_in: false },
    { server: "mail", for: "principal", signed_in: true },
    { server: "shared", for: "gateway", signed_in: true, issuer: authorization.issuer },
  ]);
});

it("signs out one principal alone, also where the authorization server takes the tokens back (X21)", async () => {
  const signedOut = { signed_out: true, revoked: true };
  expect((await ask("ada", "DELETE", "/v1/servers/mail/sign-in")).body).toEqual(signedOut);
  expect(await call("ada", "mcp__mail__whoami")).toMatchObject({ effect: "deny" });
  await expect.poll(() => gateway.gateway.catalog.providers[1]?.status).toBe("ready");
  expect(await whoami("ben")).toBe("ben at home");
  await authorization.revokeAll("ben at home");
  expect(await whoami("ben")).toBeUndefined();
  expect(await call("ben", "mcp__mail__whoami")).toMatchObject({ effect: "deny" });
  await signIn("ben", "ben at home");
  await expect.poll(() => whoami("ben")).toBe("ben at home");
});

it("keeps tokens, codes and client secrets out of its store, its answers and its journal (X21)", async () => {
  said.push(JSON.stringify(await gateway.gateway.gate.feed(0, 10_000)));
  for (const name of readdirSync(gateway.folder))
    if (name.startsWith("sluicegate")) said.push(readFileSync(join(gateway.folder, name)).toString("latin1"));
  const everything = said.join("\n");
  expect(everything).toContain("signed-in");
  expect(authorization.secrets.size).toBeGreaterThan(8);
  for (const secret of [...authorization.secrets, jwt]) expect(everything).not.toContain(secret);
});
