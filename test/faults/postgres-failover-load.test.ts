/**
 * Two gateways that know both servers of a replicated PostgreSQL, under load from clients who share sessions: the primary
 * is killed, and its synchronous standby takes over. `SLUICEGATE_SEED` plays a run again, as far as timing allows.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { startLoadUnderFault, untilReady, watchHealth } from "../fixtures/load-under-fault.ts";
import { machineSlowness } from "../fixtures/machine-slowness.ts";
import { LOAD_TOOLS, loadPolicy } from "../fixtures/owed-labels.ts";
import { startPostgres, startStandby } from "../fixtures/postgres.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { startRecordingUpstream } from "../fixtures/upstream-recording.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || 20261123;
/** How long nobody takes writes, beyond what a gateway may take to notice it. */
/** Time for several looks, each of which waits for a connection. */
const OUTAGE_MS = 10_000;
const NOTICED_MS = 3000;
/** After the standby took over. */
const BACK_MS = 10_000;

/** Two servers, the second of which has all that the first acknowledged; and two gateways that know both. */
async function createPair() {
  const upstream = await startRecordingUpstream(LOAD_TOOLS);
  const primary = await startPostgres(["-c", "track_commit_timestamp=on"]);
  // In the file, so that the standby has it too.
  await primary.execute("ALTER SYSTEM SET track_commit_timestamp = on");
  const standby = await startStandby(primary);
  await primary.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await primary.execute("SELECT pg_reload_conf()");
  const { user, password, database: name } = primary;
  const urlOf = (hosts: string): string => `postgres://${user}:${password}@${hosts}/${name}`;
  const [first, second] = [`127.0.0.1:${primary.port}`, `127.0.0.1:${standby.port}`];
  const policy = loadPolicy(upstream.url);
  // In either order: the one that takes writes is found.
  const gateways = [`${first},${second}`, `${second},${first}`].map((hosts) =>
    createKillableGateway(policy, { database: urlOf(hosts) }),
  );
  for (const gateway of gateways) await gateway.start();
  return {
    upstream,
    primary,
    standby,
    gateways,
    survivor: urlOf(second),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map((gateway) => gateway.remove()));
      await upstream.close();
      await standby.stop();
      await primary.stop();
    },
  };
}

it(`keeps I1 to I4 while a PostgreSQL that is killed fails over under the load of two gateways, with the seed ${SEED} (X15-postgres, X15-approvals, X16, law-3, law-7, law-8)`, async () => {
  await using pair = await createPair();
  const { upstream, primary, standby, gateways } = pair;
  const random = seededRandom(SEED);
  const told = `seed ${SEED}`;
  const over = new AbortController();
  const looks = gateways.map((gateway) => watchHealth(gateway, "/readyz", over.signal));
  const load = await startLoadUnderFault({ gateways, upstream, random, told });
  await load.untilReached(15 + random(25));
  await pause(random(50));
  const killedAt = performance.now();
  await primary.crash("SIGKILL");
  await pause(NOTICED_MS + OUTAGE_MS);
  const promotingAt = performance.now();
  await standby.execute("SELECT pg_promote()");
  const promotedAt = performance.now();
  await load.untilReached(10);
  await Promise.all(looks.map((own) => untilReady(own, told)));
  const backMs = performance.now() - promotedAt;
  const slowness = machineSlowness();
  const count = await load.finish(pair.survivor);
  over.abort();

  // Both said that they weren't ready as long as nobody took writes, and each look was quick.
  for (const own of looks) {
    const down = own.filter(({ began }) => began > killedAt + NOTICED_MS && began < promotingAt - 1000);
    expect(down.length, told).toBeGreaterThan(1);
    expect(
      down.filter(({ status }) => status !== 503),
      told,
    ).toEqual([]);
    const before = own.filter(({ began }) => began < killedAt - 1000);
    expect(
      before.filter(({ status }) => status !== 200),
      told,
    ).toEqual([]);
    expect(Math.max(...own.map(({ tookMs }) => tookMs)) / slowness, told).toBeLessThan(3000);
  }
  expect(backMs / slowness, told).toBeLessThan(BACK_MS);
  expect(count.failed, told).toBeGreaterThan(0);
  // Where the old primary comes back as one, who runs stays with the new one, and who starts refuses the old one.
  await primary.resume();
  const [restarted, running] = gateways as [KillableGateway, KillableGateway];
  await restarted.kill();
  await expect(restarted.start()).rejects.toThrow("The store has lost its last writes");
  expect(await running.request("POST", "/v1/session", {})).toMatchObject({ session_id: expect.any(String) });
  console.log(`failover, seed ${SEED}: back ${Math.round(backMs)} ms after the standby took over`, count);
}, 180_000);
