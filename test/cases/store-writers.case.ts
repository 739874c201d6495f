/** Many writers of one session: whoever is late hears of it, and nothing is lost. */
import { expect, it } from "vitest";
import { sealEntries, verifyChain } from "../../src/runtime/journal/journal.ts";
import type { Store } from "../../src/runtime/ports/store.ts";
import { event, readAll } from "../fixtures/sealed-events.ts";
import { CASES } from "../properties/generators.ts";
import type { OpenStore, StoreLimits } from "./store.case.ts";

const WRITERS_PER_HANDLE = 4;

export function describeStoreWriters(
  open: OpenStore,
  { increments = CASES > 2_000 ? 10_000 : 400 }: StoreLimits,
): void {
  it(`loses none of ${increments} increments by writers of two handles on one session`, async () => {
    const { store, second } = await open();
    const other = (await second?.()) ?? store;
    const handles = Array.from({ length: WRITERS_PER_HANDLE }, () => [store, other]).flat();
    const each = increments / handles.length;
    const conflicts = await Promise.all(handles.map((handle, writer) => increment(handle, writer, each)));
    const entries = await readAll(store, "counter");
    expect(entries).toHaveLength(increments);
    expect(verifyChain(entries, await other.head("counter"))).toEqual({ ok: true });
    const written = new Set(entries.map(({ data }) => `${data.writer}:${data.n}`));
    expect(written.size).toBe(increments);
    // The case is worth nothing where nobody was in anybody's way.
    expect(conflicts.reduce((sum, count) => sum + count)).toBeGreaterThan(increments / 10);
    if (other !== store) {
      await other.close();
    }
  }, 120_000);
}

async function increment(store: Store, writer: number, count: number): Promise<number> {
  let conflicts = 0;
  for (let n = 0; n < count; ) {
    const head = await store.head("counter");
    const entries = sealEntries(head, [event({ writer, n })]);
    const { status } = await store.append("counter", head?.version ?? 0, entries);
    n += status === "appended" ? 1 : 0;
    conflicts += status === "conflict" ? 1 : 0;
  }
  return conflicts;
}
