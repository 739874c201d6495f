import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { inTurnOf } from "../../../threads/index.ts";
import { ownedBy } from "../../../threads/owner.test-kit.ts";
import type { SqlEngine } from "../sql-engine.ts";
import { DatabaseProcesses } from "./database-processes.ts";
import type { QueryVariants } from "./reading/find-variants.ts";
import { makeShop } from "./reading.test-kit.ts";
import { openSqliteEngine } from "./sqlite-engine.ts";

const files = temporaryFolder();
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
const PAGE = { offset: 0, limit: 10, bytes: 100_000 };

/** A program that has an endless query at work, and prints the id of its process. */
const WORKING = `
  import { DatabaseProcesses } from ${JSON.stringify(new URL("./database-processes.ts", import.meta.url).href)};
  const reading = new DatabaseProcesses({ id: "shop", path: process.argv[1], seconds: 60 });
  const question = { sql: ${JSON.stringify(ENDLESS)}, parameters: [] };
  const { ways: [way] } = await reading.perform({ kind: "examine", question });
  void reading.perform({ kind: "run", chosen: { ...question, way }, page: ${JSON.stringify(PAGE)} });
  console.log(reading.pids[0]);
`;

/** Whether a process runs; one that has ended may still be listed until its new parent has seen it. */
const isThere = (pid: number): boolean => {
  const stat = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return stat !== "" && !stat.startsWith("Z");
};

/** A query that doesn't end. */
async function endless(processes: DatabaseProcesses) {
  const question = { sql: ENDLESS, parameters: [] };
  const found = (await processes.perform({ kind: "examine", question })) as QueryVariants;
  const way = found.ways[0];
  if (way === undefined) throw new Error("It has no way.");
  return { kind: "run", chosen: { ...question, way }, page: PAGE } as const;
}

const engines: SqlEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function open(path: string, seconds = 20): Promise<SqlEngine> {
  const engine = openSqliteEngine({ id: "shop", path, seconds });
  engines.push(engine);
  await engine.settled;
  return engine;
}

function shop(more = ""): string {
  const path = files.path("shop.db");
  makeShop(path, more);
  return path;
}

async function prepare(engine: SqlEngine, sql: string): Promise<unknown> {
  const found = await engine.examine(sql, []);
  if (found.kind === "refused") throw new Error(found.why);
  return found.ways[0].prepared;
}

const rows = async (engine: SqlEngine, sql: string) =>
  (await engine.run(await prepare(engine, sql), PAGE)).rows;

describe("a SQLite engine", () => {
  it("runs what it examined (X11-sqlite)", async () => {
    const engine = await open(shop());
    expect(engine.state).toEqual({ status: "ready", problem: null });
    expect(await rows(engine, "SELECT name, weight FROM tags")).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });

  it("ends a query that takes too long, and answers the next one (X11-sqlite)", async () => {
    const engine = await open(shop(), 2);
    const endless = await prepare(engine, ENDLESS);
    const late = engine.run(endless, PAGE);
    const next = rows(engine, "SELECT 1");
    await expect(late).rejects.toMatchObject({
      code: "upstream-timeout",
      why: "It took longer than 2 seconds.",
    });
    expect(await next).toEqual([[1]]);
  });

  it("ends a query with the call that it belongs to (X11-sqlite)", async () => {
    const engine = await open(shop());
    const ending = new AbortController();
    const run = engine.run(await prepare(engine, ENDLESS), PAGE, ending.signal);
    ending.abort(new Error("the client left"));
    await expect(run).rejects.toThrow("the client left");
    expect(await rows(engine, "SELECT 1")).toEqual([[1]]);
  });

  it("doesn't run what reads something else by now (X11-sqlite)", async () => {
    const path = shop();
    const engine = await open(path);
    const prepared = await prepare(engine, "SELECT * FROM people");
    const writer = new DatabaseSync(path);
    writer.exec("DROP VIEW people; CREATE VIEW people AS SELECT id, email AS name, salary FROM customers");
    writer.close();
    await expect(engine.run(prepared, PAGE)).rejects.toMatchObject({ code: "not-ready" });
    expect((await rows(engine, "SELECT name FROM people")).flat()).toContain("ada@x");
  });

  it("sees what others write, and keeps nobody from writing (X11-sqlite)", async () => {
    const path = shop("PRAGMA journal_mode = WAL");
    const engine = await open(path);
    expect(await rows(engine, "SELECT count(*) FROM log")).toEqual([[1]]);
    const writer = new DatabaseSync(path);
    writer.exec("INSERT INTO log VALUES ('2', 'y')");
    expect(await rows(engine, "SELECT count(*) FROM log")).toEqual([[2]]);
    writer.close();
  });

  it("says why a file can't be read, and reads it once it can (X11-sqlite)", async () => {
    const path = files.path("late.db");
    const engine = await open(path);
    expect(engine.state).toEqual({
      status: "down",
      problem: "The database can't be read. SQLite says: unable to open database file.",
    });
    const changed = new Promise<void>((resolve) => engine.watch(resolve));
    copyFileSync(shop(), `${path}.new`);
    renameSync(`${path}.new`, path);
    await changed;
    expect(engine.state.status).toBe("ready");
  });

  it("says what a file is not (X11-sqlite)", async () => {
    const path = files.path("text.db");
    writeFileSync(
      path,
      "no database at all, though as long as the head of one would have to be, and longer".repeat(9),
    );
    expect((await open(path)).state.problem).toBe(
      "The database can't be read. SQLite says: file is not a database.",
    );
  });

  it("tells of an error while a query runs (X11-sqlite)", async () => {
    const engine = await open(shop());
    const run = rows(engine, "SELECT abs(-9223372036854775807 - 1)");
    await expect(run).rejects.toMatchObject({
      code: "invalid-request",
      why: "SQLite says: integer overflow.",
    });
  });

  it("lets no value grow without end (X11-sqlite)", async () => {
    const engine = await open(shop());
    await expect(rows(engine, "SELECT zeroblob(1000000000)")).rejects.toMatchObject({
      code: "invalid-request",
    });
    expect(await rows(engine, "SELECT 1")).toEqual([[1]]);
  });

  it("lists tables and views, and describes them (X11-sqlite)", async () => {
    const engine = await open(shop());
    expect((await engine.tables()).map(({ table, kind }) => `${kind} ${table}`)).toEqual([
      "table customers",
      "table log",
      "view open_orders",
      "table order",
      "table orders",
      "virtual pages",
      "view people",
      "view rich",
      "table tags",
    ]);
    expect(await engine.describe("ORDERS")).toMatchObject({
      table: "orders",
      kind: "table",
      columns: [
        { name: "id", type: "INTEGER", nullable: true, primaryKey: 1 },
        { name: "customer_id", type: "INTEGER" },
        { name: "status", type: "TEXT" },
        { name: "total", type: "REAL" },
        { name: "net" },
        { name: "label", type: "TEXT" },
      ],
      foreignKeys: [{ columns: ["customer_id"], table: { table: "customers" }, references: ["id"] }],
    });
    expect(await engine.describe("sqlite_schema")).toBeNull();
  });

  it("answers nothing once it is closed (X11-sqlite)", async () => {
    const engine = await open(shop());
    const prepared = await prepare(engine, "SELECT 1");
    await engine.close();
    await expect(engine.run(prepared, PAGE)).rejects.toMatchObject({ code: "upstream-unavailable" });
  });
});

describe("the processes of a SQLite database", () => {
  it("are started again where they died (X11-sqlite)", async () => {
    const processes = new DatabaseProcesses({ id: "shop", path: shop(), seconds: 20 });
    await processes.perform({ kind: "open" });
    const [pid] = processes.pids;
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    await expect.poll(() => processes.pids, { timeout: 10_000 }).toEqual([]);
    expect(await processes.perform({ kind: "tables" })).toHaveLength(9);
    processes.close();
  });

  it("end with the gateway, though SQLite is at work in them (X11-sqlite)", async () => {
    const gateway = spawn(process.execPath, ["--input-type=module-typescript", "--eval", WORKING, shop()]);
    const pid = Number(String((await once(gateway.stdout, "data"))[0]));
    expect(isThere(pid)).toBe(true);
    gateway.kill("SIGKILL");
    await expect.poll(() => isThere(pid), { timeout: 10_000 }).toBe(false);
  });

  it("keep no place for a task that nobody waits for (X11-sqlite)", async () => {
    const processes = new DatabaseProcesses({ id: "shop", path: shop(), seconds: 20 });
    const [first, others] = [new AbortController(), new AbortController()];
    const running = processes.perform(await endless(processes), first.signal);
    const tasks = Array.from({ length: 64 }, () => processes.perform({ kind: "open" }, others.signal));
    others.abort(new Error("the client left"));
    const ends = await Promise.allSettled(tasks);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
    const next = processes.perform({ kind: "open" });
    first.abort(new Error("the client left"));
    await expect(running).rejects.toThrow("the client left");
    expect(await next).toBeNull();
    processes.close();
  });

  it("take the tasks of a principal's sessions in turns (X11-sqlite)", async () => {
    const processes = new DatabaseProcesses({ id: "shop", path: shop(), seconds: 20 });
    const order: string[] = [];
    const perform = async (labelHolder: string): Promise<void> => {
      await inTurnOf({ labelHolder, principal: "ada" }, () => processes.perform({ kind: "open" }));
      order.push(labelHolder);
    };
    // Each has a process then.
    await Promise.all(["a", "b", "c"].map(perform));
    order.length = 0;
    await Promise.all([
      ...["a", "b"].flatMap((holder) => Array.from({ length: 60 }, () => perform(holder))),
      perform("c"),
    ]);
    expect(order.indexOf("c")).toBeLessThan(12);
    processes.close();
  });

  it("answer others while the queries of several sessions and principals take long (X11-sqlite)", async () => {
    const processes = new DatabaseProcesses({ id: "shop", path: shop(), seconds: 20 });
    const task = await endless(processes);
    const slow = [
      ownedBy("a", "ada"),
      ownedBy("a", "ada"),
      ownedBy("b", "ada"),
      ownedBy("fay"),
      ownedBy("gus"),
    ].map((owner) => inTurnOf(owner, () => processes.perform(task)).catch(({ code }) => code));
    const of = (labelHolder: string, principal = labelHolder) =>
      inTurnOf(ownedBy(labelHolder, principal), () => processes.perform({ kind: "tables" }));
    const others = await Promise.all([of("bob"), of("eve"), of("bob"), of("c", "ada")]);
    expect(others.flat()).toHaveLength(36);
    processes.close();
    expect(await Promise.all(slow)).toEqual(Array(5).fill("upstream-unavailable"));
  });

  it("take only so many tasks of a session at once (X11-sqlite)", async () => {
    const processes = new DatabaseProcesses({ id: "shop", path: shop(), seconds: 20 });
    const tasks = Array.from({ length: 300 }, () => processes.perform({ kind: "open" }));
    const ends = await Promise.allSettled(tasks);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(257);
    processes.close();
  });
});
