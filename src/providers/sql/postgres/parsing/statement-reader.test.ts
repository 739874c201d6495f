/** The thread that reads statements, without a server: its limits, and how long it lasts. */
import { expect, it } from "vitest";
import { failureOf } from "../../../../../test/fixtures/postgres-reader.ts";
import { inTurnOf } from "../../../../threads/index.ts";
import { examineStatement } from "../examine-statement.ts";
import { readDefinition, readStatement } from "./statement.ts";
import { createStatementReader, openStatementReader } from "./statement-reader.ts";

const FACTS: ReadonlyMap<string, string | null> = new Map();
const toProgram = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

/** A thread that never answers `SELECT 'endless'`. */
const ENDLESS = toProgram(`import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ sql }) => {
    while (sql === "SELECT 'endless'");
    parentPort.postMessage({ kind: "missing", statement: { text: sql, places: 0 }, names: [] });
  });
  parentPort.postMessage("ready");`);

it("refuses a statement that takes too long, and reads the next one", async () => {
  const reader = createStatementReader({ milliseconds: 500, program: ENDLESS });
  const [endless, next] = await Promise.all([
    reader.read({ sql: "SELECT 'endless'", facts: FACTS }),
    reader.read({ sql: "SELECT 1", facts: FACTS }),
  ]);
  expect(endless).toMatchObject({ kind: "refused", why: expect.stringMatching(/too long/) });
  expect(next).toMatchObject({ kind: "missing" });
  await reader.close();
});

it("refuses a statement that ends the thread", async () => {
  const reader = createStatementReader({
    program: toProgram(`import { parentPort } from "node:worker_threads";
      parentPort.on("message", () => process.exit(1)); parentPort.postMessage("ready");`),
  });
  expect(await reader.read({ sql: "SELECT 1", facts: FACTS })).toMatchObject({ kind: "refused" });
  expect(await failureOf(reader.warmUp())).toMatchObject({ code: "upstream-unavailable" });
  await reader.close();
});

it("says that the parser isn't installed, and looks for it again", async () => {
  const reader = createStatementReader({
    program: toProgram(`import { parentPort } from "node:worker_threads";
      parentPort.on("message", () => parentPort.postMessage({ kind: "not-loaded", cause: new Error("none") }));
      parentPort.postMessage("ready");`),
  });
  for (const _ of ["first", "again"])
    expect(await failureOf(reader.warmUp())).toMatchObject({
      code: "usage",
      fix: expect.stringMatching(/npm install/),
    });
  await reader.close();
});

it("lets a limited number of statements of one label holder wait, and takes turns between label holders (X11-postgres)", async () => {
  const reader = createStatementReader({ program: ENDLESS });
  const order: string[] = [];
  const read = (labelHolder: string): Promise<unknown> =>
    inTurnOf({ labelHolder, principal: null }, () => reader.read({ sql: "SELECT 1", facts: FACTS })).then(
      () => order.push(labelHolder),
    );
  // The first one is read at once.
  const flood = Array.from({ length: 66 }, () => read("many"));
  const other = read("few");
  const outcomes = await Promise.allSettled(flood);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(65).fill("fulfilled"), "rejected"]);
  await other;
  expect(order.indexOf("few")).toBeLessThan(4);
  expect(await reader.read({ sql: "SELECT 1", facts: FACTS })).toMatchObject({ kind: "missing" });
  await reader.close();
});

it("refuses statements that are nested too deeply, and reads long chains and queries in queries (X11-postgres)", async () => {
  const reader = openStatementReader();
  const nest = (before: string, times: number): string =>
    `SELECT ${before.repeat(times)}'a'${")".repeat(times)}`;
  for (const sql of [nest("(SELECT ", 1200), nest("upper(", 1200)]) {
    expect(await reader.read({ sql, facts: FACTS })).toMatchObject({
      kind: "refused",
      message: "The statement is nested too deeply.",
    });
  }
  const chain = (part: string, link: string): string => Array(700).fill(part).join(` ${link} `);
  const chains = [
    `SELECT ${chain("'a'", "||")}`,
    chain("SELECT 1", "UNION ALL"),
    `SELECT ${chain("true", "OR")}`,
  ];
  for (const sql of [nest("(SELECT ", 150), ...chains]) {
    expect(await reader.read({ sql, facts: FACTS })).toMatchObject({ kind: "missing" });
  }
  await reader.close();
});

it("doesn't go on with a parser that has failed by anything but an error in the SQL (X11-postgres)", async () => {
  const broken = new RangeError("Maximum call stack size exceeded");
  const parse = (): never => {
    throw broken;
  };
  expect(() => readStatement(parse, "SELECT 1")).toThrow(broken);
  expect(() => readDefinition(parse, "SELECT 1")).toThrow(broken);
});

it("keeps the thread for as long as a database of the process is open", async () => {
  const [one, other] = [openStatementReader(), openStatementReader()];
  await one.close();
  await one.close();
  expect(await other.read({ sql: "SELECT 1", facts: FACTS })).toMatchObject({ kind: "missing" });
  await other.close();
  expect(await other.read({ sql: "SELECT 1", facts: FACTS })).toMatchObject({ kind: "refused" });
  const third = openStatementReader();
  expect(await third.read({ sql: "SELECT 1", facts: FACTS })).toMatchObject({ kind: "missing" });
  await third.close();
});

it("refuses a statement whose tables are too much to be copied for the thread (X11-postgres)", async () => {
  const reader = openStatementReader();
  const asked = { sql: "SELECT id FROM orders", facts: FACTS };
  const transaction = {
    query: async (_text: string, [kinds, schemas, names]: readonly unknown[] = []) => {
      const [kind, schema, name] = [kinds, schemas, names].map((list) =>
        Array.isArray(list) ? list[0] : null,
      );
      return { columns: [], rows: [[kind, schema, name, "x".repeat(4_000_001)]] };
    },
    describe: async () => [],
  };
  const first = await reader.read(asked);
  expect(await examineStatement(transaction, reader.read, asked.sql, first, [])).toMatchObject({
    kind: "refused",
    message: expect.stringMatching(/too much/),
  });
  await reader.close();
});
