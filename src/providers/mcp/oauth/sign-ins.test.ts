import { UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { browse, EXCHANGER } from "../../../../test/fixtures/authorization-server.ts";
import {
  answerOf,
  createSignInArena,
  REDIRECT,
  type SignInArena,
} from "../../../../test/fixtures/sign-in-arena.ts";
import { startHttpUpstream } from "../../../../test/fixtures/upstream-http.ts";
import { GATEWAY_CHAIN } from "../../../runtime/index.ts";
import { callText, createUpstreams, failureOf, until } from "../upstream.test-kit.ts";
import type { UpstreamServer } from "../upstream.ts";

const { open, closeAll } = createUpstreams();
let arena: SignInArena | undefined;
const start = async (...options: Parameters<typeof createSignInArena>): Promise<SignInArena> => {
  arena = await createSignInArena(...options);
  return arena;
};
afterEach(async () => {
  await closeAll();
  await arena?.close();
});

const upstreamOf = ({ server, signIns }: SignInArena, principal: string | null): UpstreamServer => ({
  id: "web",
  transport: { kind: "http", url: server.url, headers: {}, tokens: signIns.tokensOf(principal) },
});

const entriesOf = async ({ store }: SignInArena) =>
  (await store.read(GATEWAY_CHAIN, 0, 99)).map(({ kind, data }) => ({ kind, ...data }));

describe("a server that asks for OAuth", () => {
  it("says that it needs a sign-in, and is there once somebody has signed in (X21)", async () => {
    const at = await start({ for: "gateway" });
    const web = await open(upstreamOf(at, null));
    expect([web.status, web.problem]).toEqual([
      "down",
      "nobody has signed the gateway in to it (`sluicegate sign-in web`)",
    ]);
    expect(at.server.seen).toEqual([]);
    await at.signIn("operator", "team");
    await until(web, () => web.status === "ready");
    expect(await callText(web, "whoami")).toBe("team");
    expect(await at.signIns.status("ada")).toMatchObject({ signedIn: true, issuer: at.authorization.issuer });
  });

  it("gets the token of the principal whose connection it is, each for that server alone (X21)", async () => {
    const at = await start();
    await at.signIn("ada");
    await at.signIn("ben");
    const ada = await open(upstreamOf(at, "ada"));
    const ben = await open(upstreamOf(at, "ben"));
    expect([await callText(ada, "whoami"), await callText(ben, "whoami")]).toEqual(["ada", "ben"]);
    const resources = at.authorization.tokenRequests.map((request) => request.get("resource"));
    expect(new Set(resources)).toEqual(new Set([at.server.url]));
    expect(await at.signIns.principals()).toEqual(["ada", "ben"]);
    expect(at.authorization.registrations()).toBe(1);
  });

  it("asks with PKCE, a state, the exact redirect and the resource (X21)", async () => {
    const at = await start();
    const { searchParams } = await at.signIns.begin({ principal: "ada", redirectUri: REDIRECT });
    const { state, code_challenge: challenge, ...rest } = Object.fromEntries(searchParams);
    expect(rest).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: REDIRECT,
      resource: at.server.url,
      scope: "mail offline_access",
    });
    expect([state?.length, challenge?.length]).toEqual([43, 43]);
  });

  it("gets another token before the old one expires, and once when it refuses one (X21)", async () => {
    const at = await start({ for: "gateway" });
    await at.signIn("operator", "team");
    const first = await at.signIns.tokensOf(null).token();
    const aged = at.later(3_590_000).tokensOf(null);
    const [second, same] = await Promise.all([aged.token(), aged.token()]);
    expect([second === first, second === same]).toEqual([false, true]);
    const web = await open(upstreamOf(at, null));
    await Promise.all([callText(web, "whoami"), callText(web, "whoami")]);
    const before = at.authorization.tokenRequests.length;
    await at.signIns.tokensOf(null).renew(second);
    await at.signIns.tokensOf(null).renew(second);
    expect(at.authorization.tokenRequests.length - before).toBe(1);
    expect(await callText(web, "whoami")).toBe("team");
  });

  it("may speak an older protocol, with a session (X21)", async () => {
    const at = await start({ for: "gateway" }, { server: { era: "legacy" } });
    await at.signIn("operator", "team");
    const web = await open(upstreamOf(at, null));
    expect(await callText(web, "whoami")).toBe("team");
    await at.signIns.tokensOf(null).renew(await at.signIns.tokensOf(null).token());
    expect(await callText(web, "whoami")).toBe("team");
    await at.signIns.signOut("operator");
    await until(web, () => web.status === "down" && web.problem !== "its sign-in changed");
    expect(web.problem).toMatch(/^nobody has signed the gateway in to it/);
  });

  it("says where it asks for a scope that nobody granted (X21)", async () => {
    const headers = { "www-authenticate": 'Bearer error="insufficient_scope", scope="admin"' };
    let isRefused = false;
    const before = () => (isRefused ? new Response(null, { status: 403, headers }) : undefined);
    const at = await start({ for: "gateway" }, { server: { before } });
    await at.signIn("operator", "team");
    const web = await open(upstreamOf(at, null));
    isRefused = true;
    const { code, why } = await failureOf(web.run("whoami", {}, {}));
    expect([code, why]).toEqual([
      "upstream-failed",
      expect.stringContaining("a scope that its sign-in did not grant"),
    ]);
  });

  it("keeps a token that is about to expire while it can't be renewed (X21)", async () => {
    const at = await start({ for: "gateway" });
    await at.signIn("operator", "team");
    const token = await at.signIns.tokensOf(null).token();
    await at.authorization.close();
    expect(await at.later(3_575_000).tokensOf(null).token()).toBe(token);
    await expect(at.later(3_601_000).tokensOf(null).token()).rejects.toThrow("could not be renewed");
    arena = undefined;
    await at.server.close();
  });

  it("is signed out of where its tokens were taken back, and says so (X21)", async () => {
    const at = await start({ for: "gateway" });
    await at.signIn("operator", "team");
    const web = await open(upstreamOf(at, null));
    expect(await callText(web, "whoami")).toBe("team");
    await at.authorization.revokeAll("team");
    expect(await failureOf(web.run("whoami", {}, {}))).toMatchObject({ code: "upstream-unavailable" });
    expect(await at.signIns.status("operator")).toMatchObject({ signedIn: false });
    expect((await entriesOf(at)).at(-1)).toMatchObject({ kind: "sign-in-lost", server: "web" });
  });

  it("is signed out of by the principal, who has the tokens revoked (X21)", async () => {
    const at = await start();
    await at.signIn("ada");
    await at.signIn("ben");
    const token = await at.signIns.tokensOf("ada").token();
    expect(await at.signIns.signOut("ada")).toEqual({ revoked: true });
    expect(await at.authorization.introspect(token)).toBeNull();
    at.signIns.linkTo("https://gate.example");
    const link = "https://gate.example/oauth/sign-in/web";
    expect([await at.signIns.needed("ada"), await at.signIns.needed("ben")]).toEqual([{ link }, null]);
    expect(await at.signIns.signOut("ada")).toBeNull();
    expect((await entriesOf(at)).map(({ kind }) => kind)).toEqual([
      ...["client-registered", "signed-in", "signed-in", "signed-out"],
    ]);
  });

  it("gets no token that another address or another issuer was given (X21)", async () => {
    const at = await start();
    await at.signIn("ada");
    const moved = at.later(0, {}, "http://127.0.0.1:1/mcp");
    expect(await moved.needed("ada")).toEqual({ link: null });
    await expect(moved.tokensOf("ada").token()).rejects.toThrow("has not signed in");
    expect(await at.later(0, { issuer: "http://127.0.0.1:2" }).needed("ada")).toEqual({ link: null });
    expect(await at.later(0, { issuer: `${at.authorization.issuer}/` }).needed("ada")).toBeNull();
  });

  it("has its token followed by no redirect to another host (X21)", async () => {
    const elsewhere = await startHttpUpstream("modern");
    let isMoved = false;
    const location = elsewhere.url;
    const at = await start(
      {},
      {
        server: {
          before: () => (isMoved ? new Response(null, { status: 307, headers: { location } }) : undefined),
        },
      },
    );
    await at.signIn("ada");
    const web = await open(upstreamOf(at, "ada"));
    isMoved = true;
    expect(await failureOf(web.run("whoami", {}, {}))).toMatchObject({ code: "upstream-failed" });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("tells nobody a token: not the store, the journal, an error or a session (X21)", async () => {
    const at = await start({}, { accessTokenTtl: 3600 });
    await at.signIn("ada");
    const lines: string[] = [];
    const web = await open(upstreamOf(at, "ada"), { onLog: (line) => lines.push(line) });
    const results = [await web.run("repeat", {}, {}), await web.run("fail", {}, {})];
    await at.signIns.tokensOf("ada").renew(await at.signIns.tokensOf("ada").token());
    const kept = await at.store.keptWith("", 999);
    const journal = await at.store.read(GATEWAY_CHAIN, 0, 999);
    const status = await at.signIns.status("ada");
    const said = JSON.stringify([lines, results, kept, journal, status, [...web.tools]]);
    expect(at.authorization.secrets.size).toBeGreaterThan(4);
    for (const secret of at.authorization.secrets) expect(said).not.toContain(secret);
    expect(JSON.stringify(results)).toContain("[redacted]");
  });
});

describe("a sign-in", () => {
  it.each<[string, (given: ReturnType<typeof answerOf>, at: SignInArena) => object]>([
    ["an unknown state", (given) => ({ ...given, principal: "ada", state: "wrong" })],
    ["another principal", (given) => ({ ...given, principal: "eve" })],
    ["a browser that did not begin it", (given) => ({ ...given, principal: "ada", browser: "eve's" })],
  ])("can't be finished with %s (X21)", async (_, change) => {
    const at = await start();
    const url = await at.signIns.begin({ principal: "ada", redirectUri: REDIRECT, browser: "ada's" });
    const given = answerOf(await browse(url, "ada"));
    await at.signIns.begin({ principal: "eve", redirectUri: REDIRECT, browser: "eve's" });
    const answer = change(given, at) as Parameters<typeof at.signIns.finish>[0];
    expect(await failureOf(at.signIns.finish(answer))).toMatchObject({ code: "invalid-request" });
    expect(await at.signIns.principals()).toEqual([]);
    await at.signIns.finish({ ...given, principal: "ada" });
    expect(await at.signIns.principals()).toEqual(["ada"]);
  });

  it("is finished once, and within ten minutes (X21)", async () => {
    const at = await start();
    const begin = async () =>
      answerOf(await browse(await at.signIns.begin({ principal: "ada", redirectUri: REDIRECT }), "ada"));
    const once = { ...(await begin()), principal: "ada" };
    await at.signIns.finish(once);
    expect(await failureOf(at.signIns.finish(once))).toMatchObject({ code: "invalid-request" });
    const late = { ...(await begin()), principal: "ada" };
    expect(await failureOf(at.later(601_000).finish(late))).toMatchObject({ code: "invalid-request" });
  });

  it("ends where the person says no, or the answer is another issuer's, before a code is sent (X21)", async () => {
    const at = await start();
    const begin = () => at.signIns.begin({ principal: "ada", redirectUri: REDIRECT });
    const refused = answerOf(await browse(await begin(), "nobody"));
    const failure = await failureOf(at.signIns.finish({ ...refused, principal: "ada" }));
    expect(failure.why).toBe("The reason: its authorization server answered with the error `access_denied`.");
    const forged = { principal: "ada", error: "access_denied", issuer: "https://evil.example" };
    const state = (await begin()).searchParams.get("state") ?? "";
    expect((await failureOf(at.signIns.finish({ ...forged, state }))).why).toMatch(/another issuer/);
    for (const issuer of ["https://evil.example", undefined]) {
      const given = { ...answerOf(await browse(await begin(), "ada")), principal: "ada", issuer };
      expect((await failureOf(at.signIns.finish(given))).why).toMatch(/another issuer/);
    }
    expect(at.authorization.tokenRequests).toEqual([]);
  });

  it.each<[string, RegExp, Parameters<typeof createSignInArena>]>([
    [
      "for another resource",
      /another resource/,
      [{}, { server: { metadata: { resource: "https://other.example/mcp" } } }],
    ],
    [
      "by metadata of another host",
      /another host/,
      [{}, { server: { metadataUrl: "http://localhost:1/.well-known/oauth-protected-resource" } }],
    ],
    [
      "at another issuer than the policy's",
      /another authorization server/,
      [{ issuer: "https://login.example" }],
    ],
    [
      "at a private address",
      /private address/,
      [{}, { server: { metadata: { authorization_servers: ["https://10.1.2.3"] } } }],
    ],
    [
      "over plain HTTP",
      /not `https`/,
      [{}, { server: { metadata: { authorization_servers: ["http://login.example"] } } }],
    ],
    [
      "where metadata is another issuer's",
      /another issuer/,
      [{}, { metadata: { issuer: "http://127.0.0.1:1" } }],
    ],
    [
      "with a token endpoint over plain HTTP",
      /not `https`/,
      [{}, { metadata: { token_endpoint: "http://evil.example/token" } }],
    ],
    [
      "with an address that browsers run",
      /not `https`|standards/,
      [{}, { metadata: { authorization_endpoint: "javascript:alert(1)" } }],
    ],
    ["without PKCE", /PKCE/, [{}, { metadata: { code_challenge_methods_supported: ["plain"] } }]],
    ["that nobody can register at", /client_id/, [{}, { metadata: { registration_endpoint: undefined } }]],
    [
      "whose server redirects to another host",
      /standards/,
      [
        {},
        {
          server: {
            before: ({ url }) =>
              url.includes("/.well-known/")
                ? new Response(null, { status: 302, headers: { location: "http://localhost:1/" } })
                : undefined,
          },
        },
      ],
    ],
  ])("is not begun %s (X21)", async (_, why, given) => {
    const at = await start(...given);
    const failure = await failureOf(at.signIns.begin({ principal: "ada", redirectUri: REDIRECT }));
    expect(failure).toMatchObject({ code: "upstream-failed", why: expect.stringMatching(why) });
    expect(at.authorization.tokenRequests).toEqual([]);
  });

  it("uses the client that the policy names, and registers none (X21)", async () => {
    const at = await start({ clientId: "known", scopes: ["mail", "calendar"] });
    const { searchParams } = await at.signIns.begin({ principal: "ada", redirectUri: REDIRECT });
    expect([searchParams.get("client_id"), searchParams.get("scope")]).toEqual([
      "known",
      "mail calendar offline_access",
    ]);
    expect(at.authorization.registrations()).toBe(0);
  });

  it("names the gateway's own address as its client where the server takes such and registers none (X21)", async () => {
    const metadata = { registration_endpoint: undefined, client_id_metadata_document_supported: true };
    const at = await start({}, { metadata });
    const begin = (origin: string) => at.signIns.begin({ principal: "ada", redirectUri: REDIRECT, origin });
    const { searchParams } = await begin("https://gate.example");
    expect(searchParams.get("client_id")).toBe("https://gate.example/oauth/client.json");
    expect((await failureOf(begin("http://127.0.0.1:7311"))).why).toMatch(/client_id/);
  });
});

describe("an exchange", () => {
  const jwt = new UnsecuredJWT({ sub: "ada" }).encode();
  const client = { clientId: EXCHANGER.client_id, clientSecret: EXCHANGER.client_secret };

  it("signs a principal in with its own JWT, which goes to the policy's issuer alone (X21)", async () => {
    const at = await start();
    const { issuer } = at.authorization;
    const signIns = at.later(0, { ...client, issuer, exchange: true });
    await signIns.exchange("ada", jwt);
    const [request] = at.authorization.tokenRequests;
    expect(Object.fromEntries(request ?? [])).toMatchObject({ subject_token: jwt, resource: at.server.url });
    const tokens = signIns.tokensOf("ada");
    expect(await at.authorization.introspect(await tokens.token())).toMatchObject({ account: "ada" });
    expect(JSON.stringify([await at.store.keptWith("", 99), await entriesOf(at)])).not.toContain(jwt);
    expect((await entriesOf(at)).at(-1)).toMatchObject({ kind: "signed-in", by: "ada", via: "exchange" });
    // There is nothing to renew it with, so it is asked for again.
    expect(await at.later(3_700_000, { issuer }).needed("ada")).toEqual({ link: null });
  });

  it("happens only where the policy says so, and with the issuer that it names (X21)", async () => {
    const at = await start();
    expect(await failureOf(at.signIns.exchange("ada", jwt))).toMatchObject({ code: "invalid-request" });
    const other = at.later(0, { ...client, issuer: "https://login.example", exchange: true });
    expect((await failureOf(other.exchange("ada", jwt))).why).toMatch(/another authorization server/);
    const { issuer } = at.authorization;
    const unknown = at.later(0, { ...client, clientSecret: "wrong", issuer, exchange: true });
    expect((await failureOf(unknown.exchange("ada", jwt))).why).toMatch(/`invalid_client`/);
    expect(await at.signIns.principals()).toEqual([]);
  });
});
