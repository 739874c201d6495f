/** What becomes of an engine whose server refuses it, is silent, or goes away. */
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../test/fixtures/postgres.ts";
import { OFFICE_TABLES } from "../../../../test/fixtures/postgres-office.ts";
import { asReader, failureOf, READER_PASSWORD, words } from "../../../../test/fixtures/postgres-reader.ts";
import type { SqlEngine, SqlPageRequest, SqlParameters } from "../sql-engine.ts";
import type { PostgresAddress } from "./connection/connections.ts";
import { openPostgresEngine } from "./postgres-engine.ts";

const PAGE = { offset: 0, limit: 100, bytes: 1_000_000 };

let server: PostgresServer;
let engine: SqlEngine;
const opened: SqlEngine[] = [];

function open(connection: Partial<PostgresAddress> = {}, seconds = 10): SqlEngine {
  const made = openPostgresEngine({
    id: "office",
    seconds,
    connection: { ...asReader(server), ...connection },
  });
  opened.push(made);
  return made;
}

beforeAll(async () => {
  server = await startPostgres();
  await server.execute(OFFICE_TABLES);
  engine = open();
  await engine.settled;
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await server?.stop();
});

async function preparedFor(sql: string, parameters: SqlParameters = [], on = engine): Promise<unknown> {
  const found = await on.examine(sql, parameters);
  if (found.kind === "refused") throw new Error(`${found.message} ${found.why}`);
  return found.ways[0].prepared;
}

const query = async (
  sql: string,
  parameters: SqlParameters = [],
  page: Partial<SqlPageRequest> = {},
  on = engine,
) => on.run(await preparedFor(sql, parameters, on), { ...PAGE, ...page });

describe("a database that can't be asked", () => {
  const secret = "a-password-nobody-sees";

  it.each<[string, Partial<PostgresAddress>, string]>([
    ["for a wrong password", { password: secret }, "It refused the user or the password."],
    [
      "for a user that there isn't",
      { user: "nobody-here", password: secret },
      "It refused the user or the password.",
    ],
    [
      "for a wrong name of the database",
      { database: "elsewhere" },
      "The server has no database of the declared name.",
    ],
    [
      "for an address where nothing answers",
      { port: 1 },
      "Nothing answers at its address, or the connection was lost.",
    ],
    ["for a server without encryption", { tls: true }, "It doesn't offer an encrypted connection."],
  ])("says so %s, and shows no secret", async (_when, connection, why) => {
    const broken = open(connection);
    await broken.settled;
    expect([broken.state.status, broken.state.problem]).toEqual(["down", expect.stringContaining(why)]);
    const error = await failureOf(broken.examine("SELECT 1", []));
    expect([error.code, error.why]).toEqual(["upstream-unavailable", why]);
    expect(`${broken.state.problem} ${words(error)}`).not.toMatch(/nobody|a-password|elsewhere|127\.0\.0\.1/);
    await broken.close();
  });

  it("is given by an address as well, and an address that says more than where is an error", async () => {
    const { port } = server;
    const url = `postgres://reader:${READER_PASSWORD}@127.0.0.1:${port}/postgres`;
    const connection = { url, schema: "public", tls: false };
    const made = openPostgresEngine({ id: "office", seconds: 5, connection });
    expect((await query("SELECT 1", [], {}, made)).rows).toEqual([[1]]);
    await made.close();
    for (const wrong of [`${url}?sslmode=disable`, "mysql://x/y", "nonsense"]) {
      const opening = () =>
        openPostgresEngine({ id: "office", seconds: 5, connection: { ...connection, url: wrong } });
      expect(opening).toThrow("The address of the database `office` can't be used.");
      expect(opening).not.toThrow(READER_PASSWORD);
    }
  });

  it("is waited for no longer than the time for a connection", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const connected = once(silent, "connection");
    const address = silent.address();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const broken = open({ port: typeof address === "object" ? (address?.port ?? 1) : 1 });
      await connected;
      vi.advanceTimersByTime(10_000);
      await broken.settled;
      expect(broken.state.problem).toContain("It didn't answer in time.");
      await broken.close();
    } finally {
      vi.useRealTimers();
      silent.close();
    }
  });

  it("answers nothing any more once it is closed", async () => {
    const closing = open();
    await closing.settled;
    await closing.close();
    expect(closing.state.status).toBe("closed");
    expect((await failureOf(closing.tables())).code).toBe("upstream-unavailable");
  });
});

describe("a server that goes away", () => {
  it("is told from one that is there, and found again by itself", async () => {
    const other = await startPostgres();
    const { host, port, user, password, database } = other;
    const made = open({ host, port, user, password, database });
    await made.settled;
    const states: string[] = [];
    made.watch(() => states.push(made.state.status));
    const prepared = await preparedFor("SELECT 1", [], made);
    await other.halt();
    const error = await failureOf(made.run(prepared, PAGE));
    expect([error.code, states]).toEqual(["upstream-unavailable", ["down"]]);
    await other.resume();
    await expect.poll(() => made.state.status, { timeout: 20_000 }).toBe("ready");
    expect((await made.run(prepared, PAGE)).rows).toEqual([[1]]);
    await made.close();
    await other.stop();
  });

  it("ends only the connections that it breaks", async () => {
    await query("SELECT 1");
    await server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
    expect((await query("SELECT 1")).rows).toEqual([[1]]);
    expect(engine.state.status).toBe("ready");
  });
});
