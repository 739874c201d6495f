import { inspect } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeStore } from "../../../test/cases/store.case.ts";
import { type PostgresServer, startPostgres } from "../../../test/fixtures/postgres.ts";
import { appendNext, codeOf, event, sealed } from "../../../test/fixtures/sealed-events.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { sealEntries } from "../../runtime/journal/journal.ts";
import { verifyStore } from "../../runtime/journal/verify-store.ts";
import { openPostgresStore } from "./postgres.ts";

let server: PostgresServer;
let databases = 0;
const { folder } = temporaryFolder();

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
});

/** The URL of a new database. */
async function freshDatabase(): Promise<string> {
  databases += 1;
  await server.execute(`CREATE DATABASE store${databases}`);
  return `postgres://${server.user}:${server.password}@${server.host}:${server.port}/store${databases}`;
}

const limits = { nameBytes: 1024, increments: 400 };

const openFresh = async () => {
  const url = await freshDatabase();
  return {
    store: await openPostgresStore(url),
    second: () => openPostgresStore(url, { mustExist: true }),
    reopen: () => openPostgresStore(url, { mustExist: true }),
  };
};

describeStore("The PostgreSQL store", openFresh, limits);

describe("Positions in the PostgreSQL store", () => {
  it("tells nothing of the feed that an append with a smaller position could still come before (X15-postgres)", async () => {
    const url = await freshDatabase();
    const [store, reader] = [await openPostgresStore(url), await openPostgresStore(url)];
    await appendNext(store, "a");
    // A writer that has its position and is slow to commit.
    const slow = new pg.Client(url);
    await slow.connect();
    await slow.query("BEGIN; SELECT pg_current_xact_id(), nextval('sluicegate.positions')");
    await appendNext(store, "b");
    expect((await reader.feed(0, 9)).map(({ position }) => position)).toEqual([1]);
    await slow.query(
      "INSERT INTO sluicegate.events SELECT 'c', seq, 2, body, hash FROM sluicegate.events WHERE session = 'a'",
    );
    expect((await reader.feed(0, 9)).map(({ position }) => position)).toEqual([1]);
    await slow.query("COMMIT");
    expect((await reader.feed(0, 9)).map(({ session }) => session)).toEqual(["a", "c", "b"]);
    await slow.query("BEGIN; SELECT pg_current_xact_id(), nextval('sluicegate.positions')");
    await appendNext(store, "b");
    expect((await reader.feed(3, 9)).map(({ position }) => position)).toEqual([]);
    await slow.query("ROLLBACK");
    // A position that nobody will ever have holds nothing up, for those who look first or again.
    for (const anybody of [reader, store])
      expect((await anybody.feed(3, 9)).map(({ position }) => position)).toEqual([5]);
    await Promise.all([slow.end(), store.close(), reader.close()]);
  });

  it("tells two readers everything once and in order while many write (X15-postgres)", async () => {
    const url = await freshDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore(url)));
    const total = 150;
    const follow = async (at: number): Promise<readonly number[]> => {
      const seen: number[] = [];
      while (seen.length < total)
        for (const { position } of (await stores[at]?.feed(seen.at(-1) ?? 0, 20)) ?? []) seen.push(position);
      return seen;
    };
    const writing = Array.from({ length: 10 }, async (_, n) => {
      const store = stores[n % 2] ?? expect.fail();
      for (let count = 0; count < total / 10; count += 1) await appendNext(store, `s${n}`);
    });
    const [first, second] = await Promise.all([follow(2), follow(1), ...writing]);
    const all = await stores[0]?.feed(0, total);
    expect(first).toEqual(all?.map(({ position }) => position));
    expect(second).toEqual(first);
    await Promise.all(stores.map((store) => store.close()));
  });
});

describe("Opening the PostgreSQL store", () => {
  it("makes the tables once where many begin at the same time, and refuses those of a later version", async () => {
    const url = await freshDatabase();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore(url)));
    await Promise.all(stores.map((store, n) => store.append(`s${n}`, 0, sealed(null, 1))));
    expect(await verifyStore(stores[0] ?? expect.fail())).toMatchObject({ ok: true, sessions: 6 });
    await Promise.all(stores.map((store) => store.close()));
    await server.execute("INSERT INTO sluicegate.migrations VALUES (999)", nameOf(url));
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining("later version"),
    });
  });

  it.each([
    ["synchronous_commit = off", "acknowledges commits that it may lose"],
    ["default_transaction_isolation = serializable", "could not append"],
  ])("refuses a database with %s", async (setting, message) => {
    const url = await freshDatabase();
    await server.execute(`ALTER DATABASE ${nameOf(url)} SET ${setting}`);
    const used = openPostgresStore(url).then(async (store) => {
      await store.append("s", 0, sealed(null, 1)).finally(() => store.close());
    });
    await expect(used).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining(message),
      fix: expect.stringContaining("ALTER DATABASE"),
    });
  });

  it("refuses a database without a store where one must be there", async () => {
    const url = await freshDatabase();
    expect(await codeOf(openPostgresStore(url, { mustExist: true }))).toBe("store-damaged");
  });

  it.each([
    ["a password that is wrong", (url: string) => url.replace(server.password, "not-the-secret")],
    ["a database that isn't there", (url: string) => `${url}-elsewhere`],
    ["a port that nobody listens on", (url: string) => url.replace(/:\d+\//, ":1/")],
    ["encryption that isn't offered", (url: string) => `${url}?sslmode=verify-full`],
  ])("says what is wrong, and no password, for %s", async (_title, change) => {
    const url = change(await freshDatabase());
    const error = await openPostgresStore(url, { timeoutMs: 1000 }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "store-failed", why: expect.any(String), fix: expect.any(String) });
    expect(inspect(error, { depth: 9 })).not.toMatch(/not-the-secret|postgres-of-a-test/);
  });

  it("refuses a database that has lost what it acknowledged, at the start and while it runs (X15-postgres)", async () => {
    const url = await freshDatabase();
    const markFolder = folder;
    const store = await openPostgresStore(url, { markFolder });
    await appendNext(store, "s");
    await appendNext(store, "s");
    // As where another server takes over without the last commit.
    await server.execute(
      "DELETE FROM sluicegate.events WHERE seq = 2; UPDATE sluicegate.heads SET version = 1, hash = events.hash FROM sluicegate.events",
      nameOf(url),
    );
    await expect(appendNext(store, "other")).rejects.toMatchObject({
      code: "store-damaged",
      message: "The store has lost its last writes.",
    });
    await store.close();
    expect(await codeOf(openPostgresStore(url, { markFolder }))).toBe("store-damaged");
    // A server that knows nothing at all at the same address.
    await server.execute("DROP SCHEMA sluicegate CASCADE", nameOf(url));
    expect(await codeOf(openPostgresStore(url, { markFolder }))).toBe("store-damaged");
    await (await openPostgresStore(url)).close();
  });

  it("doesn't take an entry that was archived for a lost one (X27)", async () => {
    const url = await freshDatabase();
    const markFolder = folder;
    const idle = await openPostgresStore(url, { markFolder });
    await appendNext(idle, "s");
    const other = await openPostgresStore(url);
    const closing = sealEntries(await other.head("s"), [
      { ...event({ reason: "archived" }), kind: "session-closed" },
    ]);
    await other.append("s", 1, closing);
    await other.prune("s", 2);
    await (await openPostgresStore(url, { markFolder })).close();
    await appendNext(idle, "next");
    expect(await verifyStore(other)).toMatchObject({ ok: true, entries: 2 });
    await Promise.all([idle.close(), other.close()]);
  });
});

describe("A server that is lost", () => {
  it("refuses in bounded time while its database is stopped, and goes on once it is back (X15-postgres)", async () => {
    const url = await freshDatabase();
    const store = await openPostgresStore(url, { timeoutMs: 1500 });
    await appendNext(store, "s");
    await server.halt();
    const asked = [store.append("t", 0, sealed(null, 1)), store.head("s")];
    expect(await Promise.all(asked.map(codeOf))).toEqual(["store-failed", "store-failed"]);
    await server.resume();
    await appendNext(store, "s");
    expect(await verifyStore(store)).toMatchObject({ ok: true, entries: 2 });
    await store.close();
  });

  it("gives up an append that waits too long, and leaves the session whole (X15-postgres)", async () => {
    const url = await freshDatabase();
    const store = await openPostgresStore(url, { timeoutMs: 500 });
    await appendNext(store, "s");
    const holder = new pg.Client(url);
    await holder.connect();
    await holder.query("BEGIN; UPDATE sluicegate.heads SET hash = hash");
    expect(await codeOf(appendNext(store, "s"))).toBe("store-failed");
    // Nobody else waits for it.
    await appendNext(store, "other");
    await holder.query("ROLLBACK");
    await holder.end();
    await expect
      .poll(() =>
        appendNext(store, "s").then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect((await verifyStore(store)).ok).toBe(true);
    await store.close();
  });
});

describe("Damage in the PostgreSQL store", () => {
  it.each([
    [
      "a changed entry",
      "UPDATE sluicegate.events SET body = replace(body, 'admitted', 'adnitted') WHERE seq = 1",
    ],
    ["an entry that is gone", "DELETE FROM sluicegate.events WHERE seq = 1"],
    ["a last entry that is gone", "DELETE FROM sluicegate.events WHERE seq = 2"],
    ["a head that is gone", "DELETE FROM sluicegate.heads"],
    ["a changed value", "UPDATE sluicegate.kept SET value = 'w'"],
    ["a fallback that was moved", "UPDATE sluicegate.sticky SET session = 'other'"],
  ])("finds %s", async (_title, statement) => {
    const url = await freshDatabase();
    const store = await openPostgresStore(url);
    await appendNext(store, "s");
    const last = await appendNext(store, "s", {}, [{ key: "k", value: "v" }]);
    await store.stick("p", "s", null);
    expect(await store.damage()).toEqual([]);
    await server.execute(statement, nameOf(url));
    expect(await store.damage()).toHaveLength(1);
    expect((await verifyStore(store)).ok).toBe(false);
    if (/DELETE/.test(statement) && !/seq = 1/.test(statement)) {
      const next = sealed({ version: 2, hash: last.hash }, 1);
      expect(await codeOf(store.append("s", 2, next))).not.toEqual({ resolved: { status: "appended" } });
      expect(await codeOf(store.append("s", 0, sealed(null, 1)))).not.toEqual({
        resolved: { status: "appended" },
      });
    }
    await store.close();
  });
});

const nameOf = (url: string): string => URL.parse(url)?.pathname.slice(1) ?? "";
