/** A SQLite store on a disk that fills up: nothing is taken for written, and it goes on when there is room. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { appendNext, codeOf, readAll, sealed } from "../fixtures/sealed-events.ts";

/** A folder on a disk of 1 MiB, or the reason why there is none. */
function mountSmallDisk(): { readonly folder: string } | { readonly reason: string } {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return { reason: "a small disk can be mounted by root on Linux alone" };
  }
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    rmdirSync(folder);
    return {
      reason: `mounting a small disk failed: ${error instanceof Error ? error.message.trim() : error}`,
    };
  }
  afterAll(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmdirSync(folder);
  });
  return { folder };
}

/** Writes zeros until nothing more fits. */
function fillDisk(folder: string): string {
  const filler = join(folder, "filler");
  const descriptor = openSync(filler, "w");
  try {
    for (const block of [Buffer.alloc(4096), Buffer.alloc(1)]) {
      writeUntilFull(descriptor, block);
    }
  } finally {
    closeSync(descriptor);
  }
  return filler;
}

function writeUntilFull(descriptor: number, block: Buffer): void {
  try {
    while (writeSync(descriptor, block) === block.length) {
      // There was room for it.
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) {
      throw error;
    }
  }
}

const disk = mountSmallDisk();
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
