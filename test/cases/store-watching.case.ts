/** Watching: each append of this handle, once, in order, after it is durable. */
import { once } from "node:events";
import { expect, it } from "vitest";
import type { FeedEntry } from "../../src/runtime/ports/store.ts";
import { appendNext, sealed } from "../fixtures/sealed-events.ts";
import type { OpenStore } from "./store.case.ts";

export function describeStoreWatching(open: OpenStore): void {
  it("tells watchers of each append, in order, with the positions of the feed, until they stop", async () => {
    const { store } = await open();
    const told: (readonly FeedEntry[])[] = [];
    const stop = store.watch((entries) => told.push(entries));
    const two = sealed(null, 2);
    await Promise.all([store.append("a", 0, two), store.append("a", 0, two)]);
    await Promise.all([
      store.append("b", 0, sealed(null, 1)),
      store.append("b", 1, [], [{ key: "k", value: "v" }]),
    ]);
    expect(told.map((entries) => entries.length)).toEqual([2, 1]);
    expect(told.flat()).toEqual(await store.feed(0, 10));
    stop();
    stop();
    await appendNext(store, "a");
    expect(told).toHaveLength(2);
  });

  it("tells of an append when it can be read already", async () => {
    const { store } = await open();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    store.watch(([first]) => resolve(store.read(first?.session ?? "", 0, 1)));
    const entry = await appendNext(store, "s");
    expect(await promise).toEqual([entry]);
  });

  it("tells every watcher in the same order where one of them appends, and where one throws", async () => {
    const { store } = await open();
    const seen: string[] = [];
    let appending: Promise<unknown> = Promise.resolve();
    store.watch(([first]) => {
      if (first?.session === "first") {
        appending = store.append("second", 0, sealed(null, 1));
      }
    });
    store.watch(() => {
      throw new Error("A watcher failed.");
    });
    store.watch(([first]) => seen.push(first?.session ?? ""));
    const warning = once(process, "warning");
    await appendNext(store, "first");
    await appending;
    expect(seen).toEqual(["first", "second"]);
    expect(await warning).toEqual([expect.objectContaining({ message: "A watcher failed." })]);
  });
}
