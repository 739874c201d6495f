/** What is archived may be deleted, and the rest is whole. */
import { expect, it } from "vitest";
import { sealEntries } from "../../src/runtime/journal/journal.ts";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { appendNext, codeOf, event, readAll, sealed } from "../fixtures/sealed-events.ts";
import type { OpenStore } from "./store.case.ts";

const ARCHIVED = { ...event({ reason: "archived" }), kind: "session-closed" };

export function describeStorePruning(open: OpenStore): void {
  it("prunes an archived session: its head and the entry that closes it stay, and the store verifies (X27)", async () => {
    const { store, reopen } = await open();
    await appendNext(store, "other", {}, [{ key: "k", value: "kept" }]);
    await appendNext(store, "s", {}, [{ key: "k", value: "gone" }]);
    await appendNext(store, "s");
    const closing = sealEntries(await store.head("s"), [ARCHIVED]);
    await store.append("s", 2, closing);
    const head = await store.head("s");
    const other = await store.feed(0, 1);
    await store.prune("s", 3);
    await store.prune("s", 3);
    expect(await store.read("s", 0, 9)).toEqual(closing);
    expect(await store.read("s", 1, 9)).toEqual(closing);
    expect(await store.read("s", 3, 9)).toEqual([]);
    expect(await store.head("s")).toEqual(head);
    expect([await store.kept("s", "k"), await store.kept("other", "k")]).toEqual([null, "kept"]);
    expect(await store.feed(0, 9)).toEqual([...other, { position: 4, session: "s", entry: closing[0] }]);
    expect(await store.feed(2, 1)).toMatchObject([{ position: 4 }]);
    expect(await verifyStore(store)).toEqual({ ok: true, sessions: 2, entries: 2, problems: [] });
    // Nobody begins it anew, and it goes on only where it ended.
    expect(await store.append("s", 0, sealed(null, 1))).toEqual({ status: "conflict" });
    expect(await store.append("s", 0, closing).catch(() => "refused")).toBe("refused");
    await appendNext(store, "s");
    await appendNext(store, "other");
    const again = (await reopen?.()) ?? store;
    expect(await verifyStore(again)).toMatchObject({ ok: true, entries: 4 });
    expect(await readAll(again, "other")).toHaveLength(2);
  });

  it("prunes nothing of a session that wasn't archived (X27)", async () => {
    const { store } = await open();
    await store.append("s", 0, sealed(null, 3));
    expect(await codeOf(store.prune("s", 3))).toBe("internal");
    expect(await codeOf(store.prune("s", 9))).toBe("internal");
    expect(await codeOf(store.prune("nobody", 1))).toBe("internal");
    expect(await readAll(store, "s")).toHaveLength(3);
  });
}
