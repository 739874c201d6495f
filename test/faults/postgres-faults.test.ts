/**
 * What a PostgreSQL store acknowledged is there, whichever process ends in the middle of it: the gateway's, one of the
 * server's, or the server itself. `npm run test:all` runs each many times.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGate, definePolicy } from "../../src/index.ts";
import { openPostgresStore } from "../../src/stores/index.ts";
import { linesIn, writeThrough } from "../fixtures/acknowledged-lines.ts";
import { MODES, runFamilies } from "../fixtures/family-load.ts";
import { type PostgresServer, startPostgres } from "../fixtures/postgres.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || 20261123;
const IS_LONG = Number(process.env.SLUICEGATE_CASES) >= 100_000;
const [KILLS, CRASHES, RAISES, FAILURES] = IS_LONG ? [20, 10, 4000, 60] : [2, 1, 100, 2];
const WRITER = new URL("../fixtures/store-writer.ts", import.meta.url).pathname;

let server: PostgresServer;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

async function freshDatabase(): Promise<{ name: string; url: string }> {
  databases += 1;
  const name = `faults${databases}`;
  await server.execute(`CREATE DATABASE ${name}`);
  const { user, password, host, port } = server;
  return { name, url: `postgres://${user}:${password}@${host}:${port}/${name}` };
}

/** Runs a process that writes without end, kills it after so many lines, and gives what was acknowledged to it. */
async function killAfter(url: string, count: number): Promise<readonly string[]> {
  const writer = spawn(process.execPath, [WRITER, url, "forever"], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    lines.push(line);
    if (lines.length === count) writer.kill("SIGKILL");
  }
  return lines.filter((line) => line !== "ready");
}

describe("A PostgreSQL store", () => {
  it(`has every acknowledged entry after each of ${KILLS} kills of who writes (seed ${SEED}, X15-postgres)`, async () => {
    const random = seededRandom(SEED);
    const { url } = await freshDatabase();
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      acknowledged.push(...(await killAfter(url, 2 + random(60))));
      const found = await linesIn(url);
      expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS);
  });

  it("has every acknowledged entry where the server's processes are ended under it (X15-postgres)", async () => {
    const { name, url } = await freshDatabase();
    const acknowledged = await writeThrough(url, async () => {
      for (let round = 0; round < 5 * CRASHES; round += 1)
        await server.execute(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
        );
    });
    const found = await linesIn(url);
    expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
  });

  it("has every acknowledged entry after its server crashed, and goes on by itself (X15-postgres)", async () => {
    const { url } = await freshDatabase();
    const acknowledged = await writeThrough(url, async () => {
      for (let crash = 0; crash < CRASHES; crash += 1) {
        await server.crash();
        await server.resume();
      }
    });
    const found = await linesIn(url);
    expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
  });

  it(`keeps each of ${RAISES} raises by two gates at once (law-3, X16)`, async () => {
    const { url } = await freshDatabase();
    const stores = [await openPostgresStore(url), await openPostgresStore(url)];
    const policy = definePolicy({}, { version: "test" });
    const gates = stores.map((store) => createGate({ policy, store }));
    const { id } = await (gates[0] ?? expect.fail()).open();
    const raise = async (writer: number): Promise<void> => {
      const session = await gates[writer]?.session(id);
      for (let at = writer; at < RAISES; at += 2)
        await session?.addDataset("crm", { level: "internal", categories: [`customer:${at % 50}`] });
    };
    await Promise.all([raise(0), raise(1)]);
    for (const gate of gates) expect((await gate.session(id))?.label.categories).toHaveLength(50);
    expect(await gates[0]?.verify()).toMatchObject({ ok: true, sessions: 1, entries: RAISES + 1 });
    await Promise.all(gates.map((gate) => gate.close()));
  });

  it(`keeps I1 to I4 over ${FAILURES} failing operations (seed ${SEED}, law-3, law-7, law-8)`, async () => {
    const random = seededRandom(SEED);
    const run = async (seed: number, failure: Parameters<typeof runFamilies>[1]) => {
      const { url } = await freshDatabase();
      const store = await openPostgresStore(url);
      const outcome = await runFamilies(seed, failure, store);
      await store.close();
      return outcome;
    };
    let failed = 0;
    // How operations interleave decides how many there are, so some runs end before theirs fails, and don't count.
    for (let tried = 0; failed < FAILURES && tried < 4 * FAILURES; tried += 1) {
      const seed = random(2 ** 31);
      const failure = { nth: 1 + random(400), mode: MODES[random(MODES.length)] ?? "before" };
      const { violations, operations } = await run(seed, failure);
      failed += operations >= failure.nth ? 1 : 0;
      expect(violations, `load ${seed}, ${JSON.stringify(failure)}`).toEqual([]);
    }
    expect(failed).toBe(FAILURES);
  }, 300_000);
});
