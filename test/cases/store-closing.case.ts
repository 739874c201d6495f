/** Closing: what waits is written, and then nothing is done any more. */
import { expect, it } from "vitest";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { appendNext, codeOf, sealed } from "../fixtures/sealed-events.ts";
import type { OpenStore } from "./store.case.ts";

export function describeStoreClosing(open: OpenStore): void {
  it("writes what waits when it is closed, and has it when it is opened again", async () => {
    const { store, reopen } = await open();
    const appends = [store.append("a", 0, sealed(null, 2)), store.append("b", 0, sealed(null, 1))];
    const sticking = store.stick("p", "a", null);
    await store.close();
    expect(await Promise.all(appends)).toEqual([{ status: "appended" }, { status: "appended" }]);
    expect(await sticking).toBe(true);
    const again = await reopen?.();
    if (again !== undefined) {
      expect(await verifyStore(again)).toEqual({ ok: true, sessions: 2, entries: 3, problems: [] });
      expect(await again.sticky("p")).toBe("a");
      await appendNext(again, "a");
      await again.close();
    }
  });

  it("refuses everything with store-failed once it is closed, but may be closed again", async () => {
    const { store } = await open();
    await store.close();
    await store.close();
    const asked = [
      store.append("s", 0, sealed(null, 1)),
      store.read("s", 0, 1),
      store.head("s"),
      store.heads(null, 1),
      store.kept("s", "k"),
      store.keptWith("k", 1),
      store.sticky("p"),
      store.stick("p", "s", null),
      store.feed(0, 1),
      store.damage(),
      verifyStore(store),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(asked.map(() => "store-failed"));
    expect(() => store.watch(() => {})).toThrow("The store is closed.");
  });
}
