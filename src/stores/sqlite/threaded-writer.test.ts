import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { openSqliteStore } from "./sqlite.ts";
import { startWriterThread } from "./threaded-writer.ts";

const { path } = temporaryFolder();
afterEach(() => vi.useRealTimers());

it("answers a write that takes longer than ten seconds as one that may have happened, and makes later ones (X15-sqlite)", async () => {
  const file = path();
  await openSqliteStore(file).close();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const writer = startWriterThread({ file, patienceMs: 600_000 });
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const late = writer?.stick("ada", "session", null);
  await nextTurn();
  vi.advanceTimersByTime(9000);
  expect(await Promise.race([late, nextTurn("waits")])).toBe("waits");
  vi.advanceTimersByTime(2000);
  await expect(late).rejects.toMatchObject({
    code: "store-failed",
    message: "The store could not write in time.",
    why: expect.stringContaining("may still be written"),
  });
  other.exec("ROLLBACK");
  expect(await writer?.stick("ben", "session", null)).toBe(true);
  await writer?.close();
  expect(other.prepare("SELECT count(*) AS count FROM sticky").get()).toEqual({ count: 2 });
  other.close();
});
