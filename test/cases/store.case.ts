/** What every store must do, run by each on its real engine. */
import { afterEach, describe, expect, it } from "vitest";
import { sealEntries } from "../../src/runtime/journal/journal.ts";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import type { Store } from "../../src/runtime/ports/store.ts";
import { appendNext, codeOf, event, readAll, sealed } from "../fixtures/sealed-events.ts";
import { describeStoreClosing } from "./store-closing.case.ts";
import { describeStoreKept } from "./store-kept.case.ts";
import { describeStorePruning } from "./store-pruning.case.ts";
import { describeStoreSeveral } from "./store-several.case.ts";
import { describeStoreText } from "./store-text.case.ts";
import { describeStoreWatching } from "./store-watching.case.ts";
import { describeStoreWriters } from "./store-writers.case.ts";

/** A store that a case may use, and what else its engine can do. */
export interface OpenedStore {
  readonly store: Store;
  /** Opens another handle on the same content. */
  second?(): Promise<Store>;
  /** Opens the same content again, after the store was closed. */
  reopen?(): Promise<Store>;
}

/** Opens an empty store; the suite closes it. */
export type OpenStore = () => Promise<OpenedStore>;

/** What differs between engines. */
export interface StoreLimits {
  /** Bytes of UTF-8 that the name of a session, a key or a principal may have. No limit if left out. */
  readonly nameBytes?: number;
  /** How often the writers of one session count it up. 400 if left out, in `npm run test:all` 10,000. */
  readonly increments?: number;
}

/** Describes what a store must do. `open` opens an empty one. */
export function describeStore(name: string, open: OpenStore, limits: StoreLimits = {}): void {
  describe(`${name} keeps the promises of a store`, () => {
    const opened: Store[] = [];
    const openAndClose: OpenStore = async () => {
      const inside = await open();
      opened.push(inside.store);
      return inside;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((store) => store.close()));
    });
    describeAppends(openAndClose);
    describeRefusals(openAndClose);
    describeJournals(openAndClose);
    describeStoreKept(openAndClose);
    describeStoreWatching(openAndClose);
    describeStoreText(openAndClose, limits);
    describeStoreSeveral(openAndClose);
    describeStoreWriters(openAndClose, limits);
    describeStorePruning(openAndClose);
    describeStoreClosing(openAndClose);
  });
}

function describeAppends(open: OpenStore): void {
  it("gives back what was appended, with its head", async () => {
    const { store } = await open();
    const entries = sealEntries(null, [event({ a: [1, { b: null }] }), event({ "": "ü", c: -0.5 })]);
    expect(await store.append("s", 0, entries)).toEqual({ status: "appended" });
    expect(await store.read("s", 0, 10)).toEqual(entries);
    expect(await store.head("s")).toEqual({ session: "s", version: 2, hash: entries[1]?.hash });
  });

  it("answers conflict and changes nothing where the version is another one", async () => {
    const { store } = await open();
    const entries = sealed(null, 4);
    const keep = [{ key: "k", value: "v" }];
    await store.append("s", 0, entries.slice(0, 2));
    expect(await store.append("s", 0, entries, keep)).toEqual({ status: "conflict" });
    expect(await store.append("s", 1, entries.slice(1), keep)).toEqual({ status: "conflict" });
    expect(await store.append("s", 3, entries.slice(3), keep)).toEqual({ status: "conflict" });
    expect(await store.append("other", 2, entries.slice(2), keep)).toEqual({ status: "conflict" });
    expect(await readAll(store, "s")).toEqual(entries.slice(0, 2));
    expect(await store.head("other")).toBeNull();
    expect(await store.keptWith("", 10)).toEqual([]);
  });

  it("answers conflict to entries that are linked to another hash at the same version", async () => {
    const { store } = await open();
    await appendNext(store, "s", { one: 1 });
    const elsewhere = sealEntries(null, [event({ another: 1 }), event()]);
    expect(await store.append("s", 1, elsewhere.slice(1))).toEqual({ status: "conflict" });
  });

  it("appends in the order of the calls, also within one turn, and the first of two for one version", async () => {
    const { store } = await open();
    const [first, second, third] = sealed(null, 3).map((entry) => [entry]);
    const results = await Promise.all([
      store.append("s", 0, first ?? []),
      store.append("s", 1, second ?? []),
      store.append("s", 1, second ?? []),
      store.append("s", 2, third ?? []),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["appended", "appended", "conflict", "appended"]);
    expect(await readAll(store, "s")).toHaveLength(3);
  });

  it("checks the version of an append without entries, which only keeps values", async () => {
    const { store } = await open();
    await appendNext(store, "s");
    const keep = [{ key: "k", value: "v" }];
    expect(await store.append("s", 2, [], keep)).toEqual({ status: "conflict" });
    expect(await store.kept("s", "k")).toBeNull();
    expect(await store.append("s", 1, [], keep)).toEqual({ status: "appended" });
    expect(await store.kept("s", "k")).toBe("v");
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 1, entries: 1 });
  });

  it("doesn't change what was appended when the caller's objects change", async () => {
    const { store } = await open();
    const data = { list: [1] };
    const appending = store.append("s", 0, sealEntries(null, [event(data)]));
    data.list.push(2);
    await appending;
    expect((await store.read("s", 0, 1))[0]?.data).toEqual({ list: [1] });
  });
}

function describeRefusals(open: OpenStore): void {
  it("refuses an append that would not verify, alone, while the others of its turn go through", async () => {
    const { store } = await open();
    const [one, two, three] = sealed(null, 3);
    if (one === undefined || two === undefined || three === undefined) {
      throw new Error("Three entries were sealed.");
    }
    const bad = [
      store.append("gap", 0, [two]),
      store.append("hole", 0, [one, three]),
      store.append("changed", 0, [{ ...one, data: { n: 9 } }]),
      store.append("hash", 0, [{ ...one, hash: two.hash }]),
      store.append("count", -1, [one]),
      store.append("nobody", 0, [], [{ key: "k", value: "v" }]),
    ];
    const good = store.append("good", 0, [one, two, three]);
    expect(await Promise.all(bad.map(codeOf))).toEqual(bad.map(() => "internal"));
    expect(await good).toEqual({ status: "appended" });
    expect((await store.heads(null, 10)).map(({ session }) => session)).toEqual(["good"]);
    expect((await verifyStore(store)).ok).toBe(true);
  });

  it("refuses as a limit or a position what is no count", async () => {
    const { store } = await open();
    const asked = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY].flatMap((count) => [
      store.read("s", 0, count),
      store.read("s", count, 1),
      store.heads(null, count),
      store.keptWith("", count),
      store.feed(count, 1),
      store.feed(0, count),
    ]);
    expect(await Promise.all(asked.map(codeOf))).toEqual(asked.map(() => "internal"));
  });
}

function describeJournals(open: OpenStore): void {
  it("reads a journal and the feed in pages, and nothing of what isn't there", async () => {
    const { store } = await open();
    const entries = sealed(null, 5);
    await store.append("a", 0, entries);
    await store.append("b", 0, entries.slice(0, 2));
    const numbers = async (after: number, limit: number) =>
      (await store.read("a", after, limit)).map((e) => e.seq);
    expect(await numbers(0, 2)).toEqual([1, 2]);
    expect(await numbers(2, 9)).toEqual([3, 4, 5]);
    expect(await numbers(5, 9)).toEqual([]);
    expect(await numbers(0, 0)).toEqual([]);
    expect(await store.read("nobody", 0, 9)).toEqual([]);
    expect(await store.head("nobody")).toBeNull();
    const feed = await store.feed(0, 100);
    expect(feed.map(({ session, entry }) => `${session}${entry.seq}`)).toEqual([
      ...["a1", "a2", "a3", "a4", "a5"],
      ...["b1", "b2"],
    ]);
    expect(await store.feed(feed[2]?.position ?? 0, 3)).toEqual(feed.slice(3, 6));
    expect(feed.every(({ position }, index) => position > (feed[index - 1]?.position ?? 0))).toBe(true);
  });

  it("says when its newest entry was written, of whichever session", async () => {
    const { store } = await open();
    expect(await store.newest()).toBeNull();
    for (const [session, at] of [
      ["a", "2026-11-21T12:00:00.000Z"],
      ["b", "2026-11-21T11:00:00.000Z"],
    ] as const) {
      await store.append(session, 0, sealEntries(null, [{ ...event(), at }]));
      expect(await store.newest()).toBe(at);
    }
  });

  it("lists heads in the order in which their sessions were opened", async () => {
    const { store } = await open();
    for (const session of ["z", "a", "m", "a", "z"]) {
      await appendNext(store, session);
    }
    const heads = await store.heads(null, 10);
    expect(heads.map(({ session, version }) => `${session}${version}`)).toEqual(["z2", "a2", "m1"]);
    expect(await store.heads(null, 2)).toEqual(heads.slice(0, 2));
    expect(await store.heads("z", 1)).toEqual(heads.slice(1, 2));
    expect(await store.heads("m", 9)).toEqual([]);
    expect(await store.heads("nobody", 9)).toEqual([]);
  });
}
