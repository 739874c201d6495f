import { describe, expect, it } from "vitest";
import { type Failure, failingStore, MODES } from "../../../test/fixtures/family-load.ts";
import { definePolicy } from "../../core/index.ts";
import { createMemoryStore } from "../../stores/memory.ts";
import { createGate, type JournalEntry, type Store } from "../index.ts";
import { archiveSessions, entriesOf } from "./archive-sessions.ts";
import { verifyStore } from "./verify-store.ts";

const POLICY = definePolicy({
  tools: {
    search_email: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
    pay: { permissions: ["write"], approval: "always" },
  },
});
const THEN = new Date("2026-01-01T00:00:00Z");
const NOW = new Date("2026-06-01T00:00:00Z");
const BEFORE = new Date("2026-03-01T00:00:00Z");

/** A gate on a store at a time; the clock stands still. */
const gateOn = (store: Store, at: Date) => createGate({ policy: POLICY, store, clock: { now: () => at } });

/** An old session that was used, with a fork, and a young one. */
async function createOld() {
  const store = createMemoryStore();
  const gate = gateOn(store, THEN);
  const used = await gate.open({ principal: "ada" });
  await used.call({ tool: "search_email" }, () => "mail");
  const fork = await used.fork();
  await fork.call({ tool: "web_search" }, () => "web");
  const young = await gateOn(store, NOW).open({ principal: "ada" });
  return { store, gate, used: used.id, fork: fork.id, young: young.id };
}

/** Archives into memory. */
async function archive(
  store: Store,
  saved: Map<string, readonly JournalEntry[]>,
  when: { readonly before: Date; readonly now: Date; readonly endedOnly?: boolean } = {
    before: BEFORE,
    now: NOW,
  },
) {
  return await archiveSessions({
    store,
    ...when,
    policy: { lattice: POLICY.lattice, version: "v1" },
    save: async (sessions) => {
      for (const { session } of sessions)
        saved.set(session, await Array.fromAsync(entriesOf(store, session)));
    },
  });
}

const remaining = async (store: Store, session: string): Promise<number> =>
  (await store.read(session, 0, 99)).length;

describe("archiving", () => {
  it("takes old sessions with their forks out of the store, and leaves what is young (X27)", async () => {
    const { store, used, fork, young } = await createOld();
    const whole = await store.read(used, 0, 99);
    const saved = new Map<string, readonly JournalEntry[]>();
    const { archived, inUse } = await archive(store, saved);
    expect(new Set(archived.map(({ session }) => session))).toEqual(new Set([used, fork]));
    expect(inUse).toBe(0);
    expect(saved.get(used)?.slice(0, -1)).toEqual(whole);
    expect(saved.get(used)?.at(-1)).toMatchObject({ kind: "session-closed", data: { reason: "archived" } });
    expect([await remaining(store, used), await remaining(store, fork)]).toEqual([1, 1]);
    expect(await remaining(store, young)).toBe(1);
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 3 });
    expect((await archive(store, saved)).archived).toEqual([]);
  });

  it("leaves a session that nobody can use again, with its principal and its label (X27)", async () => {
    const { store, gate, used } = await createOld();
    const held = await gate.session(used);
    await archive(store, new Map());
    for (const one of [held, await gateOn(store, NOW).session(used)]) {
      expect(await one?.call({ tool: "web_search" }, () => "web")).toMatchObject({ effect: "deny" });
      expect(one?.state).toMatchObject({ closed: true, principal: "ada", label: { level: "internal" } });
    }
    expect(await verifyStore(store)).toMatchObject({ ok: true });
  });

  it.each([
    "an open call",
    "an open call of a fork",
    "a principal that falls back to it",
    "a young fork",
  ])("leaves what is in use: %s (X27)", async (what) => {
    const store = createMemoryStore();
    const gate = gateOn(store, THEN);
    const session = await gate.sticky("ada");
    if (!what.startsWith("a principal")) await store.stick("ada", "another", session.id);
    if (what === "an open call") await session.decide([{ tool: "search_email" }]);
    if (what === "an open call of a fork") await (await session.fork()).decide([{ tool: "search_email" }]);
    if (what === "a young fork") await (await gateOn(store, NOW).session(session.id))?.fork();
    const before = await store.feed(0, 99);
    expect(await archive(store, new Map())).toMatchObject({ archived: [] });
    expect(await store.feed(0, 99)).toEqual(before);
  });

  it.each([
    true,
    false,
  ])("counts a session's age from its end, whatever is refused there later (X27)", async (endedOnly) => {
    const store = createMemoryStore();
    const gate = gateOn(store, THEN);
    const [ended, open] = [await gate.open(), await gate.open()];
    await gate.reset(ended.id);
    for (const { id } of [ended, open]) {
      const late = await gateOn(store, NOW).session(id);
      expect(await late?.call({ tool: "none" }, () => "x")).toMatchObject({ effect: "deny" });
    }
    expect((await store.read(ended.id, 0, 99)).at(-1)?.kind).toBe("call-refused");
    const { archived } = await archive(store, new Map(), { before: BEFORE, now: NOW, endedOnly });
    expect(archived.map(({ session }) => session)).toContain(ended.id);
    expect(archived.map(({ session }) => session)).not.toContain(open.id);
    expect(await verifyStore(store)).toMatchObject({ ok: true });
  });

  it("leaves a session in which a person is still asked (X27)", async () => {
    const store = createMemoryStore();
    await (await gateOn(store, THEN).open()).decide([{ tool: "pay" }]);
    const soon = new Date(THEN.getTime() + 1000);
    const report = await archive(store, new Map(), { before: soon, now: soon });
    expect(report).toMatchObject({ archived: [], inUse: 1 });
    expect((await archive(store, new Map())).archived).toHaveLength(1);
  });

  it("loses nothing wherever it is cut off, and the next archiving ends it (X27)", async () => {
    const run = async (failure: Failure) => {
      const { store, used, fork, young } = await createOld();
      const before = await store.feed(0, 99);
      const saved = new Map<string, readonly JournalEntry[]>();
      const { failing, counted } = failingStore(store, failure);
      await archive(failing, saved).catch(() => {});
      const kept = [...(await store.feed(0, 99)).map(({ entry }) => entry), ...[...saved.values()].flat()];
      for (const { entry } of before) expect(kept.map(({ hash }) => hash)).toContain(entry.hash);
      expect(await verifyStore(store)).toMatchObject({ ok: true });
      await archive(store, saved);
      expect([await remaining(store, used), await remaining(store, fork)]).toEqual([1, 1]);
      expect(await remaining(store, young)).toBe(1);
      for (const { entry } of before.filter(({ session }) => session !== young))
        expect([...saved.values()].flat().map(({ hash }) => hash)).toContain(entry.hash);
      return counted.operations;
    };
    const total = await run({ nth: Number.POSITIVE_INFINITY, mode: "before" });
    expect(total).toBeGreaterThan(10);
    for (let nth = 1; nth <= total; nth += 1) for (const mode of MODES) await run({ nth, mode });
  });
});
