import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { describeStore } from "../../../test/cases/store.case.ts";
import { appendNext, codeOf, sealed } from "../../../test/fixtures/sealed-events.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { countCommits } from "../../../test/fixtures/wal-commits.ts";
import { verifyStore } from "../../runtime/journal/verify-store.ts";
import { openSqliteStore } from "./sqlite.ts";
import { startWriterThread } from "./threaded-writer.ts";

const { path } = temporaryFolder();

describeStore("The SQLite store", async () => {
  const file = path();
  return {
    store: openSqliteStore(file),
    second: async () => openSqliteStore(file, { mustExist: true }),
    reopen: async () => openSqliteStore(file, { mustExist: true }),
  };
});

describeStore("The SQLite store that is written by a thread", async () => {
  const file = path();
  const open = (mustExist: boolean) => openSqliteStore(file, { mustExist, thread: true });
  return { store: open(false), second: async () => open(true), reopen: async () => open(true) };
});

describeStore("The SQLite store in memory", async () => ({ store: openSqliteStore(":memory:") }));

it("fails what waits once the thread that writes a SQLite store has ended (law-9)", async () => {
  const file = path();
  await openSqliteStore(file).close();
  const writer = startWriterThread({ file: `${file}-gone`, patienceMs: 100 });
  const stuck = writer?.stick("p", "s", null);
  await expect(stuck).rejects.toMatchObject({ code: "store-failed", why: expect.stringContaining("ended") });
  await expect(writer?.prune("s", 1)).rejects.toMatchObject({ code: "store-failed" });
});

describe("Group commit in the SQLite store", () => {
  it("writes all that comes in one turn in one transaction, and what comes in several turns in several", async () => {
    const file = path();
    const store = openSqliteStore(file);
    const none = countCommits(file);
    // Some come from promises and ticks of the same turn, after the first was asked for.
    const appends = Array.from({ length: 32 }, async (_, n) => {
      for (let tick = 0; tick < n % 8; tick += 1) {
        await new Promise<void>((resolve) => process.nextTick(resolve));
      }
      return store.append(`s${n}`, 0, sealed(null, 2));
    });
    await Promise.all([...appends, store.stick("p", "s0", null), store.append("s0", 9, [])]);
    expect(countCommits(file) - none).toBe(1);
    for (let n = 0; n < 5; n += 1) {
      await appendNext(store, "s0");
    }
    expect(countCommits(file) - none).toBe(6);
    await store.close();
  });

  it("takes nothing of a turn for written while another process holds the file, and goes on afterwards", async () => {
    const file = path();
    const store = openSqliteStore(file, { busyTimeoutMs: 0 });
    const entry = await appendNext(store, "a");
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    const told: unknown[] = [];
    store.watch((entries) => told.push(entries));
    const appends = ["b", "c"].map((session) => store.append(session, 0, sealed(null, 1)));
    const failures = await Promise.allSettled(appends);
    for (const failure of failures) {
      expect(failure).toMatchObject({
        status: "rejected",
        reason: { code: "store-failed", cause: { errcode: 5 } },
      });
    }
    holder.exec("ROLLBACK");
    holder.close();
    expect(told).toEqual([]);
    expect(await store.head("b")).toBeNull();
    await Promise.all(["b", "c"].map((session) => appendNext(store, session)));
    expect(await store.read("a", 0, 9)).toEqual([entry]);
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 3 });
    await store.close();
  });

  it("waits for another process's lock as long as it may, and then takes nothing for written", async () => {
    const file = path();
    const store = openSqliteStore(file, { busyTimeoutMs: 150 });
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    const began = performance.now();
    const failing = store.append("a", 0, sealed(null, 1), [], { urgent: true });
    await expect(failing).rejects.toMatchObject({
      code: "store-failed",
      why: expect.stringContaining("Another program held a lock"),
      cause: { errcode: 5 },
    });
    expect(performance.now() - began).toBeGreaterThanOrEqual(150);
    holder.exec("ROLLBACK");
    holder.close();
    expect(await store.head("a")).toBeNull();
    await appendNext(store, "a");
    await store.close();
  });

  it("is closed only once what waits for another process's lock is written, and takes nothing more", async () => {
    const file = path();
    const store = openSqliteStore(file);
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    const append = store.append("a", 0, sealed(null, 1));
    const closing = [store.close(), store.close()];
    expect(await codeOf(store.append("b", 0, sealed(null, 1)))).toBe("store-failed");
    holder.exec("ROLLBACK");
    holder.close();
    expect(await append).toEqual({ status: "appended" });
    await Promise.all(closing);
    const again = openSqliteStore(file);
    expect(await verifyStore(again)).toMatchObject({ ok: true, sessions: 1, entries: 1 });
    await again.close();
  });

  it("undoes the whole turn where one of its writes fails in the engine, and goes on with the next", async () => {
    const file = path();
    const store = openSqliteStore(file);
    const other = new DatabaseSync(file);
    other.exec(
      "CREATE TRIGGER fail BEFORE INSERT ON events WHEN new.session = 'bad' BEGIN SELECT raise(ABORT, 'no'); END",
    );
    const [before, bad, after] = ["before", "bad", "after"].map((session) =>
      store.append(session, 0, sealed(null, 1)),
    );
    expect(await Promise.allSettled([before, bad, after])).toMatchObject(
      ["rejected", "rejected", "rejected"].map((status) => ({ status, reason: { code: "store-failed" } })),
    );
    expect(await store.heads(null, 9)).toEqual([]);
    other.exec("DROP TRIGGER fail");
    other.close();
    await appendNext(store, "bad");
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 1, entries: 1 });
    await store.close();
  });

  it.each([
    ["its head", "UPDATE heads SET version = 7 WHERE session = 'bad'"],
    ["its head, which holds no sensible number", "UPDATE heads SET version = 1 << 60 WHERE session = 'bad'"],
    ["its last entry, which is gone", "DELETE FROM events WHERE session = 'bad'"],
    ["its head, which is gone", "DELETE FROM heads WHERE session = 'bad'"],
  ])("refuses a session whose journal is damaged in %s, and no other of the same turn", async (_title, statement) => {
    const file = path();
    const store = openSqliteStore(file);
    const entry = await appendNext(store, "bad");
    tamper(file, statement);
    const [bad, good] = [
      store.append("bad", 1, sealed({ version: 1, hash: entry.hash }, 1)),
      appendNext(store, "good"),
    ];
    expect(await codeOf(bad)).toBe("store-damaged");
    expect(await good).toMatchObject({ seq: 1 });
    await store.close();
  });

  it("refuses to move a fallback whose row was changed, and no other write of the same turn", async () => {
    const file = path();
    const store = openSqliteStore(file);
    await store.stick("p", "a", null);
    tamper(file, "UPDATE sticky SET session = 'b'");
    const [bad, good] = [store.stick("p", "c", "b"), store.stick("q", "c", null)];
    expect(await Promise.all([codeOf(bad), codeOf(store.sticky("p")), good])).toEqual([
      ...["store-damaged", "store-damaged"],
      true,
    ]);
    await store.close();
  });
});

function tamper(file: string, statement: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(statement);
  database.close();
}
