import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { appendNext } from "../../../test/fixtures/sealed-events.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { openSqliteStore } from "./sqlite.ts";

const { folder, path } = temporaryFolder();

describe("The file of a SQLite store", () => {
  it("is for its owner alone, with its log, and nothing else is left beside it", async () => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    const ours = readdirSync(folder).filter((name) => name.startsWith(basename(file)));
    expect(ours.sort()).toEqual(["", "-mark", "-shm", "-wal"].map((end) => basename(file) + end));
    expect(ours.map((name) => statSync(`${folder}/${name}`).mode & 0o777)).toEqual(ours.map(() => 0o600));
    await store.close();
  });

  it("is a file of that name and no URI", async () => {
    const file = path("store?mode=memory");
    const store = openSqliteStore(`file:/../${relative(process.cwd(), file)}`);
    await store.close();
    expect(existsSync(file)).toBe(true);
  });

  it("is guarded and marked where it really lies, whatever link it is opened by", async () => {
    const [file, link, older] = [path(), path("link"), path("older")];
    await openSqliteStore(file).close();
    copyFileSync(file, older);
    symlinkSync(file, link);
    const store = openSqliteStore(link);
    await appendNext(store, "s");
    await store.close();
    expect(existsSync(`${link}-mark`)).toBe(false);
    copyFileSync(older, file);
    for (const name of [file, link])
      expect(() => openSqliteStore(name)).toThrow(expect.objectContaining({ code: "store-damaged" }));
  });

  it("leaves nothing of a deleted value in it", async () => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s", {}, [{ key: "k", value: `secret-${"x".repeat(20_000)}-secret` }]);
    await appendNext(store, "s", {}, [{ key: "k", value: null }]);
    await store.close();
    expect(readFileSync(file).includes("secret")).toBe(false);
  });

  it("must exist where it is told to, and isn't made then", () => {
    const file = path();
    expect(() => openSqliteStore(file, { mustExist: true })).toThrow(
      expect.objectContaining({ code: "store-damaged", message: "The store's file is missing." }),
    );
    expect(existsSync(file)).toBe(false);
  });

  it("isn't made anew where its log is left over", () => {
    const file = path();
    writeFileSync(`${file}-wal`, "log");
    expect(() => openSqliteStore(file)).toThrow(expect.objectContaining({ code: "store-damaged" }));
    expect(existsSync(file)).toBe(false);
  });

  it("is refused where it was emptied, and its log is left as it is", async () => {
    const [file, copy] = [path(), path()];
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    writeFileSync(copy, "");
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    await store.close();
    const log = readFileSync(`${copy}-wal`);
    expect(() => openSqliteStore(copy)).toThrow(
      expect.objectContaining({ code: "store-damaged", message: "The store's file is empty." }),
    );
    expect(readFileSync(`${copy}-wal`).equals(log)).toBe(true);
  });

  it("is refused where it was written by a later version, with a way out", async () => {
    const file = path();
    await openSqliteStore(file).close();
    const other = new DatabaseSync(file);
    other.exec("PRAGMA user_version = 99");
    other.close();
    expect(() => openSqliteStore(file)).toThrow(
      expect.objectContaining({
        code: "store-failed",
        message: "The store was written by a later version of Sluicegate.",
        why: expect.stringContaining("99"),
      }),
    );
  });

  it("can't be a folder, or in one that isn't there", () => {
    for (const file of [dirname(path()), `${path()}/nowhere/store.sqlite`, "a\0b"]) {
      expect(() => openSqliteStore(file)).toThrow(expect.objectContaining({ code: "store-failed" }));
    }
  });
});
