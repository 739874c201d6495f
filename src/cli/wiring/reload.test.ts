/** A changed policy file is taken up while the gateway runs: whole or not at all, and wider only where that is meant. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { startServe } from "../hook/served.test-kit.ts";
import { runGateway } from "./run-gateway.ts";

const { path } = temporaryFolder();
const POLICY = `version: 1
servers:
  mail: { command: "true", tools: { read: { permissions: [read], source: internal } } }
tools:
  look: { permissions: [read], source: internal }
  note: { permissions: [write], approval: always }
  post: { permissions: [connect], sink: public }
`;
const JSON_BODY = { "content-type": "application/json" };
const OPERATOR = "operator-token-of-the-tests";
process.env.SLUICEGATE_TOKEN = OPERATOR;
const SURE = { allowsWidening: true };
const UNSURE = { allowsWidening: false };

async function start(policy = POLICY, store = path()) {
  const config = path("sluicegate.yaml");
  const write = (text: string): void => writeFileSync(config, text);
  write(policy);
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const running = await runGateway({ config, store: `sqlite:${store}`, log, announces: true });
  const { gate, service } = running.gateway;
  const hooks = await running.openHooks();
  const close = async (): Promise<void> => {
    hooks.close();
    await running.gateway.close();
  };
  running.gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  const get = async (address: string, token: string, more: RequestInit = {}): Promise<Response> => {
    const headers = { host: "gate.test", authorization: `Bearer ${token}`, ...more.headers };
    return running.gateway.fetch(new Request(`http://gate.test${address}`, { ...more, headers }));
  };
  return { gate, hooks, write, get, logged, reload: service.reload, [Symbol.asyncDispose]: close };
}

const codesOf = (decisions: readonly { reasons: readonly { code: string }[] }[]): readonly string[] =>
  decisions.flatMap(({ reasons }) => reasons.map(({ code }) => code));

it("puts a narrower policy in force for gateway and hooks; sessions keep their labels (X26)", async () => {
  await using at = await start();
  const session = await at.gate.open();
  await session.decide([{ tool: "look" }]);
  const [asked] = await session.decide([{ tool: "note" }]);
  at.write(
    POLICY.replace(
      "approval: always }",
      "approval: always }\n  pay: { permissions: [write], approval: always }",
    ),
  );
  await expect(at.reload(UNSURE)).rejects.toMatchObject({
    details: { widens: ["Tool `pay` can be called."] },
  });
  at.write(`${POLICY}policy: { denied_tools: [look] }\n`);
  const reloaded = await at.reload(UNSURE);
  expect(reloaded).toMatchObject({ isChanged: true, widens: [] });
  expect([at.gate.policy.version, at.hooks.gate.policy.version]).toEqual([
    reloaded.version,
    reloaded.version,
  ]);
  expect(session.label.level).toBe("internal");
  expect(codesOf(await session.decide([{ tool: "look" }, { tool: "post" }]))).toEqual([
    "denied-by-policy",
    "flow-blocked",
  ]);
  await at.gate.answerApproval(asked?.approval?.id ?? "", { answer: "approved", by: "ada" }).catch(() => {});
  expect(codesOf(await session.decide([{ tool: "note" }]))).toEqual(["approval-required"]);
  expect((await at.reload(UNSURE)).isChanged).toBe(false);
});

it("takes up what allows more only where that is meant, and tells it (X26)", async () => {
  await using at = await start();
  const { version } = at.gate.policy;
  at.write(POLICY.replace("sink: public", "sink: internal"));
  await expect(at.reload(UNSURE)).rejects.toMatchObject({
    code: "reload-refused",
    why: "Tool `post`: it may receive more.",
  });
  expect(at.gate.policy.version).toBe(version);
  expect(await at.reload(SURE)).toMatchObject({ widens: ["Tool `post`: it may receive more."] });
  expect(at.gate.policy.version).not.toBe(version);
});

it.each([
  ["a broken file", POLICY.replace("approval", "aproval"), "policy-invalid"],
  ["a server that is started otherwise", POLICY.replace('"true"', '"false"'), "reload-refused"],
])("leaves the policy in force after %s (X26)", async (_, text, code) => {
  await using at = await start();
  const { version } = at.gate.policy;
  at.write(text);
  await expect(at.reload(SURE)).rejects.toMatchObject({ code });
  expect(at.gate.policy.version).toBe(version);
  expect((await (await at.gate.open()).decide([{ tool: "look" }]))[0]?.effect).toBe("allow");
});

describe("who may come in", () => {
  const hashOf = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const [ADA, BOB] = ["ada's token, which is long", "bob's token, which is long"].map((text) =>
    Buffer.from(text).toString("hex"),
  ) as [string, string];
  const principal = (name: string, token: string, rights: string): string =>
    `    ${name}: { token: "${hashOf(token)}", rights: [${rights}] }\n`;
  const withPrincipals = (...principals: readonly string[]): string =>
    `${POLICY}identities:\n  principals:\n${principals.join("")}`;
  const ISSUER = `issuer: "https://login.acme.example", audience: gate, jwks: "https://login.acme.example/keys"`;
  const withIssuer = (more: string): string =>
    `${POLICY}identities: { issuers: { acme: { ${ISSUER}${more} } } }\n`;
  const before = withPrincipals(principal("ada", ADA, "use, look"), principal("bob", BOB, "look"));

  it("is what the file says from then on; whoever is gone is refused, and hears nothing more (X26)", async () => {
    await using at = await start(before);
    const opened = await Promise.all([ADA, BOB].map((token) => at.get("/v1/events?after=latest", token)));
    const [ofAda, ofBob] = opened.map(({ body }) => body?.pipeThrough(new TextDecoderStream()).getReader());
    for (const reader of [ofAda, ofBob]) expect((await reader?.read())?.value).toContain("event: hello");
    const { session_id: session, session_token: agent }: any = await (
      await at.get("/v1/session", ADA, { method: "POST", body: "{}", headers: JSON_BODY })
    ).json();
    at.write(withPrincipals(principal("bob", BOB, "look")));
    expect(await at.reload(UNSURE)).toMatchObject({ isChanged: true, widens: [] });
    expect((await at.get("/v1/identity", ADA)).status).toBe(401);
    expect((await at.get("/v1/identity", BOB)).status).toBe(200);
    let last = await ofAda?.read();
    while (last && !last.done) last = await ofAda?.read();
    expect((await ofBob?.read())?.done).toBe(false);
    await ofBob?.cancel();
    expect((await at.get(`/v1/session/${session}`, agent)).status).toBe(200);
  });

  it("closes the MCP streams of whoever may use their session no more (X26)", async () => {
    await using at = await start(before);
    const headers = { ...JSON_BODY, accept: "application/json, text/event-stream" };
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const begun = await at.get("/mcp", ADA, { method: "POST", headers, body });
    const id = begun.headers.get("mcp-session-id") ?? "";
    await begun.text();
    const stream = await at.get("/mcp", ADA, { headers: { ...headers, "mcp-session-id": id } });
    expect(stream.status).toBe(200);
    at.write(withPrincipals(principal("ada", ADA, "look"), principal("bob", BOB, "look")));
    await at.reload(UNSURE);
    await expect(stream.text()).rejects.toThrow();
  });

  it.each([
    [
      "a principal",
      before,
      withPrincipals(
        principal("ada", ADA, "use, look"),
        principal("bob", BOB, "look"),
        principal("eve", "e".repeat(32), "use"),
      ),
      "Principal `eve` is new, and may `use`.",
    ],
    [
      "a right",
      before,
      withPrincipals(principal("ada", ADA, "look"), principal("bob", BOB, "look, approve")),
      "Principal `bob` may also `approve`.",
    ],
    ["a token", before, withPrincipals(principal("bob", ADA, "look")), "Principal `bob` has another token."],
    ["an issuer", POLICY, withIssuer(""), "The issuer `https://login.acme.example` is new or changed."],
    [
      "a group",
      withIssuer(", groups: g, group_rights: { a: [use] }"),
      withIssuer(", groups: g, group_rights: { a: [use], b: [use] }"),
      "The issuer `https://login.acme.example` is new or changed.",
    ],
    [
      "a name that an issuer may give",
      `${before}  issuers: { acme: { ${ISSUER}, prefix: b } }\n`,
      withIssuer(", prefix: b"),
      "An issuer may give the name `bob`, whose token is gone.",
    ],
  ])("may be more by %s only where that is meant (X26)", async (_, old, next, sentence) => {
    await using at = await start(old);
    at.write(next);
    await expect(at.reload(UNSURE)).rejects.toMatchObject({ details: { widens: [sentence] } });
    const statuses = async () =>
      Promise.all([ADA, BOB].map(async (token) => (await at.get("/v1/identity", token)).status));
    expect(await statuses()).toEqual(old.includes("bob") ? [200, 200] : [401, 401]);
    expect(await at.reload(SURE)).toMatchObject({ isChanged: true, widens: [sentence] });
    expect((await at.reload(UNSURE)).isChanged).toBe(false);
  });

  it.each([
    ["less of an issuer", withIssuer(", rights: [use, look]"), withIssuer(", rights: [look]")],
    ["no issuer any more", withIssuer(", rights: [use, look]"), POLICY],
    [
      "a principal without a right",
      before,
      withPrincipals(principal("ada", ADA, "look"), principal("bob", BOB, "look")),
    ],
  ])("may be less without further ado: %s (X26)", async (_, old, next) => {
    await using at = await start(old);
    at.write(next);
    expect(await at.reload(UNSURE)).toMatchObject({ isChanged: true, widens: [] });
  });

  it("takes an approver out together with the links to them, and sends nobody more (X26, X28)", async () => {
    const told: string[][] = [];
    const webhook = createServer(async (request, response) => {
      const { links }: any = await json(request);
      told.push(links.map(({ approver }: any) => approver));
      response.end();
    });
    await once(webhook.listen(0, "127.0.0.1"), "listening");
    const { port } = webhook.address() as AddressInfo;
    process.env.RELOAD_TEST_SECRET = "a-secret-of-these-tests";
    const withWebhook = (approvers: string, ...principals: readonly string[]): string =>
      `${withPrincipals(...principals)}notify:
  address: http://127.0.0.1:7311
  webhooks: { chat: { url: "http://127.0.0.1:${port}/", secret: "\${RELOAD_TEST_SECRET}", approvers: [${approvers}] } }
`;
    const [ada, bob] = [principal("ada", ADA, "approve"), principal("bob", BOB, "approve")];
    await using at = await start(withWebhook("ada, bob", ada, bob));
    const ask = async () => (await at.gate.open()).decide([{ tool: "note" }]);
    await ask();
    await expect.poll(() => told).toEqual([["ada", "bob"]]);
    at.write(withWebhook("ada", ada));
    expect(await at.reload(UNSURE)).toMatchObject({ isChanged: true, widens: [] });
    await ask();
    await expect.poll(() => told).toEqual([["ada", "bob"], ["ada"]]);
    at.write(withWebhook("ada, operator", ada));
    await expect(at.reload(SURE)).rejects.toMatchObject({ why: expect.stringContaining("`notify`") });
    webhook.close();
  });

  it("stays as it was where a token can't be used, or a file of keys would be new (X26)", async () => {
    await using at = await start(before);
    const { version } = at.gate.policy;
    at.write(withPrincipals(principal("ada", ADA, "look"), principal("bob", ADA, "look")));
    await expect(at.reload(SURE)).rejects.toMatchObject({ code: "usage" });
    at.write(withIssuer("").replace('"https://login.acme.example/keys"', "keys.json"));
    await expect(at.reload(SURE)).rejects.toMatchObject({
      code: "reload-refused",
      why: expect.stringContaining("jwks"),
    });
    expect(at.gate.policy.version).toBe(version);
    expect((await at.get("/v1/identity", BOB)).status).toBe(200);
  });
});

it("is told by SIGHUP where it is a service, which takes up nothing wider (X26)", async () => {
  const config = path("sluicegate.yaml");
  const note = "  note: { permissions: [write], approval: always }\n";
  writeFileSync(config, `version: 1\ntools:\n${note}  post: { permissions: [connect] }\n`);
  const served = await startServe(config);
  try {
    writeFileSync(config, `version: 1\ntools:\n${note}`);
    served.hangUp();
    await expect.poll(served.log).toContain("SIGHUP: reloaded the policy: sha256:");
    writeFileSync(config, "version: 1\ntools:\n  note: { permissions: [write], approval: never }\n");
    served.hangUp();
    await expect.poll(served.log).toContain("Tool `note`: fewer of its calls wait for a person.");
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
  } finally {
    await served.stop();
  }
});

it("tells each gateway that another one on its store decides by another policy, until that is over (X16)", async () => {
  const store = path();
  await using here = await start(POLICY, store);
  const others = async () =>
    Promise.all(
      [here, there].map(async ({ get }) => {
        const { other_policy: other }: any = await (await get("/readyz", OPERATOR)).json();
        return other?.version ?? null;
      }),
    );
  const narrower = `${POLICY}policy: { denied_tools: [look] }\n`;
  await using there = await start(narrower, store);
  const [old, next] = [here.gate.policy.version, there.gate.policy.version];
  expect(there.logged.join("\n")).toContain(`The policy of this store's gateways was ${old} since `);
  await expect.poll(others).toEqual([next, old]);
  const sentence = (other: string, own: string) =>
    `Another gateway on this store decides by policy ${other}, this one by ${own}.`;
  expect(here.logged).toContain(sentence(next, old));
  expect(there.logged).toContain(sentence(old, next));
  here.write(narrower);
  await here.reload(UNSURE);
  await expect.poll(others).toEqual([null, null]);
});
