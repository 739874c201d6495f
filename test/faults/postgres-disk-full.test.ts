/**
 * Two gateways under load whose PostgreSQL has no room left: for its tables, so that it refuses what would extend them;
 * and for its log, so that it ends itself. `SLUICEGATE_SEED` plays a run again, as far as timing allows.
 */
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createKillableGateway } from "../fixtures/killable-gateway.ts";
import { startLoadUnderFault, untilReady, watchHealth } from "../fixtures/load-under-fault.ts";
import { machineSlowness } from "../fixtures/machine-slowness.ts";
import { LOAD_TOOLS, loadPolicy } from "../fixtures/owed-labels.ts";
import { type PostgresServer, startPostgres } from "../fixtures/postgres.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { fillDisk, mountSmallDisk } from "../fixtures/small-disk.ts";
import { startRecordingUpstream } from "../fixtures/upstream-recording.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || 20261123;
/** How long the disk is full, once a gateway has said that it isn't ready. */
const FULL_MS = 4000;
const BACK_MS = 15_000;

const disk = mountSmallDisk("200m");
const folder = "folder" in disk ? disk.folder : "";
const skipped = "reason" in disk ? ` (skipped here: ${disk.reason})` : "";

async function createOnDisk() {
  const upstream = await startRecordingUpstream(LOAD_TOOLS);
  const server = await startPostgres(["-c", "track_commit_timestamp=on"], folder);
  const { user, password, host, port, database: name } = server;
  const database = `postgres://${user}:${password}@${host}:${port}/${name}`;
  // Their own states lie on a disk with room.
  const gateways = [1, 2].map(() => createKillableGateway(loadPolicy(upstream.url), { database }));
  for (const gateway of gateways) await gateway.start();
  return {
    upstream,
    server,
    database,
    gateways,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map((gateway) => gateway.remove()));
      await upstream.close();
      await server.stop();
    },
  };
}

const isRunning = ({ log }: PostgresServer): boolean => existsSync(join(dirname(log), "postmaster.pid"));

/** Begins new files of its log until it can't, and has ended. */
async function endLog(server: PostgresServer): Promise<void> {
  await expect
    .poll(async () => {
      await server.execute("SELECT pg_current_xact_id(); SELECT pg_switch_wal()").catch(() => {});
      return isRunning(server);
    })
    .toBe(false);
}

describe.skipIf(skipped !== "")(`A PostgreSQL on a full disk${skipped}`, () => {
  it.each([
    ["refuses what would extend its tables", async () => {}, true],
    ["ends itself, having no room for its log", endLog, false],
  ] as const)(
    `%s: I1 to I4 hold and gateways go on once there is room, with the seed ${SEED} (X15-postgres, law-3, law-7, law-8, law-9)`,
    async (title, worsen, stays) => {
      await using full = await createOnDisk();
      const { gateways, upstream, server } = full;
      const random = seededRandom(SEED);
      const told = `${title}, seed ${SEED}`;
      const over = new AbortController();
      const ready = gateways.map((gateway) => watchHealth(gateway, "/readyz", over.signal));
      const alive = gateways.map((gateway) => watchHealth(gateway, "/healthz", over.signal));
      const load = await startLoadUnderFault({ gateways, upstream, random, told });
      await load.untilReached(10 + random(20));

      const filler = fillDisk(folder);
      await worsen(server);
      const saidSo = (): boolean => ready.some((looks) => looks.at(-1)?.status === 503);
      await expect.poll(saidSo, { interval: 5, message: told }).toBe(true);
      await pause(FULL_MS);
      expect(isRunning(server), told).toBe(stays);
      const freedAt = performance.now();
      rmSync(filler);
      if (!stays) await server.resume();
      await load.untilReached(10);
      await Promise.all(ready.map((looks) => untilReady(looks, told)));
      const backMs = performance.now() - freedAt;
      const count = await load.finish(full.database);
      over.abort();
      const slowness = machineSlowness();

      expect(backMs / slowness, told).toBeLessThan(BACK_MS);
      expect(count.failed, told).toBeGreaterThan(0);
      for (const looks of alive) {
        expect(
          looks.filter(({ status }) => status !== 200),
          told,
        ).toEqual([]);
        expect(Math.max(...looks.map(({ tookMs }) => tookMs)) / slowness, told).toBeLessThan(1000);
      }
      for (const looks of ready)
        expect(Math.max(...looks.map(({ tookMs }) => tookMs)) / slowness, told).toBeLessThan(3000);
      console.log(`${told}: back ${Math.round(backMs)} ms after there was room`, count);
    },
    120_000,
  );
});
