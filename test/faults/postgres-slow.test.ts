/**
 * Two gateways under load whose PostgreSQL is slow, or takes what it is sent and answers nothing for a while.
 * `SLUICEGATE_SEED` plays a run again, as far as timing allows.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { type Look, startLoadUnderFault, untilReady, watchHealth } from "../fixtures/load-under-fault.ts";
import { machineSlowness } from "../fixtures/machine-slowness.ts";
import { LOAD_TOOLS, loadPolicy } from "../fixtures/owed-labels.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy.ts";
import { startRecordingUpstream } from "../fixtures/upstream-recording.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || 20261123;
/** A decision that can't be made in time is a denial: the store's five seconds, and those of a busy machine. */
const ANSWERED_MS = 12_000;
const BACK_MS = 10_000;

const slowestOf = (looks: readonly Look[]): number => Math.max(...looks.map(({ tookMs }) => tookMs));

async function createSlow() {
  const upstream = await startRecordingUpstream(LOAD_TOOLS);
  const server = await startPostgres(["-c", "track_commit_timestamp=on"]);
  const proxy = await startTcpProxy(server.port);
  const urlOf = (port: number) => `postgres://${server.user}:${server.password}@127.0.0.1:${port}/postgres`;
  const database = urlOf(proxy.port);
  const gateways = [1, 2].map(() => createKillableGateway(loadPolicy(upstream.url), { database }));
  for (const gateway of gateways) await gateway.start();
  return {
    upstream,
    proxy,
    gateways,
    url: urlOf(server.port),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map((gateway) => gateway.remove()));
      await upstream.close();
      proxy.close();
      await server.stop();
    },
  };
}

/** A read of a session's own, and how long it took. */
async function probe(gateway: KillableGateway, session: string, id: string) {
  const began = performance.now();
  const body = { tool: "search_web", arguments: { id, manner: "at-once", after: 0, size: 1 } };
  const { effect, error } = await gateway.request("POST", `/v1/session/${session}/decide`, body);
  return { effect, code: error?.code, tookMs: performance.now() - began };
}

interface SlowCase {
  readonly title: string;
  readonly begin: (proxy: TcpProxy) => void;
  readonly end: (proxy: TcpProxy) => void;
  readonly lastsMs: number;
  /** Whether calls are still allowed meanwhile, whether they fail, and whether the gateway says that it is ready. */
  readonly serves: boolean;
}

const CASES: readonly SlowCase[] = [
  {
    title: "takes 20 ms a message",
    begin: (proxy) => proxy.delay(20),
    end: (proxy) => proxy.delay(0),
    lastsMs: 4000,
    serves: true,
  },
  {
    title: "takes 500 ms a message",
    begin: (proxy) => proxy.delay(500),
    end: (proxy) => proxy.delay(0),
    lastsMs: 10_000,
    serves: true,
  },
  {
    title: "answers nothing for nine seconds",
    begin: (proxy) => proxy.holdAnswers(),
    end: (proxy) => proxy.releaseAnswers(),
    lastsMs: 9000,
    serves: false,
  },
];

it.each(
  CASES,
)(`keeps I1 to I4 and answers in time where PostgreSQL $title, with the seed ${SEED} (X15-postgres, law-3, law-7, law-8, law-9)`, async ({
  title,
  begin,
  end,
  lastsMs,
  serves,
}) => {
  await using slow = await createSlow();
  const { gateways, upstream, proxy } = slow;
  const random = seededRandom(SEED);
  const told = `${title}, seed ${SEED}`;
  const over = new AbortController();
  const ready = gateways.map((gateway) => watchHealth(gateway, "/readyz", over.signal));
  const alive = gateways.map((gateway) => watchHealth(gateway, "/healthz", over.signal));
  const own = await Promise.all(gateways.map((gateway) => gateway.request("POST", "/v1/session", {})));
  const load = await startLoadUnderFault({ gateways, upstream, random, told });
  await load.untilReached(10 + random(20));

  const beganAt = performance.now();
  begin(proxy);
  const probes: Awaited<ReturnType<typeof probe>>[] = [];
  const probing = gateways.map(async (gateway, at) => {
    for (let count = 0; performance.now() < beganAt + lastsMs; count += 1)
      probes.push(await probe(gateway, own[at].session_id, `probe-${at}-${count}`));
  });
  await pause(lastsMs);
  const endedAt = performance.now();
  end(proxy);
  await load.untilReached(10);
  await Promise.all(ready.map((looks) => untilReady(looks, told)));
  const backMs = performance.now() - endedAt;
  await Promise.all(probing);
  const count = await load.finish(slow.url);
  over.abort();
  const slowness = machineSlowness();

  expect(backMs / slowness, told).toBeLessThan(BACK_MS);
  expect(Math.max(...probes.map(({ tookMs }) => tookMs)) / slowness, told).toBeLessThan(ANSWERED_MS);
  for (const { effect, code } of probes)
    expect(effect === "allow" || code === "store-failed", told).toBe(true);
  if (serves)
    expect(
      probes.some(({ effect }) => effect === "allow"),
      told,
    ).toBe(true);
  else
    expect(
      probes.some(({ code }) => code === "store-failed"),
      told,
    ).toBe(true);
  for (const looks of alive) {
    expect(
      looks.filter(({ status }) => status !== 200),
      told,
    ).toEqual([]);
    expect(slowestOf(looks) / slowness, told).toBeLessThan(1000);
  }
  for (const looks of ready) {
    expect(slowestOf(looks) / slowness, told).toBeLessThan(3000);
    const during = looks.filter(({ began }) => began > beganAt + 3000 && began < endedAt - 1000);
    if (!serves)
      expect(
        during.filter(({ status }) => status !== 503),
        told,
      ).toEqual([]);
  }
  const slowest = Math.round(Math.max(...probes.map(({ tookMs }) => tookMs)));
  const failed = probes.filter(({ code }) => code === "store-failed").length;
  console.log(
    `${told}: ${probes.length} decisions beside it, ${failed} failed, ${slowest} ms the slowest; back after ${Math.round(backMs)} ms`,
    count,
  );
}, 120_000);
