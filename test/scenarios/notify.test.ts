/** A call that waits reaches people where they are: over a webhook and Slack's shape, back by a link. */
import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definePolicy } from "../../src/core/index.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../src/gateway/index.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";

const SECRET = "a-secret-of-the-tests";
const tokenOf = (name: string): string => `${name}-token-of-the-tests`;
const principal = (name: string, ...rights: ("use" | "approve")[]) =>
  [
    name,
    { digest: createHash("sha256").update(tokenOf(name)).digest("hex"), isWeak: false, rights },
  ] as const;

interface Told {
  readonly headers: Record<string, string | undefined>;
  readonly text: string;
  readonly body: any;
}

const told: Told[] = [];
let status = 204;
const receiver = createServer(async (request, response) => {
  const body = await text(request);
  told.push({ headers: request.headers as Told["headers"], text: body, body: JSON.parse(body) });
  response.writeHead(status).end();
});
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const store = createMemoryStore();
let hasArguments = false;
const start = (more: Partial<GatewayOptions> = {}): Gateway => {
  const gateway = createGateway({
    policy: definePolicy({
      tools: {
        pay: { permissions: ["write"], approval: "always" },
        wire: { permissions: ["write"], approval: "always", approvers: 2 },
      },
      approvals: { own: false },
    }),
    store,
    providers: [],
    identities: {
      principals: new Map([
        principal("ada", "use", "approve"),
        principal("ann", "approve"),
        principal("bob", "approve"),
      ]),
      issuers: [],
    },
    notify: {
      address: new URL("http://gate.test"),
      webhooks: [
        {
          name: "hook",
          url: new URL(`http://127.0.0.1:${portOf(receiver)}/`),
          secret: SECRET,
          approvers: ["ada", "ann", "bob"],
          hasArguments,
        },
      ],
    },
    operatorToken: tokenOf("operator"),
    key: Buffer.alloc(32, 7),
    version: "0.0.0-test",
    ...more,
  });
  gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  return gateway;
};

let gateway: Gateway;
beforeAll(async () => {
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  gateway = start();
});
afterAll(async () => {
  await gateway.close();
  receiver.close();
});

const toldOf = (approval: string): readonly Told[] =>
  told.filter(({ body }) => body.approval.id === approval);

async function ask(tool = "pay", args: object = { to: "<b>eve</b>\u202e", amount: 5 }) {
  const session = await gateway.gate.open({ principal: "ada" });
  const [decision] = await session.decide([{ tool, arguments: { ...args } }]);
  const approval = decision?.approval?.id ?? "";
  await expect.poll(() => toldOf(approval).length).toBeGreaterThan(0);
  const message = toldOf(approval)[0] as Told;
  const linkOf = (approver: string): string =>
    message.body.links.find((link: any) => link.approver === approver).url;
  return { session, approval, message, linkOf };
}

const visit = async (url: string, form?: Record<string, string>, at = gateway) => {
  const response = await at.fetch(
    new Request(url, {
      headers: { host: "gate.test" },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    }),
  );
  return { status: response.status, page: await response.text(), headers: response.headers };
};

describe("a webhook", () => {
  it("is told once that a call waits, signed, without the arguments, with a link for each approver (X28)", async () => {
    const { session, approval, message } = await ask();
    const { headers } = message;
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${message.text}`;
    expect(headers["webhook-signature"]).toBe(
      `v1,${createHmac("sha256", SECRET).update(signed).digest("base64")}`,
    );
    expect(headers["webhook-id"]).toBe(approval);
    expect(message.body).toMatchObject({
      type: "approval.requested",
      approval: { id: approval, session_id: session.id, principal: "ada", tool: "pay" },
      links: ["ada", "ann", "bob"].map((approver) => ({ approver })),
    });
    expect(message.text).not.toContain("eve");
    await session.decide([{ tool: "pay", arguments: { to: "<b>eve</b>\u202e", amount: 5 } }]);
    expect(toldOf(approval)).toHaveLength(1);
  });

  it("that doesn't take it is told again, and one that was told before a restart, under the same id (X28)", async () => {
    status = 503;
    const { approval } = await ask("pay", { to: "again" });
    status = 204;
    await expect.poll(() => toldOf(approval).length).toBe(2);
    const other = start({ clock: { now: () => new Date() } });
    await expect.poll(() => toldOf(approval).length).toBe(3);
    expect(new Set(toldOf(approval).map(({ text }) => text)).size).toBe(1);
    await other.gate.answerApproval(approval, { answer: "denied", by: "bob" });
  });

  it("gets the arguments where the policy says so (X28)", async () => {
    hasArguments = true;
    const other = start({ store: createMemoryStore() });
    hasArguments = false;
    const session = await other.gate.open({ principal: "ada" });
    const [decision] = await session.decide([{ tool: "pay", arguments: { to: "eve" } }]);
    const approval = decision?.approval?.id ?? "";
    await expect.poll(() => toldOf(approval)[0]?.body.approval.arguments).toEqual({ to: "eve" });
    await other.close();
  });
});

describe("an approver's link", () => {
  it("shows the whole call and answers nothing by being opened; its answer counts once, by its approver (X28)", async () => {
    const { session, approval, linkOf } = await ask();
    const shown = await visit(linkOf("ann"));
    // With `no-referrer` a browser would send `Origin: null` with the form, which is refused.
    expect(shown.headers.get("referrer-policy")).toBe("same-origin");
    expect([shown.status, shown.headers.get("content-security-policy")]).toEqual([
      200,
      "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ]);
    expect(shown.page).toContain("&#60;b&#62;eve&#60;/b&#62;\\u202e");
    expect(shown.page).not.toMatch(/<b>eve|\u202e/);
    expect(await gateway.gate.approval(approval)).not.toHaveProperty("outcome");
    const answered = await visit(linkOf("ann"), { answer: "approved", why: "fine" });
    expect(answered.page).toContain("The call is approved. By ann.");
    expect((await visit(linkOf("bob"), { answer: "denied" })).status).toBe(409);
    expect((await visit(linkOf("bob"))).page).toContain("The call is approved. By ann.");
    const entry = (await session.journal()).find(({ kind }) => kind === "approval-answered");
    expect(entry?.data).toMatchObject({ by: "ann", via: "console", why: "fine" });
  });

  it("isn't for the principal's own call where the policy says so, and one person is one of two (X28)", async () => {
    const { approval, linkOf } = await ask("wire", { amount: 9 });
    expect((await visit(linkOf("ada"), { answer: "approved" })).status).toBe(403);
    for (let times = 0; times < 2; times += 1)
      expect((await visit(linkOf("ann"), { answer: "approved" })).page).toContain("others must say yes too");
    expect(await gateway.gate.approval(approval)).not.toHaveProperty("outcome");
    expect((await visit(linkOf("bob"), { answer: "approved" })).page).toContain("The call is approved.");
  });

  it("answers nothing where it was changed, or its approver may not approve any more (X28)", async () => {
    const { approval, linkOf } = await ask();
    const url = linkOf("ann");
    const [named = "", signature = ""] = url.slice(url.lastIndexOf("/") + 1).split(".");
    const forged = Buffer.from(JSON.stringify([approval, "operator"])).toString("base64url");
    for (const path of [`${forged}.${signature}`, `${named}.${"A".repeat(43)}`, named, ""])
      expect((await visit(`http://gate.test/answer/${path}`, { answer: "approved" })).status).toBe(404);
    expect((await visit(url, { answer: "perhaps" })).status).toBe(404);
    const later = start({ identities: { principals: new Map([principal("bob", "approve")]), issuers: [] } });
    expect((await visit(url, { answer: "approved" }, later)).status).toBe(404);
    expect(await gateway.gate.approval(approval)).not.toHaveProperty("outcome");
  });
});

it("reaches a Slack channel by the example, once, with nothing that Slack would read as its own (X28)", async () => {
  const posts: any[] = [];
  const slack = createServer(async (request, response) => {
    posts.push(JSON.parse(await text(request)));
    response.end("ok");
  });
  await once(slack.listen(0, "127.0.0.1"), "listening");
  const example = spawn(process.execPath, [resolve(import.meta.dirname, "../../examples/slack/receive.ts")], {
    env: { GATE_SECRET: SECRET, SLACK_URL: `http://127.0.0.1:${portOf(slack)}/services/x`, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = /\d+/.exec(String((await once(example.stdout, "data"))[0]))?.[0];
  const { message } = await ask();
  const forward = (more: object) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: message.text,
      headers: { ...(message.headers as Record<string, string>), ...more },
    });
  expect((await forward({ "webhook-signature": "v1,AAAA" })).status).toBe(401);
  expect((await forward({})).status).toBe(204);
  expect((await forward({})).status).toBe(204);
  expect(posts).toHaveLength(1);
  expect(posts[0].text).toContain(`<${message.body.links[0].url}|Answer as ada>`);
  example.kill();
  slack.close();
});
