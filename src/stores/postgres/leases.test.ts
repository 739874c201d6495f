import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../test/fixtures/postgres.ts";
import { openPostgresStore, type PostgresStore } from "./postgres.ts";

const LEASE_MS = 600;
let server: PostgresServer;
let stores: readonly PostgresStore[];

beforeAll(async () => {
  server = await startPostgres();
  const url = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/${server.database}`;
  stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.stop();
});

const orders = () => stores.map((store) => store.runOrder({ leaseMs: LEASE_MS }));
const ticketsOf = async (session: string): Promise<number> => {
  const rows = await server.execute(`SELECT FROM sluicegate.turns WHERE session = '${session}'`);
  return rows.length;
};

it("gives the turns of one session in the order in which processes came, with growing fences, and of others at once (B4-nodes)", async () => {
  const [here, there] = orders();
  if (!here || !there) throw new Error("Two orders were made.");
  const first = await here.enter("s");
  const began: string[] = [];
  const waiting: Promise<number>[] = [];
  for (const [name, order] of [
    ["b", there],
    ["c", here],
    ["d", there],
  ] as const) {
    waiting.push(
      order.enter("s").then(async (turn) => {
        began.push(name);
        await turn.end();
        return turn.fence;
      }),
    );
    await expect.poll(() => ticketsOf("s")).toBe(waiting.length + 1);
  }
  await (await there.enter("other")).end();
  expect(began).toEqual([]);
  await first.end();
  const fences = await Promise.all(waiting);
  expect(began).toEqual(["b", "c", "d"]);
  expect([first.fence, ...fences]).toEqual([first.fence, ...fences].toSorted((one, other) => one - other));
  expect(await ticketsOf("s")).toBe(0);
});

it("keeps a turn that is renewed, and passes on one whose process is gone (B4-nodes)", async () => {
  const [here, there] = orders();
  const kept = await here?.enter("long");
  const first = (await server.execute("SELECT until::text FROM sluicegate.turns"))[0]?.until;
  const waiting = there?.enter("long");
  let began = false;
  waiting?.then(() => {
    began = true;
  });
  const isRenewed = async (): Promise<boolean> => {
    const [row] = await server.execute(
      `SELECT until > '${first}'::timestamptz + interval '${LEASE_MS} ms' AS renewed FROM sluicegate.turns
       WHERE session = 'long' ORDER BY ticket LIMIT 1`,
    );
    return row?.renewed === true;
  };
  await expect.poll(isRenewed).toBe(true);
  expect([began, kept?.lost.aborted]).toEqual([false, false]);
  await kept?.end();
  await (await waiting)?.end();
  await server.execute(
    "INSERT INTO sluicegate.turns VALUES ('dead', nextval('sluicegate.tickets'), clock_timestamp() + interval '0.5 s')",
  );
  await (await here?.enter("dead"))?.end();
});

it("tells a run that its turn was lost, and takes whoever leaves out of the queue (B4-nodes)", async () => {
  const [here, there] = orders();
  const turn = await here?.enter("lost");
  const leaving = new AbortController();
  const waiting = there?.enter("lost", leaving.signal);
  await expect.poll(() => ticketsOf("lost")).toBe(2);
  leaving.abort(new Error("Nobody waits any more."));
  await expect(waiting).rejects.toThrow("Nobody waits any more.");
  expect(await ticketsOf("lost")).toBe(1);
  await server.execute("DELETE FROM sluicegate.turns WHERE session = 'lost'");
  await expect.poll(() => turn?.lost.aborted).toBe(true);
  expect(turn?.lost.reason).toMatchObject({ code: "store-failed", message: "The run has lost its turn." });
  await turn?.end();
});
