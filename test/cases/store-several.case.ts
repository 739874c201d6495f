/** Appends over several sessions: made together or not at all. */
import { expect, it } from "vitest";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { appendNext, codeOf, readAll, sealed } from "../fixtures/sealed-events.ts";
import type { OpenStore } from "./store.case.ts";

export function describeStoreSeveral(open: OpenStore): void {
  it("appends to several sessions at once, and tells of it at once", async () => {
    const { store } = await open();
    await appendNext(store, "parent");
    const told: string[][] = [];
    store.watch((entries) => told.push(entries.map(({ session, entry }) => `${session}${entry.seq}`)));
    const entries = sealed(await store.head("parent"), 1);
    const keep = [{ key: "k", value: "v" }];
    const also = [{ session: "parent", expectedVersion: 1, entries }];
    expect(await store.append("fork", 0, sealed(null, 2), keep, { also })).toEqual({ status: "appended" });
    expect((await store.heads(null, 9)).map(({ session, version }) => [session, version])).toEqual([
      ["parent", 2],
      ["fork", 2],
    ]);
    expect(told).toEqual([["fork1", "fork2", "parent2"]]);
    expect((await store.feed(1, 9)).map(({ session, position }) => [session, position])).toEqual([
      ["fork", 2],
      ["fork", 3],
      ["parent", 4],
    ]);
    // One that writes nothing to its own session still checks its version.
    const next = [{ session: "parent", expectedVersion: 2, entries: sealed(await store.head("parent"), 1) }];
    expect(await store.append("fork", 1, [], [], { also: next })).toEqual({ status: "conflict" });
    expect(await store.append("fork", 2, [], [], { also: next })).toEqual({ status: "appended" });
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 2, entries: 5 });
  });

  it("changes nothing where one of several sessions conflicts or can't be appended to, and others of its turn go through", async () => {
    const { store } = await open();
    for (const session of ["a", "b", "c"]) await appendNext(store, session);
    const before = await store.heads(null, 9);
    const onto = async (session: string) => sealed(await store.head(session), 1);
    const [a, b, c, late] = [await onto("a"), await onto("b"), await onto("c"), sealed(null, 3).slice(2)];
    const keep = [{ key: "k", value: "v" }];
    const conflicts = [
      store.append("a", 1, a, keep, { also: [{ session: "b", expectedVersion: 2, entries: late }] }),
      store.append("a", 2, late, keep, { also: [{ session: "b", expectedVersion: 1, entries: b }] }),
      store.append("a", 1, a, keep, {
        also: [
          { session: "b", expectedVersion: 1, entries: b },
          { session: "nobody", expectedVersion: 2, entries: late },
        ],
      }),
    ];
    const refused = Promise.all(
      [
        store.append("a", 1, a, keep, { also: [{ session: "b", expectedVersion: 1, entries: late }] }),
        store.append("a", 1, a, keep, { also: [{ session: "a", expectedVersion: 1, entries: a }] }),
      ].map(codeOf),
    );
    const good = store.append("c", 1, c);
    expect((await Promise.all(conflicts)).map(({ status }) => status)).toEqual(
      conflicts.map(() => "conflict"),
    );
    expect(await refused).toEqual(["internal", "internal"]);
    expect(await good).toEqual({ status: "appended" });
    expect(await store.heads(null, 9)).toEqual([...before.slice(0, 2), await store.head("c")]);
    expect(await readAll(store, "a")).toHaveLength(1);
    expect(await store.keptWith("", 9)).toEqual([]);
    expect((await verifyStore(store)).ok).toBe(true);
  });
}
