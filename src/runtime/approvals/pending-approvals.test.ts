/** Which of many approvals a person is shown: each label holder has its turn, and what a call is held for comes first. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import { createGate, type Gate, type Session } from "../index.ts";

const policy = definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } });

function openGate(store = createMemoryStore()): Gate {
  return createGate({ policy, store });
}

async function ask(session: Session, count: number, length = 0): Promise<readonly string[]> {
  const asked = await session.decide(
    Array.from({ length: count }, (_, at) => ({
      tool: "pay",
      arguments: { at, text: "x".repeat(length) },
    })),
  );
  return asked.flatMap(({ approval }) => approval?.id ?? []);
}

const listed = async (gate: Gate, options = {}): Promise<readonly string[]> =>
  (await gate.pendingApprovals(options)).map(({ id }) => id);

describe("what waits for a person in many sessions", () => {
  it("has the first of each label holder before the second of any, however many forks one has (D5-queue)", async () => {
    const gate = openGate();
    const flood = await gate.open();
    for (let count = 0; count < 30; count += 1)
      await ask(await flood.fork({ sharesLabel: true }), 10, 200 * 1024);
    const [victim = ""] = await ask(await gate.open(), 1);
    for (const options of [{}, { firstOnly: true }, { fold: 100 }])
      expect((await listed(gate, options)).indexOf(victim)).toBe(1);
  });

  it("is bounded over a session and the forks that share its label (D5-queue)", async () => {
    const gate = openGate();
    const session = await gate.open();
    const fork = await session.fork({ sharesLabel: true });
    const own = await session.fork();
    expect(await ask(session, 110)).toHaveLength(100);
    expect(await ask(fork, 110)).toHaveLength(10);
    expect(await ask(own, 110)).toHaveLength(100);
  });

  it("is listed in parts, and all of it is found by asking on (D5-queue)", async () => {
    const gate = openGate();
    for (let count = 0; count < 8; count += 1) await ask(await gate.open(), 100);
    const first = await listed(gate);
    expect(first).toHaveLength(500);
    const second = await listed(gate, { offset: 500 });
    expect(new Set([...first, ...second]).size).toBe(800);
    expect(await listed(gate, { offset: 790, limit: 3 })).toEqual(second.slice(290, 293));
    const behind = await gate.pendingApprovals({ behindOnly: true });
    expect(behind.every(({ before }) => before > 0)).toBe(true);
  });

  it("lets others have their turn while ten thousand are looked through", async () => {
    const store = createMemoryStore();
    const sizes: number[] = [];
    const gate = openGate({
      ...store,
      keptWith: async (...args) => {
        const found = await store.keptWith(...args);
        sizes.push(found.length);
        return found;
      },
    });
    for (let count = 0; count < 12; count += 1) await ask(await gate.open(), 100);
    expect(await listed(gate, { firstOnly: true })).toHaveLength(12);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });

  it("shows what a call is held for before what nobody holds any more (D5-queue)", async () => {
    const gate = openGate();
    const session = await gate.open();
    const [left = ""] = await ask(session, 1);
    const leave = new AbortController();
    const waits = Promise.withResolvers<string>();
    const held = session.call({ tool: "pay", arguments: { amount: 2 } }, () => null, {
      waitSeconds: 600,
      signal: leave.signal,
      onWaiting: ({ approval }) => waits.resolve(approval?.id ?? ""),
    });
    const id = await waits.promise;
    const places = async () =>
      (await gate.pendingApprovals()).map((one) => [one.id, one.before, one.callerWaits]);
    expect(await places()).toEqual([
      [id, 0, true],
      [left, 1, false],
    ]);
    expect(await gate.approval(id)).toMatchObject({ before: 0, behind: 1, callerWaits: true });
    expect(await gate.approval(left)).toMatchObject({ before: 1, callerWaits: false });
    leave.abort();
    await held;
    // It keeps its place for a minute: a client may ask its own person between two calls.
    expect(await places()).toEqual([
      [id, 0, true],
      [left, 1, false],
    ]);
  });
});
