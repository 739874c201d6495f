import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { longestTurn, threadTime } from "../../../test/fixtures/longest-turn.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { createMemoryStore, definePolicy, openSqliteStore } from "../../index.ts";
import { createGate } from "../index.ts";
import { sealEntries, type UnsealedEntry } from "./journal.ts";

const ENTRIES = 100_000;
const MAX_BLOCKED_MS = 250;
const { path } = temporaryFolder();
const policy = definePolicy(
  { tools: { read_mail: { permissions: ["read"], source: { level: "internal" } } } },
  { version: "v1" },
);
const REFUSED: UnsealedEntry = {
  kind: "call-refused",
  at: "2026-11-22T08:00:00.000Z",
  policy: "v1",
  data: {
    call: "call_1",
    tool: "read_mail",
    arguments: "digest",
    reasons: [],
    label: { level: "public", categories: [], trust: "trusted" },
  },
};

describe("A session's ledger", () => {
  it(`lets others have their turn while it loads a journal of ${ENTRIES.toLocaleString("en")} entries`, async () => {
    const store = openSqliteStore(path());
    const writer = createGate({ policy, store });
    const { id } = await writer.open();
    const head = await store.head(id);
    await store.append(id, 1, sealEntries(head, Array(ENTRIES).fill(REFUSED)));
    const reader = createGate({ policy, store });
    const longest = longestTurn(threadTime);
    const found = await Promise.all([reader.session(id), reader.session(id), reader.session(id)]);
    expect(longest()).toBeLessThan(MAX_BLOCKED_MS);
    expect(found.map((session) => session?.state.calls)).toEqual([ENTRIES, ENTRIES, ENTRIES]);
    await store.close();
  });

  it("doesn't fall behind what it wrote while it was loading (law-3)", async () => {
    const store = openSqliteStore(path());
    const gate = createGate({ policy, store });
    const session = await gate.open();
    const head = await store.head(session.id);
    // Another process was busy, so there is something to load.
    await store.append(session.id, 1, sealEntries(head, Array(5000).fill(REFUSED)));
    const raising = session.addDataset("mail", { level: "internal" });
    // The write has found that it must load, so this is behind it by some turns.
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    const loading = gate.session(session.id);
    await raising;
    expect(session.label.level).toBe("internal");
    await loading;
    expect(session.label.level).toBe("internal");
    await store.close();
  });

  it("is read once for all who ask in the same turn, after all of them asked (law-3)", async () => {
    const store = createMemoryStore();
    const { id } = await createGate({ policy, store }).open();
    const writer = createGate({ policy, store });
    const heads = { read: 0 };
    const counted = new Proxy(store, {
      get: (target, key) => {
        if (key === "head") heads.read += 1;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const reader = createGate({ policy, store: counted });
    await reader.session(id);
    await (await writer.session(id))?.decide([{ tool: "read_mail" }]);
    const before = heads.read;
    const found = await Promise.all(Array.from({ length: 10 }, () => reader.session(id)));
    expect(found.map((session) => session?.label.level)).toEqual(Array(10).fill("internal"));
    expect(heads.read - before).toBe(1);
  });

  it("decides on what another process has written where it writes nothing itself (D6-binding)", async () => {
    const asking = definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } });
    const store = openSqliteStore(path());
    const [agent, terminal] = [createGate({ policy: asking, store }), createGate({ policy: asking, store })];
    const session = await agent.open();
    const pay = async (amount: number) => {
      const [decision] = await session.decide([{ tool: "pay", arguments: { amount } }]);
      return decision;
    };
    for (const amount of [1, 2]) {
      const asked = await pay(amount);
      await terminal.answerApproval(asked?.approval?.id ?? "", { answer: "approved", by: "bo" });
      expect((await pay(amount))?.effect).toBe("allow");
    }
    await store.close();
  });

  it("fails a call whose tool's name can't be written, and no other call of the same turn", async () => {
    const gate = createGate({ policy, store: createMemoryStore() });
    const session = await gate.open();
    const calls = ["read_mail", "half \ud800", "read_mail"].map((tool) =>
      session.decide([{ tool, arguments: {} }]),
    );
    const settled = await Promise.allSettled(calls);
    expect(settled).toMatchObject([
      { status: "fulfilled", value: [{ effect: "allow" }] },
      { status: "rejected", reason: { code: "unsupported-value" } },
      { status: "fulfilled", value: [{ effect: "allow" }] },
    ]);
    expect(session.label.level).toBe("internal");
    expect(await gate.verify()).toMatchObject({ ok: true, entries: 3 });
  });

  it("lets others have their turn while it decides many calls that take long, and keeps their order (D5-queue)", async () => {
    const busy = (): boolean => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      return true;
    };
    const pay = { permissions: ["write"], approval: { when: "busy", holds: busy } } as const;
    const gate = createGate({
      policy: definePolicy({ tools: { pay } }, { version: "v1" }),
      store: createMemoryStore(),
    });
    const session = await gate.open();
    const ended = longestTurn();
    const decisions = await session.decide(
      Array.from({ length: 100 }, (_, amount) => ({ tool: "pay", arguments: { amount } })),
    );
    expect(ended()).toBeLessThan(MAX_BLOCKED_MS);
    const asked = (await session.journal()).flatMap(({ data }) => data.approval ?? []);
    expect(asked).toEqual(decisions.map(({ approval }) => approval?.id));
  });

  it("lets others have their turn where calls come one by one and write nothing new (D5-queue)", async () => {
    const busy = (): boolean => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      return true;
    };
    const pay = { permissions: ["write"], approval: { when: "busy", holds: busy } } as const;
    const gate = createGate({
      policy: definePolicy({ tools: { pay } }, { version: "v1" }),
      store: createMemoryStore(),
    });
    const session = await gate.open();
    await session.decide([{ tool: "pay" }]);
    const ended = longestTurn();
    // Each comes as the one before it is being answered, and asks for what waits already.
    const repeat = async (left: number): Promise<void> => {
      if (left > 0)
        await Promise.all([
          session.decide([{ tool: "pay" }]),
          Promise.resolve().then(() => repeat(left - 1)),
        ]);
    };
    await repeat(100);
    for (let left = 100; left > 0; left -= 1) await session.decide([{ tool: "pay" }]);
    expect(ended()).toBeLessThan(MAX_BLOCKED_MS);
  });
});
