/** Calls that are open when their process ends: how they end in the journal, and who may say so. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import { createGate, type Gate, type Session, type Store } from "../index.ts";

const policy = definePolicy({
  tools: {
    read_mail: { permissions: ["read"], source: { level: "internal" } },
    pay: { permissions: ["write"], approval: "always" },
  },
});
const gone = new Set<string>();

function openGate(store: Store, id: string): Gate {
  return createGate({
    policy,
    store,
    runner: { id, isGone: (other) => gone.has(other) },
  });
}

/** The same store, which another gate closes no more. */
const shared = (store: Store): Store => ({ ...store, close: async () => {} });

/** Begins a call, and answers how to end it. */
async function begin(session: Session): Promise<() => Promise<unknown>> {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const outcome = session.call({ tool: "read_mail" }, () => {
    started.resolve();
    return ended.promise;
  });
  await started.promise;
  return () => {
    ended.resolve();
    return outcome;
  };
}

const outcomes = async (gate: Gate, id: string): Promise<readonly unknown[]> =>
  ((await (await gate.session(id))?.journal()) ?? [])
    .filter(({ kind }) => kind === "call-finished")
    .map(({ data }) => data.outcome);

describe("a call that is open when its process ends", () => {
  it("ends as unknown at the next start where its process was killed, and no other does (X15-sqlite)", async () => {
    const store = shared(createMemoryStore());
    const [killed, alive] = [openGate(store, "aaaa"), openGate(store, "bbbb")];
    const session = await killed.open();
    await begin(session);
    const same = await alive.session(session.id);
    if (same === null) throw new Error("no session");
    const end = await begin(same);
    // The agent runs this one by itself, and may still report it.
    await session.decide([{ tool: "read_mail" }]);
    const next = openGate(store, "cccc");
    await next.calls.endThoseOfGone();
    expect(await outcomes(next, session.id)).toEqual([]);
    gone.add("aaaa");
    await next.calls.endThoseOfGone();
    expect(await outcomes(next, session.id)).toEqual(["unknown"]);
    await end();
    await same.flush();
    expect(await outcomes(next, session.id)).toEqual(["unknown", "ok"]);
    expect((await next.session(session.id))?.state.running.size).toBe(1);
    expect(await store.keptWith("open-calls:", 9)).toEqual([]);
  });

  it("ends as unknown where its process stops before it does", async () => {
    const store = shared(createMemoryStore());
    const gate = openGate(store, "dddd");
    const session = await gate.open();
    await begin(session);
    await gate.close();
    const next = openGate(store, "eeee");
    expect(await outcomes(next, session.id)).toEqual(["unknown"]);
    expect(await store.keptWith("open-calls:", 9)).toEqual([]);
  });

  it("is waited for, while no other begins and none is held for a person", async () => {
    const gate = openGate(createMemoryStore(), "ffff");
    const session = await gate.open();
    const end = await begin(session);
    const held = session.call({ tool: "pay" }, () => null, { waitSeconds: 600 });
    await new Promise<void>((resolve) => {
      const stop = gate.watch((entries) => {
        if (entries.every(({ entry }) => entry.kind !== "approval-requested")) return;
        stop();
        resolve();
      });
    });
    let isDrained = false;
    const drained = gate.calls.drain(60_000).then(() => {
      isDrained = true;
    });
    expect((await held).effect).toBe("ask");
    await expect(session.call({ tool: "read_mail" }, () => null)).rejects.toMatchObject({
      code: "not-ready",
    });
    expect(isDrained).toBe(false);
    expect(await end()).toMatchObject({ effect: "allow" });
    await drained;
    await session.flush();
    expect(await outcomes(gate, session.id)).toEqual(["ok"]);
  });

  it("is waited for no longer than the limit", async () => {
    const gate = openGate(createMemoryStore(), "abab");
    await begin(await gate.open());
    await gate.calls.drain(1);
    expect(gate.calls.isDraining).toBe(true);
  });
});
