import { once } from "node:events";
import { copyFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { appendNext, codeOf, readAll, sealed } from "../../../test/fixtures/sealed-events.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { verifyStore } from "../../runtime/journal/verify-store.ts";
import { openSqliteStore } from "./sqlite.ts";

const { path } = temporaryFolder();

describe("A store whose file is lost while it is open", () => {
  it.each<[string, (file: string) => void]>([
    ["deleted", (file) => rmSync(file)],
    ["moved away", (file) => renameSync(file, path())],
    [
      "replaced by a copy of itself",
      (file) => {
        copyFileSync(file, `${file}-copy`);
        renameSync(`${file}-copy`, file);
      },
    ],
  ])("takes nothing for written any more when it was %s (X15-sqlite, law-9)", async (_title, lose) => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    lose(file);
    const told: unknown[] = [];
    store.watch((entries) => told.push(entries));
    for (const write of [store.append("t", 0, sealed(null, 1)), store.stick("p", "s", null)]) {
      await expect(write).rejects.toMatchObject({
        code: "store-failed",
        message: "The store's file was deleted, replaced or cut while it was open.",
        fix: expect.stringContaining("put the file back"),
      });
    }
    expect(told).toEqual([]);
    await store.close();
  });

  it.each<[string, (log: string) => void]>([
    ["left without its log", (log) => rmSync(log)],
    [
      "given another log",
      (log) => {
        rmSync(log);
        writeFileSync(log, "");
      },
    ],
    ["left with an emptied log", (log) => truncateSync(log)],
    ["left with half of its log", (log) => truncateSync(log, statSync(log).size / 2)],
  ])("takes nothing for written any more when it was %s (X15-sqlite, law-9)", async (_title, lose) => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    lose(`${file}-wal`);
    for (let write = 0; write < 2; write += 1)
      expect(await codeOf(appendNext(store, "s"))).toBe("store-failed");
    await store.close();
  });

  it("saves what a deleted log holds, so that a kill loses nothing (X15-sqlite, law-8)", async () => {
    const [file, copy] = [path(), path()];
    const store = openSqliteStore(file);
    const acknowledged = [await appendNext(store, "s"), await appendNext(store, "s")];
    rmSync(`${file}-wal`);
    expect(await codeOf(appendNext(store, "s"))).toBe("store-failed");
    // As a kill leaves it.
    for (const end of ["", "-mark"]) copyFileSync(file + end, copy + end);
    const found = openSqliteStore(copy);
    expect(await readAll(found, "s")).toEqual(acknowledged);
    await Promise.all([store.close(), found.close()]);
  });

  it("isn't taken for lost where another program begins its log anew", async () => {
    const file = path();
    const store = openSqliteStore(file);
    const other = new DatabaseSync(file);
    for (let round = 0; round < 3; round += 1) {
      await appendNext(store, "s", { text: "x".repeat(50_000) });
      other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      expect(statSync(`${file}-wal`).size).toBe(0);
      await appendNext(store, "s");
    }
    expect(await readAll(store, "s")).toHaveLength(6);
    other.close();
    await store.close();
  });

  it("says that its log grows while another program reads, and cuts it afterwards", async () => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM events");
    const warned = once(process, "warning");
    const value = "x".repeat(8 * 1024 * 1024);
    for (let number = 0; number < 9; number += 1)
      await appendNext(store, "s", {}, [{ key: `k${number}`, value }]);
    const [{ message }] = await warned;
    expect(message).toContain("another program keeps a transaction open on the store");
    reader.close();
    for (let number = 0; number < 3; number += 1) await appendNext(store, "s");
    expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(await readAll(store, "s")).toHaveLength(13);
    await store.close();
  });

  it("goes on once the very file is back", async () => {
    const [file, away] = [path(), path()];
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    renameSync(file, away);
    await expect(store.append("t", 0, sealed(null, 1))).rejects.toMatchObject({ code: "store-failed" });
    renameSync(away, file);
    await appendNext(store, "s");
    expect((await verifyStore(store)).ok).toBe(true);
    await store.close();
  });
});
