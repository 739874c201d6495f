/**
 * Two gateways that know both servers of a replicated PostgreSQL, under load from clients who share sessions: the primary
 * is killed, and its synchronous standby takes over. `SLUICEGATE_SEED` plays a run again, as far as timing allows.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { verifyStore } from "../../src/runtime/index.ts";
import { openPostgresStore } from "../../src/stores/index.ts";
import { readAdmissionsOfDatabase } from "../fixtures/admission-reader.ts";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { LOAD_TOOLS, loadPolicy, OwedLabels } from "../fixtures/owed-labels.ts";
import { startPostgres, startStandby } from "../fixtures/postgres.ts";
import { hasLabelledBytes, type LoadCall, send, startLoad } from "../fixtures/recorded-load.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { startRecordingUpstream } from "../fixtures/upstream-recording.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || 20261123;
const FAMILIES = 4;
/** How long nobody takes writes, beyond what a gateway may take to notice it. */
const OUTAGE_MS = 3000;
const NOTICED_MS = 3000;
/** After the standby took over. */
const BACK_MS = 10_000;

interface Look {
  readonly began: number;
  readonly status: number;
  readonly tookMs: number;
}

/** Asks again and again whether a gateway is ready. */
function watchReadiness(gateway: KillableGateway, signal: AbortSignal): readonly Look[] {
  const looks: Look[] = [];
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const began = performance.now();
      const { status } = await fetch(`${gateway.url()}/readyz`);
      looks.push({ began, status, tookMs: performance.now() - began });
      await pause(100);
    }
  };
  watch().catch(() => {});
  return looks;
}

/** A session and its fork, which shares its label. */
async function openFamily(gateway: KillableGateway, owed: OwedLabels): Promise<readonly string[]> {
  const opened = await gateway.request("POST", "/v1/session", {});
  const own = { authorization: `Bearer ${opened.session_token}` };
  const fork = await gateway.request("POST", `/v1/session/${opened.session_id}/fork`, {}, own);
  owed.setFamily(fork.session_id, opened.session_id);
  return [opened.session_id, fork.session_id];
}

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
  const owed = new OwedLabels();
  const reached: { readonly tool: string; readonly arguments: any; readonly by: number }[] = [];
  // What was committed within this millisecond counts as before.
  upstream.events.on("call", (call) => reached.push({ ...call, by: Date.now() + 1 }));
  const sessions = (
    await Promise.all(
      gateways.flatMap((gateway) => Array.from({ length: FAMILIES / 2 }, () => openFamily(gateway, owed))),
    )
  ).flat();
  const over = new AbortController();
  const looks = gateways.map((gateway) => watchReadiness(gateway, over.signal));
  // Both gateways' clients use the same sessions.
  const loads = gateways.map((gateway, at) =>
    startLoad(gateway, { sessions, name: `g${at}`, random, gone: over.signal }),
  );
  const untilReached = async (count: number, name = ""): Promise<void> => {
    const came = (): number => reached.filter(({ arguments: { id } }) => id.startsWith(name)).length;
    const before = came();
    await expect.poll(came, { interval: 5 }).toBeGreaterThanOrEqual(before + count);
  };
  await untilReached(30 + random(50));
  await pause(random(50));
  const killedAt = performance.now();
  await primary.crash("SIGKILL");
  await pause(NOTICED_MS + OUTAGE_MS);
  const promotingAt = performance.now();
  await standby.execute("SELECT pg_promote()");
  const promotedAt = performance.now();
  await Promise.all([untilReached(10, "g0"), untilReached(10, "g1")]);
  const isReady = (at: number): boolean => looks[at]?.at(-1)?.status === 200;
  await expect.poll(() => isReady(0) && isReady(1), { interval: 5 }).toBe(true);
  const backMs = performance.now() - promotedAt;
  over.abort();
  await endLoads(gateways[0] ?? expect.fail(), Promise.all(loads.map((load) => load.over)));

  // Both said that they weren't ready as long as nobody took writes, and each look was quick.
  for (const own of looks) {
    const down = own.filter(({ began }) => began > killedAt + NOTICED_MS && began < promotingAt - 1000);
    expect(down.length).toBeGreaterThan(1);
    expect(down.filter(({ status }) => status !== 503)).toEqual([]);
    expect(own.filter(({ began, status }) => began < killedAt - 1000 && status !== 200)).toEqual([]);
    expect(Math.max(...own.map(({ tookMs }) => tookMs))).toBeLessThan(3000);
  }
  expect(backMs).toBeLessThan(BACK_MS);

  const all = loads.flatMap(({ calls }) => calls);
  owed.collect(all);
  for (const gateway of gateways)
    for (const session of sessions) {
      const { label } = await gateway.request("GET", `/v1/session/${session}`);
      owed.assertCovered(session, label, `seed ${SEED}`);
    }
  const journal = readAdmissionsOfDatabase(pair.survivor);
  const sent = new Map(all.map((call) => [call.arguments.id, call]));
  expect(new Set(reached.map(({ arguments: { id } }) => id)).size).toBe(reached.length);
  for (const { tool, arguments: args, by } of reached) {
    const call = sent.get(args.id) ?? expect.fail(`nobody sent ${args.id}`);
    expect(args).toEqual(call.arguments);
    expect(await journal.admissionsOf(args, by)).toEqual([
      { session: call.session, tool: `mcp__outside__${tool}` },
    ]);
    if (tool === "pay") expect(call.yes).not.toBe("none");
  }
  const isRefusal = ({ effect }: { effect?: string }): boolean => effect === "deny" || effect === "ask";
  const refused = all.filter(({ answers }) => answers.length > 0 && answers.every(isRefusal));
  const cameIn = new Set(reached.map(({ arguments: { id } }) => id));
  expect(refused.filter(({ arguments: { id }, yes }) => yes === "none" && cameIn.has(id))).toEqual([]);
  // Sent again at the other gateway, a call runs where its yes was acknowledged and not used yet, and at most once.
  for (const call of all.filter(({ tool }) => tool === "pay")) {
    const before = (await journal.admissionsOf(call.arguments)).length;
    const other = gateways[call.arguments.id.startsWith("g0") ? 1 : 0] ?? expect.fail();
    const again: LoadCall = { ...call, received: "", answers: [] };
    await send(other, again, {});
    const now = (await journal.admissionsOf(call.arguments)).length;
    expect(now, JSON.stringify(again)).toBeLessThanOrEqual(call.yes === "none" ? 0 : 1);
    if (isOwedRun(call) && before === 0) expect(again.answers[0]?.effect).toBe("allow");
  }
  await journal.close();
  const store = await openPostgresStore(pair.survivor, { mustExist: true });
  expect((await verifyStore(store)).problems).toEqual([]);
  await store.close();
  // Where the old primary comes back as one, who runs stays with the new one, and who starts refuses the old one.
  await primary.resume();
  const [restarted, running] = gateways as [KillableGateway, KillableGateway];
  await restarted.kill();
  await expect(restarted.start()).rejects.toThrow("The store has lost its last writes");
  expect(await running.request("POST", "/v1/session", {})).toMatchObject({ session_id: expect.any(String) });
  // The run is worth something only where calls of all kinds were on their way, and some failed.
  const failed = all.filter(({ answers }) => answers.some(({ error }) => error?.code === "store-failed"));
  const count = { reached: reached.length, refused: refused.length, failed: failed.length };
  expect([all.some(hasLabelledBytes), all.some(isOwedRun), refused.length > 0, failed.length > 0]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  console.log(`failover, seed ${SEED}: back ${Math.round(backMs)} ms after the standby took over`, count);
}, 180_000);

const isOwedRun = ({ yes }: LoadCall): boolean => yes === "acknowledged";

/** Denies what still waits for a person, so that no client waits for an answer that nobody gives. */
async function endLoads(gateway: KillableGateway, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  over.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { approvals } = await gateway.request("GET", "/v1/approvals?status=pending");
    for (const { id } of approvals) await gateway.request("POST", `/v1/approvals/${id}/deny`, {});
    await pause(200);
  }
}
