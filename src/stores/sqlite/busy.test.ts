import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { isBusy, retryWhileBusy } from "./busy.ts";

const { path } = temporaryFolder();

/** A database that readers are kept out of, as recovery and other programs' settings can do it. */
function lockedDatabase() {
  const file = path();
  const holder = new DatabaseSync(file);
  holder.exec("CREATE TABLE t (x)");
  const reader = new DatabaseSync(file, { timeout: 0 });
  holder.exec("BEGIN EXCLUSIVE");
  return { holder, read: () => reader.prepare("SELECT count(*) AS rows FROM t").get() };
}

describe("Work that meets another program's lock", () => {
  it("is done once the lock is gone, and other work goes on meanwhile", async () => {
    const { holder, read } = lockedDatabase();
    const reading = retryWhileBusy(5000, read);
    setTimeout(() => holder.exec("ROLLBACK"), 100);
    expect(await reading).toEqual({ rows: 0 });
  });

  it("fails as SQLite says where the lock outlasts all patience", async () => {
    const { read } = lockedDatabase();
    const failure = await retryWhileBusy(60, read).catch((error: unknown) => error);
    expect(isBusy(failure)).toBe(true);
  });

  it("is not done again where anything else went wrong", async () => {
    let runs = 0;
    const failing = retryWhileBusy(5000, () => {
      runs += 1;
      throw new Error("broken");
    });
    await expect(failing).rejects.toThrow("broken");
    expect(runs).toBe(1);
  });
});
