/** A SQLite store on a disk that fills up: nothing is taken for written, and it goes on when there is room. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { appendNext, codeOf, readAll, sealed } from "../fixtures/sealed-events.ts";
import { fillDisk, mountSmallDisk } from "../fixtures/small-disk.ts";

const disk = mountSmallDisk("1m");
const folder = "folder" in disk ? disk.folder : "";
const skipped = "reason" in disk ? ` (skipped here: ${disk.reason})` : "";

describe.skipIf(skipped !== "")(`A SQLite store on a full disk${skipped}`, () => {
  it("fails every write of a turn, keeps what it had, and writes again when there is room", async () => {
    const store = openSqliteStore(join(folder, "store.sqlite"));
    const before = [await appendNext(store, "a"), await appendNext(store, "a")];
    const filler = fillDisk(folder);
    for (let turn = 0; turn < 3; turn += 1) {
      const appends = ["b", "c"].map((session) => store.append(session, 0, sealed(null, 20)));
      expect(await Promise.allSettled(appends)).toMatchObject(
        appends.map(() => ({
          status: "rejected",
          reason: { code: "store-failed", cause: expect.any(Error) },
        })),
      );
      expect(await readAll(store, "a")).toEqual(before);
      expect(await store.head("b")).toBeNull();
    }
    rmSync(filler);
    await appendNext(store, "b");
    expect(await verifyStore(store)).toEqual({ ok: true, sessions: 2, entries: 3, problems: [] });
    await store.close();
  });

  it("fails one turn that is too large for the disk, and writes the next", async () => {
    const store = openSqliteStore(join(folder, "large.sqlite"));
    const large = [{ key: "k", value: "x".repeat(2_000_000) }];
    expect(await codeOf(store.append("s", 0, sealed(null, 1), large))).toBe("store-failed");
    const entry = await appendNext(store, "s");
    expect(await readAll(store, "s")).toEqual([entry]);
    expect((await verifyStore(store)).ok).toBe(true);
    await store.close();
  });

  it("isn't begun where there is no room for it, and is when there is", async () => {
    const filler = fillDisk(folder);
    const file = join(folder, "new.sqlite");
    expect(() => openSqliteStore(file)).toThrow(expect.objectContaining({ code: "store-failed" }));
    rmSync(filler);
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    await store.close();
  });
});
