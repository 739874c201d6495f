/** The thread that reads statements, without a server: its limits, and how long it lasts. */
import { expect, it } from "vitest";
import { failureOf } from "../../../../test/fixtures/postgres-reader.ts";
import { examineStatement } from "./examine-statement.ts";
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

it("lets a limited number of statements wait", async () => {
  const reader = createStatementReader({ program: ENDLESS });
  const reads = Array.from({ length: 65 }, () => reader.read({ sql: "SELECT 1", facts: FACTS }));
  const outcomes = await Promise.allSettled(reads);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(64).fill("fulfilled"), "rejected"]);
  expect(await reader.read({ sql: "SELECT 1", facts: FACTS })).toMatchObject({ kind: "missing" });
  await reader.close();
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
  const read = { sql: "SELECT id FROM orders", facts: FACTS };
  const transaction = {
    query: async (_text: string, [kinds, schemas, names]: readonly unknown[] = []) => {
      const [kind, schema, name] = [kinds, schemas, names].map((list) =>
        Array.isArray(list) ? list[0] : null,
      );
      return { columns: [], rows: [[kind, schema, name, "x".repeat(4_000_001)]] };
    },
    describe: async () => [],
  };
  expect(await examineStatement(transaction, reader, read.sql, await reader.read(read), [])).toMatchObject({
    kind: "refused",
    message: expect.stringMatching(/too much/),
  });
  await reader.close();
});
