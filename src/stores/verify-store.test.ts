import { describe, expect, it } from "vitest";
import { appendNext, sealed } from "../../test/fixtures/sealed-events.ts";
import { verifyStore } from "../runtime/journal/verify-store.ts";
import type { Store } from "../runtime/ports/store.ts";
import { createMemoryStore } from "./memory.ts";
import { damaged, failed } from "./store-errors.ts";

const filled = async (sessions: number, entries: number): Promise<Store> => {
  const store = createMemoryStore();
  const names = Array.from({ length: sessions }, (_, n) => `s${n}`);
  await Promise.all(names.map((session) => store.append(session, 0, sealed(null, entries))));
  return store;
};

describe("verifyStore", () => {
  it("reads in pages of bounded size, however many sessions and entries there are", async () => {
    const store = await filled(1000, 2);
    await store.append("long", 0, sealed(null, 2000));
    const limits: number[] = [];
    const watched: Store = {
      ...store,
      read: (session, after, limit) => {
        limits.push(limit);
        return store.read(session, after, limit);
      },
      heads: (after, limit) => {
        limits.push(limit);
        return store.heads(after, limit);
      },
    };
    expect(await verifyStore(watched)).toEqual({ ok: true, sessions: 1001, entries: 4000, problems: [] });
    expect(Math.max(...limits)).toBeLessThanOrEqual(256);
  });

  it("finds nothing wrong with a session that grows while it is verified", async () => {
    const store = await filled(1, 10);
    let growths = 3;
    const growing: Store = {
      ...store,
      read: async (session, after, limit) => {
        if (growths > 0) {
          growths -= 1;
          await appendNext(store, session);
        }
        return store.read(session, after, Math.min(limit, 4));
      },
    };
    expect(await verifyStore(growing)).toEqual({ ok: true, sessions: 1, entries: 13, problems: [] });
  });

  it("reports what can't be read with its session and goes on with the next", async () => {
    const store = await filled(3, 2);
    const broken: Store = {
      ...store,
      read: async (session, after, limit) => {
        if (session === "s1") {
          throw damaged("Entry 2 can't be trusted.", "It was changed.", { session, seq: 2 });
        }
        return store.read(session, after, limit);
      },
    };
    expect(await verifyStore(broken)).toEqual({
      ok: false,
      sessions: 3,
      entries: 4,
      problems: [{ session: "s1", seq: 2, problem: "Entry 2 can't be trusted. It was changed." }],
    });
  });

  it("reports entries after a head, and a head that is another one", async () => {
    const store = await filled(1, 3);
    const head = (version: number, hash: string): Store => ({
      ...store,
      head: async (session) => ({ session, version, hash }),
      heads: async (after) => (after === null ? [{ session: "s0", version, hash }] : []),
    });
    const [, second] = await store.read("s0", 0, 3);
    const cut = await verifyStore(head(2, second?.hash ?? ""));
    expect(cut.problems).toEqual([
      { session: "s0", seq: 3, problem: expect.stringMatching(/stands after the head/) },
    ]);
    const other = await verifyStore(head(2, "0".repeat(64)));
    expect(other.problems).toEqual([
      { session: "s0", seq: 2, problem: expect.stringMatching(/head's hash/) },
    ]);
  });

  it("reports the engine's findings, and a list of sessions that goes in a circle", async () => {
    const store = await filled(2, 1);
    const broken: Store = {
      ...store,
      damage: async () => ["A page is broken."],
      heads: (_after, limit) => store.heads(null, limit),
    };
    const { ok, problems } = await verifyStore(broken);
    expect(ok).toBe(false);
    expect(problems.map(({ session, problem }) => [session, problem])).toEqual([
      [null, "A page is broken."],
      [null, "The list of sessions names one session twice."],
    ]);
  });

  it("throws where the store doesn't answer, instead of calling it damaged", async () => {
    const store = await filled(1, 1);
    const down: Store = {
      ...store,
      read: async () => {
        throw failed("The store could not read.", "It is down.", "Start it.");
      },
    };
    await expect(verifyStore(down)).rejects.toMatchObject({ code: "store-failed" });
  });
});
