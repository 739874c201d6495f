/** No row of a SQLite store changes, comes or goes behind its back without being found. */
import { beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/stores/index.ts";
import { damagedCopy, verifyFile, writeWholeStore } from "../fixtures/damaged-store.ts";
import { codeOf } from "../fixtures/sealed-events.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const { path } = temporaryFolder();
const whole = path("whole.sqlite");

beforeAll(async () => {
  await writeWholeStore(whole);
});

it("finds nothing wrong with a store that is whole", async () => {
  expect(await verifyFile(whole)).toEqual({ ok: true, sessions: 3, entries: 120, problems: [] });
});

describe("Verification finds a row that was changed behind the store's back", () => {
  const event = "WHERE session = 'beta' AND seq = 17";
  it.each([
    ["one byte of an entry", `UPDATE events SET body = replace(body, 'admitted', 'admittee') ${event}`],
    ["a space in an entry", `UPDATE events SET body = replace(body, ':', ': ') ${event}`],
    ["an entry's hash", `UPDATE events SET hash = replace(hash, 'a', 'b') ${event}`],
    ["an entry's number", `UPDATE events SET seq = 1700 ${event}`],
    ["an entry's session", `UPDATE events SET session = 'betb' ${event}`],
    ["an entry's position", `UPDATE events SET position = 1700 ${event}`],
    ["an entry that is gone", `DELETE FROM events ${event}`],
    ["the last entry that is gone", "DELETE FROM events WHERE session = 'beta' AND seq = 40"],
    ["the last entries of all that are gone", "DELETE FROM events WHERE position > 110"],
    [
      "a cut tail, with the head moved back to fit",
      `DELETE FROM events WHERE session = 'gamma' AND seq = 40;
       UPDATE heads SET (version, hash) = (SELECT seq, hash FROM events WHERE session = 'gamma' AND seq = 39)
       WHERE session = 'gamma'`,
    ],
    [
      "a session that is gone with its head and all it kept",
      ["events", "heads", "kept", "sticky"]
        .map((table) => `DELETE FROM ${table} WHERE session = 'beta'`)
        .join(";"),
    ],
    [
      "an entry that was put in after the last",
      "INSERT INTO events (session, seq, body, hash) SELECT session, 41, body, hash FROM events WHERE position = 3",
    ],
    [
      "an entry of a session that nobody opened",
      "INSERT INTO events (session, seq, body, hash) SELECT 'delta', seq, body, hash FROM events WHERE position = 1",
    ],
    ["a head's version, lower", "UPDATE heads SET version = 39 WHERE session = 'beta'"],
    ["a head's version, higher", "UPDATE heads SET version = 41 WHERE session = 'beta'"],
    ["a head's version, beyond all numbers", "UPDATE heads SET version = 1 << 62 WHERE session = 'beta'"],
    ["a head's hash", "UPDATE heads SET hash = replace(hash, 'a', 'b') WHERE session = 'beta'"],
    ["a head's place", "UPDATE heads SET opened = 1700 WHERE session = 'beta'"],
    ["a head's session", "UPDATE heads SET session = 'betb' WHERE session = 'beta'"],
    ["a head that is gone", "DELETE FROM heads WHERE session = 'beta'"],
    ["a head of nothing", "INSERT INTO heads VALUES (1700, 'delta', 0, '')"],
    ["a kept value", "UPDATE kept SET value = replace(value, 'asks', 'askt') WHERE position = 5"],
    ["a kept value's key", "UPDATE kept SET key = 'ask/x' WHERE position = 5"],
    ["a kept value's session", "UPDATE kept SET (session, key) = ('gamma', 'x') WHERE position = 5"],
    ["a kept value's place", "UPDATE kept SET position = 1700 WHERE position = 5"],
    ["a kept value's checksum", "UPDATE kept SET checksum = replace(checksum, 'a', 'b') WHERE position = 5"],
    [
      "a kept value of nobody",
      "INSERT INTO kept SELECT 1700, 'delta', key, value, checksum FROM kept LIMIT 1",
    ],
    ["a fallback's session", "UPDATE sticky SET session = 'alpha' WHERE session = 'beta'"],
    ["a fallback's principal", "UPDATE sticky SET principal = 'other' WHERE session = 'beta'"],
    [
      "a fallback's checksum",
      "UPDATE sticky SET checksum = replace(checksum, 'a', 'b') WHERE session = 'beta'",
    ],
    ["two fallbacks for each other", "UPDATE sticky SET session = iif(session = 'beta', 'alpha', 'beta')"],
    ["the number of given positions", "UPDATE sqlite_sequence SET seq = 121"],
    ["an index that is gone", "DROP INDEX kept_by_key"],
    ["a trigger that was added", "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END"],
    ["a column that was added", "ALTER TABLE events ADD COLUMN note TEXT"],
    ["a column that is named otherwise", "ALTER TABLE events RENAME COLUMN body TO corpse"],
    ["a table that is gone", "DROP TABLE sticky"],
    ["the schema's version", "PRAGMA user_version = 0"],
    ["the mark of a store", "PRAGMA application_id = 1"],
  ])("finds %s", async (_title, statements) => {
    const report = await verifyFile(damagedCopy(whole, path(), statements));
    expect(report.ok).toBe(false);
    expect(report.problems.every(({ problem }) => /^[A-Z].*\.$/s.test(problem))).toBe(true);
  });

  it("names the session and the entry, and goes on counting the others", async () => {
    const statement = `UPDATE events SET body = replace(body, '"round"', '"rouns"') ${event}`;
    const report = await verifyFile(damagedCopy(whole, path(), statement));
    expect(report).toMatchObject({ ok: false, sessions: 3 });
    expect(report.problems).toContainEqual({
      session: "beta",
      seq: 17,
      problem: expect.stringContaining("Entry 17 of a session's journal can't be trusted."),
    });
  });

  it("is told by the engine alone as well", async () => {
    const statement = `UPDATE events SET body = replace(body, '"round"', '"rouns"') ${event}`;
    const store = openSqliteStore(damagedCopy(whole, path(), statement));
    expect(await store.damage()).toEqual([
      'Entry 17 of session "beta" was changed. Its text doesn\'t have the hash that is stored with it.',
    ]);
    await store.close();
  });

  it("refuses to give out what can't be trusted", async () => {
    const copy = damagedCopy(
      whole,
      path(),
      `UPDATE events SET body = replace(body, '"round"', '"rouns"') ${event};
       UPDATE kept SET value = 'x'; UPDATE sticky SET session = 'alpha'`,
    );
    const store = openSqliteStore(copy);
    const asked = [
      store.read("beta", 0, 99),
      store.feed(0, 999),
      store.kept("beta", "ask/1"),
      store.keptWith("ask/", 9),
      store.sticky("principal-beta"),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(asked.map(() => "store-damaged"));
    expect(await store.read("beta", 0, 16)).toHaveLength(16);
    await store.close();
  });
});
