import { describe, expect, it } from "vitest";
import { definePolicy, tighten } from "../../core/index.ts";
import { createGate, type Session } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { timelineOf } from "./timelines.ts";

const policy = definePolicy({
  tools: {
    read: { permissions: ["read"], source: { level: "internal" } },
    post: { permissions: ["connect"] },
  },
});
const ALL = { before: Number.MAX_SAFE_INTEGER, limit: 1000 };

const decideTimes = (session: Session, count: number) =>
  session.decide(
    Array.from({ length: count }, (_, at) => ({ tool: at % 2 ? "post" : "read", arguments: { at } })),
  );

describe("the timeline of a session", () => {
  it("goes on with what was written since, by whomever, and is the same as one that is read anew", async () => {
    const store = createMemoryStore();
    const gate = createGate({ policy, store });
    const other = createGate({ policy, store });
    const session = await gate.open();
    await decideTimes(session, 300);
    expect(await timelineOf(gate, session, ALL)).toMatchObject({ total: 301, earlier: null });
    const elsewhere = await other.session(session.id);
    if (elsewhere === null) throw new Error("The session is gone.");
    await decideTimes(elsewhere, 300);
    const told = await timelineOf(gate, await session.refresh(), ALL);
    expect(told.total).toBe(601);
    expect(told).toEqual(await timelineOf(other, elsewhere, ALL));
  });

  it("is read once where several look at the same time, and each has all of it", async () => {
    const gate = createGate({ policy, store: createMemoryStore() });
    const session = await gate.open();
    await decideTimes(session, 600);
    const told = await Promise.all(Array.from({ length: 5 }, () => timelineOf(gate, session, ALL)));
    for (const { events, total } of told) {
      expect(total).toBe(601);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 601 }, (_, at) => at + 1));
    }
  });

  it("is told again once a store that failed answers", async () => {
    const store = createMemoryStore();
    let isDown = false;
    const read: typeof store.read = (...args) =>
      isDown ? Promise.reject(new Error("The store is down.")) : store.read(...args);
    const gate = createGate({ policy, store: Object.assign(Object.create(store), { read }) });
    const session = await gate.open();
    await decideTimes(session, 3);
    isDown = true;
    await expect(timelineOf(gate, session, ALL)).rejects.toThrow("The store is down.");
    isDown = false;
    expect((await timelineOf(gate, session, ALL)).total).toBe(4);
  });

  it("is folded anew under a policy with other levels", async () => {
    const gate = createGate({ policy, store: createMemoryStore() });
    const session = await gate.open();
    await decideTimes(session, 1);
    const [, before] = (await timelineOf(gate, session, ALL)).events;
    expect(before?.after.level).toBe("internal");
    gate.usePolicy(tighten(policy, { deniedTools: ["post"] }));
    expect((await timelineOf(gate, session, ALL)).events[1]).toBe(before);
    gate.usePolicy(definePolicy({ levels: ["open", "closed"] }));
    expect((await timelineOf(gate, await session.refresh(), ALL)).events[1]?.after.level).toBe("*");
  });
});
