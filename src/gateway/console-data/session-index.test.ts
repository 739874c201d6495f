import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { definePolicy, initialState } from "../../core/index.ts";
import { createGate, type Gate, OPERATOR, type Store, toTimestamp } from "../../runtime/index.ts";
import { archiveSessions } from "../../runtime/internal.ts";
import { createMemoryStore, openSqliteStore } from "../../stores/index.ts";
import { listSessions, type SessionFilters } from "./list-sessions.ts";
import { SessionIndex } from "./session-index.ts";

const DECLARED = {
  servers: {
    office: { tools: { search: { permissions: ["read"], source: { level: "internal" } } } },
    outside: { tools: { post: { permissions: ["connect"] } } },
  },
  tools: { pay: { permissions: ["write"], approval: "always" } },
  roles: { reader: { tools: ["search"] } },
} as const;
const MINUTE = 60_000;
const { path } = temporaryFolder();

function openHouse(store: Store = createMemoryStore()) {
  const time = { now: Date.parse("2026-11-22T10:00:00Z") };
  const clock = { now: () => new Date(time.now) };
  const gateOf = (version = "1"): Gate =>
    createGate({ policy: definePolicy(DECLARED, { version }), store, clock });
  const gate = gateOf();
  const index = new SessionIndex({ gate });
  const now = (): string => toTimestamp(clock.now());
  const waitingIn = (id: string, version = "1"): number =>
    index.find(id)?.waiting(now(), version).length ?? -1;
  const over = async (version = "1") => {
    await index.catchUp();
    return index.over(now(), version);
  };
  return { store, time, gate, gateOf, index, now, waitingIn, over };
}

const pay = async (gate: Gate, id: string, amount: number): Promise<string> => {
  const session = await gate.session(id);
  const [decision] = (await session?.decide([{ tool: "pay", arguments: { amount } }])) ?? [];
  return decision?.approval?.id ?? "none";
};

describe("The index of sessions", () => {
  it("doesn't list what was archived, before and after it is read again (X27)", async () => {
    const { gate, index, store, time } = openHouse();
    const old = await gate.open();
    time.now += MINUTE;
    const young = await gate.open();
    await index.catchUp();
    const now = new Date(time.now);
    const policy = { lattice: gate.policy.lattice, version: "1" };
    await archiveSessions({ store, before: now, now, policy, save: async () => {} });
    for (const one of [index, new SessionIndex({ gate })]) {
      await one.catchUp();
      expect(one.newestFirst().map(({ id }) => id)).toEqual([young.id]);
    }
    expect((await gate.session(old.id))?.state.closed).toBe(true);
  });

  it("has of each session what its journal says", async () => {
    const { gate, index, time, waitingIn } = openHouse();
    const session = await gate.open({ principal: "ada", role: "reader" });
    const other = await gate.open({ tools: ["post", "pay"] });
    time.now += MINUTE;
    await session.decide([{ tool: "search" }, { tool: "post" }]);
    await pay(gate, other.id, 5);
    await session.reportImpossible("No.");
    await index.catchUp();
    expect(index.newestFirst().map(({ id }) => id)).toEqual([session.id, other.id]);
    const record = index.find(session.id);
    expect(record).toMatchObject({
      refused: 1,
      openedAt: "2026-11-22T10:00:00.000Z",
      lastAt: "2026-11-22T10:01:00.000Z",
    });
    const { principal, role, calls, label, closed, impossible } = session.state;
    expect(record?.state).toMatchObject({ principal, role, calls, label, closed, impossible });
    expect(record?.state.contributions).toEqual(session.state.contributions);
    expect(index.find(other.id)?.state.tools).toEqual(other.state.tools);
    expect([waitingIn(session.id), waitingIn(other.id)]).toEqual([0, 1]);
  });

  it("sees what another process wrote", async () => {
    const { gateOf, index } = openHouse();
    const elsewhere = gateOf();
    const { id } = await elsewhere.open({ principal: "bo" });
    await index.catchUp();
    expect(index.find(id)?.state.principal).toBe("bo");
  });

  it("counts as waiting what has not expired and was asked for under the policy in force", async () => {
    const { gate, index, time, waitingIn, over } = openHouse();
    const { id } = await gate.open();
    const first = await pay(gate, id, 1);
    time.now += 30 * MINUTE;
    const second = await pay(gate, id, 2);
    await index.catchUp();
    expect([waitingIn(id), waitingIn(id, "2")]).toEqual([2, 0]);
    expect((await over("2")).map(({ id, status }) => [id, status])).toEqual([
      [second, "cancelled"],
      [first, "cancelled"],
    ]);
    time.now += 31 * MINUTE;
    expect(waitingIn(id)).toBe(1);
    expect(await over()).toMatchObject([{ id: first, status: "expired", at: "2026-11-22T11:00:00.000Z" }]);
    await gate.pendingApprovals();
    expect(await over()).toMatchObject([{ id: first, status: "expired", at: "2026-11-22T11:00:00.000Z" }]);
  });

  it("knows how each approval ended, who answered and with which words, the newest first", async () => {
    const { gate, time, over } = openHouse();
    const session = await gate.open({ principal: "ada" });
    const ids = [];
    for (let amount = 0; amount < 4; amount += 1) ids.push(await pay(gate, session.id, amount));
    time.now += MINUTE;
    await gate.answerApproval(ids[0] ?? "", { answer: "approved", by: OPERATOR, via: "console" });
    time.now += MINUTE;
    await gate.answerApproval(ids[1] ?? "", { answer: "denied", by: "bo", why: "Too much." });
    time.now += MINUTE;
    await session.reportImpossible("No.");
    const closing = await gate.open({ principal: "cy" });
    const last = await pay(gate, closing.id, 9);
    time.now += MINUTE;
    await gate.reset(closing.id);
    const common = { session: session.id, principal: "ada", tool: "pay" };
    const [closed, ...rest] = await over();
    expect(closed).toMatchObject({ id: last, status: "cancelled", principal: "cy", by: null });
    expect(new Set(rest.slice(0, 2).map(({ id, status }) => `${id} ${status}`))).toEqual(
      new Set([`${ids[2]} cancelled`, `${ids[3]} cancelled`]),
    );
    expect(rest.slice(2)).toEqual([
      {
        ...common,
        id: ids[1],
        status: "denied",
        by: "bo",
        via: null,
        why: "Too much.",
        at: "2026-11-22T10:02:00.000Z",
      },
      {
        ...common,
        id: ids[0],
        status: "approved",
        by: OPERATOR,
        via: "console",
        why: null,
        at: "2026-11-22T10:01:00.000Z",
      },
    ]);
    for (const { id, status, by, at } of await over()) {
      const found = await gate.approval(id);
      expect(found).toMatchObject({ by, at, outcome: id === last ? "closed" : status });
    }
  });

  it("remembers a bounded number of sessions, and reads again what it had to forget", async () => {
    const { gate } = openHouse();
    const index = new SessionIndex({ gate, mostSessions: 3 });
    const sessions = [];
    for (let at = 0; at < 5; at += 1) sessions.push(await gate.open({ principal: `p${at}` }));
    const [first] = sessions;
    await first?.decide([{ tool: "search" }, { tool: "post" }]);
    await index.catchUp();
    expect(index.newestFirst().map(({ state }) => state.principal)).toEqual(["p0", "p4", "p3"]);
    const [second] = sessions.slice(1);
    await second?.decide([{ tool: "post" }]);
    await second?.decide([{ tool: "search" }, { tool: "post" }]);
    await index.catchUp();
    const [again] = index.newestFirst();
    expect(again?.state).toMatchObject({ principal: "p1", calls: 3, label: { level: "internal" } });
    expect(again).toMatchObject({ refused: 1, seq: 4, openedAt: "2026-11-22T10:00:00.000Z" });
  });

  it("shares one run among those who come at once, and shows each what was written before it came", async () => {
    let feeds = 0;
    const memory = createMemoryStore();
    const { gate, index } = openHouse({
      ...memory,
      feed: (after, limit) => {
        feeds += 1;
        return memory.feed(after, limit);
      },
    });
    const { id } = await gate.open();
    await Promise.all(Array.from({ length: 50 }, () => index.catchUp()));
    expect(feeds).toBeLessThanOrEqual(2);
    const under = index.catchUp();
    await Promise.resolve();
    const later = await gate.open();
    await index.catchUp();
    await under;
    expect(index.newestFirst().map((record) => record.id)).toEqual([later.id, id]);
  });

  it("goes on where it was after the store couldn't be read", async () => {
    const memory = createMemoryStore();
    const broken = { now: true };
    const { gate, index } = openHouse({
      ...memory,
      feed: (after, limit) =>
        broken.now ? Promise.reject(new Error("by design")) : memory.feed(after, limit),
    });
    const { id } = await gate.open();
    await expect(index.catchUp()).rejects.toThrow("by design");
    broken.now = false;
    await index.catchUp();
    expect(index.newestFirst().map((record) => record.id)).toEqual([id]);
  });

  it("reads all labels again by the order of another policy's levels", async () => {
    const { gate, index } = openHouse();
    const session = await gate.open();
    await session.decide([{ tool: "search" }]);
    await index.catchUp();
    gate.usePolicy(definePolicy({ ...DECLARED, servers: {}, roles: {}, levels: ["low", "high"] }));
    await index.catchUp();
    expect(index.find(session.id)?.state.label.level).toBe("*");
    expect(index.newestFirst()).toHaveLength(1);
  });

  it("keeps no more of a session in memory for each of its calls", async () => {
    const { gate, index } = openHouse();
    const session = await gate.open();
    for (let at = 0; at < 300; at += 1) {
      const [decided] = await session.decide([{ tool: "search" }]);
      await session.report({
        callId: decided?.callId ?? "",
        dataset: `set ${at}`,
        label: { level: "internal" },
      });
    }
    await index.catchUp();
    const state = index.find(session.id)?.state;
    expect(state?.contributions.filter(({ raised }) => raised)).toEqual(
      session.state.contributions.filter(({ raised }) => raised),
    );
    expect(JSON.stringify(state).length).toBeLessThan(1500);
    expect(state?.running).toBe(initialState(gate.policy.lattice).running);
  });
});

describe("The index of a damaged store", () => {
  it.each([
    ["an entry is another one", "UPDATE events SET body = replace(body, 'search', 'hcraes') WHERE seq = 2"],
    ["an entry is no entry", "UPDATE events SET body = '{' WHERE seq = 2"],
    ["an entry is missing", "DELETE FROM events WHERE seq = 2"],
    ["the first entry is missing", "DELETE FROM events WHERE seq = 1"],
  ])("has the other sessions where %s, and takes that one for the worst", async (_, harm) => {
    const file = path();
    const { gate } = openHouse(openSqliteStore(file));
    const [before, damaged] = [await gate.open({ principal: "before" }), await gate.open()];
    await damaged.decide([{ tool: "search" }, { tool: "post" }]);
    const after = await gate.open({ principal: "after" });
    await gate.close();
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    database.exec(`${harm} AND session = '${damaged.id}'`);
    database.close();
    const { index, gate: again } = openHouse(openSqliteStore(file));
    await index.catchUp();
    expect(index.newestFirst().map(({ id }) => id)).toEqual([after.id, damaged.id, before.id]);
    expect(index.find(damaged.id)?.state.label.level).toBe("*");
    expect(index.find(after.id)?.state).toMatchObject({ principal: "after", label: { level: "public" } });
    const { id } = await again.open({ principal: "later" });
    await index.catchUp();
    expect(index.newestFirst()[0]?.id).toBe(id);
    await again.close();
  });
});

describe("A page of sessions", () => {
  const pageOf = (index: SessionIndex, limit: number, after?: string, filters: SessionFilters = {}) => {
    const page = listSessions(index.newestFirst(), {
      filters,
      limit,
      after,
      waitingIn: (record) => record.waiting("2026-11-22T10:00:00.000Z", "1").length,
    });
    return { ...page, names: page.records.map(({ state }) => state.principal) };
  };

  it("goes on where the one before it ended, and shows nothing twice while things happen", async () => {
    const { gate, index } = openHouse();
    const sessions = [];
    for (let at = 0; at < 7; at += 1) sessions.push(await gate.open({ principal: `p${at}` }));
    await index.catchUp();
    const first = pageOf(index, 3);
    expect(first).toMatchObject({ names: ["p6", "p5", "p4"], total: 7 });
    await sessions[5]?.decide([{ tool: "search" }]);
    await gate.open({ principal: "p7" });
    await index.catchUp();
    const second = pageOf(index, 3, first.next ?? "");
    expect(second).toMatchObject({ names: ["p3", "p2", "p1"], total: 8 });
    expect(pageOf(index, 3, second.next ?? "")).toMatchObject({ names: ["p0"], next: null });
    expect(pageOf(index, 4).names).toEqual(["p7", "p5", "p6", "p4"]);
    expect(pageOf(index, 8).next).toBeNull();
  });

  it("has those that fit, and counts them", async () => {
    const { gate, index } = openHouse();
    const ada = await gate.open({ principal: "Ada", role: "reader" });
    const bo = await gate.open({ principal: "bo" });
    const closed = await gate.open({ principal: "adam" });
    await ada.decide([{ tool: "search" }, { tool: "post" }]);
    await bo.decide([{ tool: "pay" }]);
    await gate.reset(closed.id);
    await index.catchUp();
    const named = (filters: SessionFilters) => pageOf(index, 9, undefined, filters).names;
    expect(named({ principal: "ADA" }).sort()).toEqual(["Ada", "adam", "adam"]);
    expect(named({ role: "reader" })).toEqual(["Ada"]);
    expect(named({ level: "internal" })).toEqual(["Ada"]);
    expect(named({ refused: true })).toEqual(["Ada"]);
    expect(named({ refused: false, closed: false }).sort()).toEqual(["adam", "bo"]);
    expect(named({ waiting: true })).toEqual(["bo"]);
    expect(named({ closed: true })).toEqual(["adam"]);
    expect(pageOf(index, 1, undefined, { principal: "ada" }).total).toBe(3);
  });

  it("says of a cursor that no page gave that it is none", async () => {
    const { index } = openHouse();
    for (const cursor of ["", "12", "YmVmb3JlIHg", "\u0000"]) {
      expect(() => pageOf(index, 1, cursor)).toThrow("The list can't go on there.");
    }
  });
});
