/** What is kept beside the journals: values of a session, and the session that a principal falls back to. */
import { expect, it } from "vitest";
import { systemClock, verifyStore } from "../../src/runtime/index.ts";
import { SealedValues } from "../../src/runtime/internal.ts";
import { appendNext } from "../fixtures/sealed-events.ts";
import type { OpenStore } from "./store.case.ts";

export function describeStoreKept(open: OpenStore): void {
  describeKept(open);
  describeSealed(open);
  describeSticky(open);
}

function describeKept(open: OpenStore): void {
  it("keeps, replaces and deletes values beside a session's journal", async () => {
    const { store } = await open();
    await appendNext(store, "s", {}, [
      { key: "gone", value: "1" },
      { key: "task", value: "old" },
      { key: "gone", value: null },
    ]);
    await appendNext(store, "s", {}, [{ key: "task", value: "new" }]);
    await appendNext(store, "s", {}, [{ key: "never", value: null }]);
    expect(await store.kept("s", "task")).toBe("new");
    expect(await store.kept("s", "gone")).toBeNull();
    expect(await store.kept("other", "task")).toBeNull();
    expect(await store.kept("st", "ask")).toBeNull();
  });

  it("finds kept values of all sessions by how their keys begin, oldest first, a replaced one in its place", async () => {
    const { store } = await open();
    await appendNext(store, "b", {}, [{ key: "ask/1", value: "old" }]);
    await appendNext(store, "a", {}, [
      { key: "ask/2", value: "2" },
      { key: "as", value: "no" },
      { key: "asl", value: "no" },
      { key: "ask/\u{10ffff}\u{10ffff}", value: "4" },
    ]);
    await appendNext(store, "b", {}, [{ key: "ask/1", value: "1" }]);
    const found = await store.keptWith("ask/", 9);
    expect(found.map(({ session, value }) => session + value)).toEqual(["b1", "a2", "a4"]);
    expect(await store.keptWith("ask/", 2)).toEqual(found.slice(0, 2));
    expect(await store.keptWith("ask/", 2, found[0]?.position)).toEqual(found.slice(1));
    expect(await store.keptWith("ask/", 2, found[2]?.position)).toEqual([]);
    expect(await store.keptWith("", 9)).toHaveLength(5);
    expect(await store.keptWith("a%", 9)).toEqual([]);
    expect(await store.keptWith("A", 9)).toEqual([]);
  });
}

function describeSealed(open: OpenStore): void {
  it("keeps secrets that another gateway on it reads, and nobody without their key (X21)", async () => {
    const { store, second } = await open();
    const other = (await second?.()) ?? store;
    const [key, policyVersion] = [new Uint8Array(32).fill(3), () => "v1"];
    const valuesOf = (on: typeof store) =>
      new SealedValues({ store: on, clock: systemClock, key, policyVersion });
    await valuesOf(store).write([{ name: "token", value: "at_secret" }]);
    await valuesOf(other).write([{ name: "token 2", value: "rt_secret" }], { kind: "signed-in", data: {} });
    expect([await valuesOf(other).read("token"), await valuesOf(store).read("token 2")]).toEqual([
      "at_secret",
      "rt_secret",
    ]);
    expect(JSON.stringify(await store.keptWith("", 9))).not.toContain("_secret");
    expect(await verifyStore(store)).toMatchObject({ ok: true });
  });
}

function describeSticky(open: OpenStore): void {
  it("moves a principal's fallback only from the session that it is", async () => {
    const { store } = await open();
    expect(await store.sticky("p")).toBeNull();
    expect(await store.stick("p", "a", "x")).toBe(false);
    expect(await store.stick("p", "a", null)).toBe(true);
    expect(await store.stick("p", "b", null)).toBe(false);
    expect(await store.sticky("p")).toBe("a");
    expect(await store.stick("p", "b", "a")).toBe(true);
    expect(await store.sticky("p")).toBe("b");
    expect(await store.sticky("q")).toBeNull();
  });

  it("lets one of many win who set a fallback at once", async () => {
    const { store } = await open();
    const won = await Promise.all(Array.from({ length: 20 }, (_, n) => store.stick("p", `s${n}`, null)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await store.sticky("p")).toBe(`s${won.indexOf(true)}`);
  });
}
