/** Two gateways on one PostgreSQL database, each with its own folder, as on two machines. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POLICY, sluicegate } from "../../src/cli/cli.test-kit.ts";
import { applyRetention } from "../../src/cli/storage/keep-retention.ts";
import { runGateway } from "../../src/cli/wiring/run-gateway.ts";
import { definePolicy } from "../../src/core/index.ts";
import { listen } from "../../src/gateway/index.ts";
import { createGate } from "../../src/runtime/index.ts";
import { SealedValues } from "../../src/runtime/internal.ts";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/postgres.ts";
import { type PostgresServer, startPostgres } from "../fixtures/postgres.ts";
import { createSignInArena } from "../fixtures/sign-in-arena.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const TOKEN = "operator-token-for-tests";
const files = temporaryFolder();
const log = (): void => {};

interface Node {
  readonly config: string;
  request(
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ status: number; body: any }>;
  close(): Promise<void>;
}

let server: PostgresServer;
let store: string;
let nodes: readonly [Node, Node];

/** A folder of a gateway's own with the policy, and the key of another gateway where it has one. */
function createHome(keyOf?: string): string {
  const folder = files.path("node");
  mkdirSync(join(folder, ".sluicegate"), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "sluicegate.yaml"), POLICY);
  if (keyOf) copyFileSync(join(keyOf, "../.sluicegate/key"), join(folder, ".sluicegate/key"));
  return join(folder, "sluicegate.yaml");
}

async function startNode(config: string): Promise<Node> {
  const { gateway, storeName } = await runGateway({ config, store, log, announces: true });
  expect(storeName).not.toContain(server.password);
  const doors = await listen(gateway, { port: 0 });
  return {
    config,
    request: async (method, path, body, token = TOKEN) => {
      const response = await fetch(doors.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    close: async () => {
      await doors.close();
      await gateway.close();
    },
  };
}

beforeAll(async () => {
  process.env.SLUICEGATE_TOKEN = TOKEN;
  server = await startPostgres();
  store = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/${server.database}`;
  const first = await startNode(createHome());
  nodes = [first, await startNode(createHome(first.config))];
});
afterAll(async () => {
  delete process.env.SLUICEGATE_TOKEN;
  await Promise.all(nodes.map((node) => node.close()));
  await server.stop();
});

describe("two gateways on one PostgreSQL database", () => {
  it("raise one session together, and take its token at both (X16, law-3)", async () => {
    const [here, there] = nodes;
    const { session_id: id, session_token: token } = (await here.request("POST", "/v1/session", {})).body;
    const decide = (node: Node, tool: string) =>
      node.request("POST", `/v1/session/${id}/decide`, { tool, arguments: {} }, token);
    expect((await decide(there, "web_search")).body.effect).toBe("allow");
    expect((await decide(here, "search_email")).body.effect).toBe("allow");
    expect((await decide(there, "web_search")).body.effect).toBe("deny");
    expect((await there.request("GET", `/v1/session/${id}`)).body.label.level).toBe("internal");
  });

  it("answer each other's approvals, and a call that is held at one hears of it within seconds (X16)", async () => {
    for (const [holder, answerer] of [nodes, nodes.toReversed()] as [Node, Node][]) {
      const { session_id: id } = (await holder.request("POST", "/v1/session", {})).body;
      const call = { tool: "wire_transfer", arguments: { amount: 1 }, wait: 60 };
      const held = holder.request("POST", `/v1/session/${id}/decide`, call);
      const waiting = async (): Promise<string | undefined> => {
        const { approvals } = (await answerer.request("GET", "/v1/approvals")).body;
        return approvals.find((one: any) => one.session_id === id)?.id;
      };
      await expect.poll(waiting).toBeDefined();
      const answered = performance.now();
      const { status } = await answerer.request("POST", `/v1/approvals/${await waiting()}/approve`, {});
      expect(status).toBe(200);
      expect((await held).body.effect).toBe("allow");
      // It looks again each second; a busy machine may be slow besides, and 60 is the call's own limit.
      expect(performance.now() - answered).toBeLessThan(15_000);
      // One yes is one call, wherever it is asked for next.
      const again = await answerer.request("POST", `/v1/session/${id}/decide`, { ...call, wait: 0 });
      expect(again.body.effect).toBe("ask");
    }
  });

  it("have one record, which a command line reads and verifies without telling the password (X16)", async () => {
    const [{ config }] = nodes;
    const verified = await sluicegate(["journal", "verify", "--store", store, "--config", config, "--json"]);
    expect(verified.err).toBe("");
    expect(verified.json()).toMatchObject({ ok: true });
    const wrong = store.replace(server.password, "not-the-password");
    const refused = await sluicegate(["journal", "show", "--store", wrong, "--config", config]);
    expect(refused.status).toBe(2);
    expect(refused.err).toContain("refused the user or the password");
    expect(refused.err).not.toContain("not-the-password");
  });

  it("are told of a third one that decides by another policy, until it stops (X16)", async () => {
    const config = createHome(nodes[0].config);
    writeFileSync(config, `${POLICY}policy: { denied_tools: [search_docs] }\n`);
    const others = (...asked: readonly Node[]) =>
      Promise.all(
        asked.map(async (node) => (await node.request("GET", "/readyz")).body.other_policy?.version ?? null),
      );
    expect(await others(...nodes)).toEqual([null, null]);
    const third = await startNode(config);
    const version = expect.stringMatching(/^sha256:/);
    await expect.poll(() => others(...nodes, third)).toEqual([version, version, version]);
    await third.close();
    await expect.poll(() => others(...nodes)).toEqual([null, null]);
  });

  it("freeze together: a second after one is told, none of three admits a call (X22, X16)", async () => {
    const third = await startNode(createHome(nodes[0].config));
    const all = [...nodes, third];
    const { session_id: id } = (await third.request("POST", "/v1/session", {})).body;
    const effects = () =>
      Promise.all(
        all.map(async (node) => {
          const call = { tool: "search_docs", arguments: {} };
          return (await node.request("POST", `/v1/session/${id}/decide`, call)).body.effect;
        }),
      );
    expect(await effects()).toEqual(["allow", "allow", "allow"]);
    const freeze = await nodes[0].request("POST", "/v1/freeze", { session: id });
    expect(freeze.status).toBeLessThan(300);
    await pause(1000);
    expect(await effects()).toEqual(["deny", "deny", "deny"]);
    expect((await third.request("DELETE", `/v1/freeze/${freeze.body.id}`)).status).toBe(200);
    await pause(1000);
    expect(await effects()).toEqual(["allow", "allow", "allow"]);
    await third.close();
  });

  it("keep ended sessions no longer than the policy says, and never an open one (X27)", async () => {
    await server.execute("CREATE DATABASE retention");
    const kept = await openPostgresStore(store.replace(/[^/]*$/, "retention"));
    const policy = definePolicy({ tools: { look: { permissions: ["read"] } } });
    const now = new Date();
    const clock = { now: () => new Date(now.getTime() - 365 * 86_400_000) };
    const gate = createGate({ policy, store: kept, clock });
    const [ended, open] = [await gate.open(), await gate.open()];
    for (const session of [ended, open]) await session.decide([{ tool: "look" }]);
    await gate.reset(ended.id);
    const values = new SealedValues({
      store: kept,
      clock,
      key: Buffer.alloc(32, 7),
      policyVersion: () => "v1",
    });
    const retention = { endedMs: 86_400_000, action: "archive" } as const;
    const storeFile = files.path("sluicegate.db");
    const options = { store: kept, storeFile, retention, policy: () => policy, values };
    expect(await applyRetention(options, now)).toBe(1);
    expect(await kept.read(ended.id, 0, 9)).toMatchObject([{ kind: "session-closed" }]);
    expect((await kept.read(open.id, 0, 9)).length).toBeGreaterThan(1);
    expect(await verifyStore(kept)).toMatchObject({ ok: true });
    await kept.close();
  });

  it("renew a server's token once, though both need another at the same time (X16, X21)", async () => {
    await server.execute("CREATE DATABASE tokens");
    const shared = await openPostgresStore(store.replace(/[^/]*$/, "tokens"));
    // The authorization server takes a refresh token once; whoever sends it again loses everything that was granted.
    const at = await createSignInArena({ for: "gateway" }, { store: shared });
    await at.signIn("operator", "team");
    const before = at.authorization.tokenRequests.length;
    const renewed = await Promise.all([1, 2, 3].map(() => at.later(3_590_000).tokensOf(null).token()));
    expect(new Set(renewed).size).toBe(1);
    expect(await at.authorization.introspect(renewed[0] ?? "")).toMatchObject({ account: "team" });
    expect(at.authorization.tokenRequests.length - before).toBe(1);
    await at.close();
    await shared.close();
  });

  it("allow nothing while the database is away, and go on by themselves (X15-postgres)", async () => {
    const [here] = nodes;
    const { session_id: id } = (await here.request("POST", "/v1/session", {})).body;
    const call = { tool: "search_docs", arguments: {} };
    const decide = () => here.request("POST", `/v1/session/${id}/decide`, call);
    await server.halt();
    expect(await decide()).toMatchObject({ status: 503, body: { error: { code: "store-failed" } } });
    await server.resume();
    await expect.poll(async () => (await here.request("GET", "/readyz")).status).toBe(200);
    expect((await decide()).body.effect).toBe("allow");
  });

  it("refuse a third one that has another key, or would begin a store of its own (X16)", async () => {
    await expect(startNode(createHome())).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("another key"),
    });
    await expect(runGateway({ config: nodes[0].config, log })).rejects.toMatchObject({
      code: "usage",
      message: "The store of this policy is in PostgreSQL.",
    });
  });
});
