import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { appendNext, codeOf, sealed } from "../../test/fixtures/sealed-events.ts";
import { temporaryFolder } from "../../test/fixtures/temporary-folder.ts";
import { verifyStore } from "../session/verify-store.ts";
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
        message: "The store's file was deleted or replaced while it was open.",
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
  ])("soon takes nothing for written any more when it was %s (X15-sqlite, law-9)", async (_title, lose) => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    lose(`${file}-wal`);
    await expect
      .poll(() => codeOf(appendNext(store, "s")), { timeout: 5000, interval: 50 })
      .toBe("store-failed");
    expect(await codeOf(appendNext(store, "s"))).toBe("store-failed");
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
