import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createTestGateway } from "../../test/fixtures/memory-gateway.ts";
import { temporaryFolder } from "../../test/fixtures/temporary-folder.ts";
import { definePolicy } from "../core/index.ts";
import { createGate } from "../runtime/index.ts";
import { openSqliteStore } from "../stores/index.ts";

const { path } = temporaryFolder();

/** A gateway that has a place for one event stream. */
function gatewayOfOneStream() {
  const faults: unknown[] = [];
  const file = path();
  const gateway = createTestGateway({
    store: openSqliteStore(file),
    limits: { eventStreams: 1 },
    onFault: (cause) => faults.push(cause),
  });
  gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  const events = async (signal?: AbortSignal, after: string | null = "0"): Promise<Response> =>
    gateway.fetch(
      new Request(`http://gate.test/v1/events${after === null ? "" : `?after=${after}`}`, {
        headers: { host: "gate.test", authorization: "Bearer operator-token-for-tests" },
        ...(signal && { signal }),
      }),
    );
  return { gateway, file, faults, events };
}

const HELLO = 'id: 0\nevent: hello\ndata: {"version":"0.0.0-test","policy":"unversioned"}\n\n';

/** Events as they come, one after the other. */
async function* eventsOf({ body }: Response): AsyncGenerator<{ id: number; kind: string; data: string }> {
  let text = "";
  for await (const chunk of body ?? []) {
    const blocks = (text + new TextDecoder().decode(chunk)).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, id, kind, data] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (id && kind && data) yield { id: Number(id), kind, data };
    }
  }
}

describe("An event stream", () => {
  it("says that the policy in force is another, which no journal tells", async () => {
    const { gateway, events } = gatewayOfOneStream();
    const body = (await events()).body;
    const reader = body?.getReader();
    const text = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
    expect(await text()).toBe(HELLO);
    gateway.gate.usePolicy(definePolicy({}, { version: "second" }));
    expect(await text()).toBe('event: policy-changed\ndata: {"policy":"second"}\n\n');
    const { id } = await gateway.gate.open();
    expect(await text()).toContain(id);
    await reader?.cancel();
    await gateway.close();
  });

  it("begins with what is new unless it is asked for more, and leaves others a turn between its pages", async () => {
    const { gateway, events } = gatewayOfOneStream();
    for (let count = 0; count < 30; count += 1) {
      const session = await gateway.gate.open();
      await session.decide(Array.from({ length: 100 }, () => ({ tool: "nothing" })));
    }
    let [turns, isOver] = [0, false];
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    for await (const { id } of eventsOf(await events())) if (id === 3030) break;
    isOver = true;
    expect(turns).toBeGreaterThan(6);
    const fresh = eventsOf(await events(undefined, null));
    expect((await fresh.next()).value).toMatchObject({ id: 3030, kind: "hello" });
    await fresh.return(undefined);
    await gateway.close();
  });

  it("begins with a hello, at the newest entry or after the one that is named", async () => {
    const { gateway, events } = gatewayOfOneStream();
    await gateway.gate.open();
    await gateway.gate.open();
    const latest = eventsOf(await events(undefined, "latest"));
    const data = '{"version":"0.0.0-test","policy":"unversioned"}';
    expect((await latest.next()).value).toEqual({ id: 2, kind: "hello", data });
    const { id } = await gateway.gate.open();
    expect((await latest.next()).value).toMatchObject({ id: 3, data: expect.stringContaining(id) });
    await latest.return(undefined);
    const resumed = eventsOf(await events(undefined, "1"));
    expect((await resumed.next()).value).toEqual({ id: 1, kind: "hello", data });
    expect((await resumed.next()).value).toMatchObject({ id: 2, kind: "session-opened" });
    await resumed.return(undefined);
    await gateway.close();
  });

  it("tells what another process appended, in order and each once, also between entries of its own", async () => {
    const { gateway, file, events } = gatewayOfOneStream();
    const elsewhere = createGate({ policy: definePolicy({}), store: openSqliteStore(file) });
    const told = eventsOf(await events(undefined, "latest"));
    expect((await told.next()).value).toMatchObject({ id: 0, kind: "hello" });
    const opened: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      const gate = at % 3 === 0 ? elsewhere : gateway.gate;
      opened.push((await gate.open()).id);
    }
    opened.push((await elsewhere.open()).id);
    for (const [at, id] of opened.entries()) {
      expect((await told.next()).value).toMatchObject({ id: at + 1, data: expect.stringContaining(id) });
    }
    // Nothing happens here now, and yet it is noticed.
    const alone = (await elsewhere.open()).id;
    expect((await told.next()).value).toMatchObject({ id: 42, data: expect.stringContaining(alone) });
    await told.return(undefined);
    await elsewhere.close();
    await gateway.close();
  });

  it("has for a reader that comes late all that happened meanwhile", async () => {
    const { gateway, faults, events } = gatewayOfOneStream();
    const response = await events(undefined, "latest");
    for (let at = 0; at < 30; at += 1)
      await Promise.all(Array.from({ length: 50 }, () => gateway.gate.open()));
    const told = eventsOf(response);
    expect((await told.next()).value).toMatchObject({ kind: "hello" });
    for (let at = 1; at <= 1500; at += 1) expect((await told.next()).value).toMatchObject({ id: at });
    await told.return(undefined);
    expect(faults).toEqual([]);
    await gateway.close();
  });

  it("of a position that another store gave begins at the newest entry of this one", async () => {
    const { gateway, events } = gatewayOfOneStream();
    await gateway.gate.open();
    const told = eventsOf(await events(undefined, "500"));
    expect((await told.next()).value).toMatchObject({ id: 1, kind: "hello" });
    await gateway.gate.open();
    expect((await told.next()).value).toMatchObject({ id: 2, kind: "session-opened" });
    await told.return(undefined);
    await gateway.close();
  });

  it("doesn't begin where there is no such position", async () => {
    const { gateway, events } = gatewayOfOneStream();
    for (const after of ["newest", "-1", "1.5", "9".repeat(16)])
      expect((await events(undefined, after)).status).toBe(400);
    await gateway.close();
  });
});

describe("The place of an event stream", () => {
  it("is taken as long as somebody reads, and free once they stop", async () => {
    const { gateway, events } = gatewayOfOneStream();
    const first = await events();
    expect((await events()).status).toBe(429);
    await first.body?.cancel();
    expect((await events()).status).toBe(200);
    await gateway.close();
  });

  it("is free once its reader has gone, also where nothing was ever read", async () => {
    const { gateway, faults, events } = gatewayOfOneStream();
    const leaving = new AbortController();
    expect((await events(leaving.signal)).status).toBe(200);
    leaving.abort();
    expect((await events(AbortSignal.abort())).status).toBe(200);
    expect((await events()).status).toBe(200);
    expect(faults).toEqual([]);
    await gateway.close();
  });

  it("is free after the stream broke off because the store couldn't be read, which is told as a fault", async () => {
    const { gateway, file, faults, events } = gatewayOfOneStream();
    await gateway.gate.open();
    const other = new DatabaseSync(file);
    other.exec("UPDATE events SET body = '{}'");
    other.close();
    const broken = await events();
    expect(await broken.text()).toBe(HELLO);
    expect(faults).toMatchObject([{ code: "store-damaged" }]);
    expect((await events()).status).toBe(200);
    await gateway.close();
  });

  it("is not taken where the stream can't begin", async () => {
    const { gateway, events } = gatewayOfOneStream();
    await gateway.close();
    for (let again = 0; again < 2; again += 1) {
      expect((await events()).status).toBe(503);
      expect((await events(undefined, "latest")).status).toBe(503);
    }
  });
});

it("shows whoever may approve, and not look, only what waits and what becomes of it (X16)", async () => {
  const tokens = { ann: "a1".repeat(32), leo: "b2".repeat(32) };
  const gateway = createTestGateway({
    policy: definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } }),
    store: openSqliteStore(path()),
    identities: {
      principals: new Map([
        ["ann", { digest: hash("sha256", tokens.ann), isWeak: false, rights: ["approve"] }],
        ["leo", { digest: hash("sha256", tokens.leo), isWeak: false, rights: ["approve", "look"] }],
      ]),
      issuers: [],
    },
  });
  gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  const session = await gateway.gate.open();
  await session.decide([{ tool: "pay", arguments: {} }]);
  const kindsOf = async (token: string): Promise<readonly string[]> => {
    const headers = { host: "gate.test", authorization: `Bearer ${token}` };
    const kinds: string[] = [];
    for await (const { kind } of eventsOf(
      await gateway.fetch(new Request("http://gate.test/v1/events?after=0", { headers })),
    )) {
      kinds.push(kind);
      if (kind === "approval-requested") break;
    }
    return kinds;
  };
  expect(await kindsOf(tokens.ann)).toEqual(["hello", "approval-requested"]);
  expect(await kindsOf(tokens.leo)).toContain("session-opened");
  await gateway.close();
});
