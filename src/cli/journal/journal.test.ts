import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { BUNDLED_COMMAND, createFolder, isHarmless, sluicegate } from "../cli.test-kit.ts";
import { CALLS, createRecord, HOSTILE } from "./journal.test-kit.ts";

it("finds a whole record whole, all of it or one session, and leaves its file as it was", async () => {
  using record = await createRecord(CALLS);
  const file = join(record.path, ".sluicegate/sluicegate.db");
  const before = readFileSync(file);
  const [all, one] = await Promise.all([
    sluicegate(["journal", "verify"], { cwd: record.path }),
    sluicegate(["journal", "verify", record.session, "--json", "--store", file]),
  ]);
  expect(all).toMatchObject({ status: 0, err: "" });
  expect(all.out).toBe("whole: 2 sessions, 6 entries; each is as it was written.\n");
  expect(one.status).toBe(0);
  expect(one.json()).toEqual({ ok: true, sessions: 1, entries: 5, problems: [] });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual(["sluicegate.db", "sluicegate.db-mark"]);
});

it("says no where an entry was changed, and which", async () => {
  using record = await createRecord(CALLS);
  const database = new DatabaseSync(join(record.path, ".sluicegate/sluicegate.db"));
  database.exec("UPDATE events SET body = replace(body, 'web_search', 'web_slurch') WHERE seq = 3");
  database.close();
  const [words, json, one] = await Promise.all([
    sluicegate(["journal", "verify"], { cwd: record.path }),
    sluicegate(["journal", "verify", "--json"], { cwd: record.path }),
    sluicegate(["journal", "verify", record.session, "--json"], { cwd: record.path }),
  ]);
  expect(words).toMatchObject({ status: 1, err: "" });
  expect(words.out).toContain(`${record.session}, entry 3: `);
  expect(words.out).toMatch(/\nbroken: \d problems?; /);
  const problem = { session_id: record.session, seq: 3, problem: expect.any(String) };
  expect(json.status).toBe(1);
  expect(json.json()).toMatchObject({ ok: false, problems: expect.arrayContaining([problem]) });
  expect(one.status).toBe(1);
  expect(one.json()).toEqual({ ok: false, sessions: 1, entries: expect.any(Number), problems: [problem] });
});

it("exports every entry with its session as a line of JSON, or as one document", async () => {
  using record = await createRecord(CALLS);
  const [lines, one, json] = await Promise.all([
    sluicegate(["journal", "export"], { cwd: record.path }),
    sluicegate(["journal", "export", record.session], { cwd: record.path }),
    sluicegate(["journal", "export", "--json"], { cwd: record.path }),
  ]);
  expect(lines).toMatchObject({ status: 0, err: "" });
  const entries: unknown[] = lines.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries).toHaveLength(6);
  expect(entries[4]).toMatchObject({ session_id: record.session, seq: 5, data: { tool: HOSTILE } });
  expect(isHarmless(lines.out)).toBe(true);
  expect(one.out).toBe(`${lines.out.split("\n").slice(0, 5).join("\n")}\n`);
  expect(json.json()).toEqual({ events: entries });
});

it("ends quietly when the reader of its lines goes away", async () => {
  using record = await createRecord(Array.from({ length: 1500 }, () => "web_search"));
  const child = spawn(BUNDLED_COMMAND, ["journal", "export"], { cwd: record.path });
  const said = text(child.stderr);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const [status] = await once(child, "close");
  expect(await said).toBe("");
  expect(status).toBe(0);
});

it("fails clearly where there is no store, no session or no such kind of store, and makes none", async () => {
  using empty = createFolder({ "sluicegate.yaml": "version: 1\n" });
  using record = await createRecord([]);
  const journal = (cwd: string, ...args: string[]) => sluicegate(["journal", ...args], { cwd });
  const [show, verify, stranger, postgres] = await Promise.all([
    journal(empty.path, "show"),
    journal(empty.path, "verify", "--store", "sqlite:other.db", "--json"),
    journal(record.path, "export", "sess_nope"),
    journal(empty.path, "show", "--store", "postgres://localhost/gate?tls=1", "--json"),
  ]);
  expect(show).toMatchObject({
    status: 2,
    out: "",
    err: expect.stringContaining("There is no store `.sluicegate/sluicegate.db`."),
  });
  expect(verify.status).toBe(2);
  expect(verify.json()).toMatchObject({
    error: { code: "not-found", message: expect.stringMatching(/^There is no store `.*other\.db`\.$/) },
  });
  expect(stranger).toMatchObject({
    status: 2,
    out: "",
    err: expect.stringContaining("There is no session `sess_nope`"),
  });
  expect(postgres.status).toBe(2);
  expect(postgres.json()).toMatchObject({
    error: { message: expect.stringContaining("store's URL can't be used") },
  });
  expect(readdirSync(empty.path)).toEqual(["sluicegate.yaml"]);
});

it("takes a file that is no store for damage: verify says no, the others can't go on", async () => {
  using folder = createFolder();
  writeFileSync(
    join(folder.path, "sluicegate.db"),
    "not a database, and long enough to be looked at".repeat(99),
  );
  const [verify, show] = await Promise.all([
    sluicegate(["journal", "verify"], { cwd: folder.path }),
    sluicegate(["journal", "show", "--json"], { cwd: folder.path }),
  ]);
  expect(verify).toMatchObject({ status: 1, err: "" });
  expect(verify.out).toMatch(/^store: .*\n\nbroken: 1 problem; /);
  expect(show.status).toBe(2);
  expect(show.json()).toMatchObject({ error: { code: "store-damaged" } });
});
