/**
 * A PostgreSQL whose machine fails and whose standby takes over at the same address, as behind a virtual IP or a proxy.
 */
import { describe, expect, it } from "vitest";
import { createGate, definePolicy } from "../../src/index.ts";
import { openPostgresStore } from "../../src/stores/index.ts";
import { linesIn, writeThrough } from "../fixtures/acknowledged-lines.ts";
import { startPostgres, startStandby } from "../fixtures/postgres.ts";
import { codeOf } from "../fixtures/sealed-events.ts";
import { startTcpProxy } from "../fixtures/tcp-proxy.ts";

const POLICY = definePolicy({ tools: { look: { permissions: ["read"] } } });

/** A primary and its standby, at one address that leads to whoever takes writes. */
async function startPair() {
  const primary = await startPostgres();
  const standby = await startStandby(primary);
  const proxy = await startTcpProxy(primary.port);
  return {
    primary,
    standby,
    url: `postgres://${primary.user}:${primary.password}@127.0.0.1:${proxy.port}/${primary.database}`,
    /** The primary's machine fails. */
    failOver: async () => {
      await primary.crash();
      await standby.execute("SELECT pg_promote()");
      proxy.leadTo(standby.port);
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      await standby.stop();
      await primary.stop();
    },
  };
}

describe("A PostgreSQL that fails over", () => {
  it("has every acknowledged entry where its standby is synchronous, and gates go on by themselves (X15-postgres, X16, law-8)", async () => {
    await using pair = await startPair();
    const { primary, url } = pair;
    await primary.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await primary.execute("SELECT pg_reload_conf()");
    const open = async () => createGate({ policy: POLICY, store: await openPostgresStore(url) });
    const gates = [await open(), await open()];
    const { id } = await (gates[0] ?? expect.fail()).open();
    const raised = new Set<string>();
    let next = 0;
    let goesOn = true;
    const raising = gates.map(async (gate) => {
      const session = (await gate.session(id)) ?? expect.fail();
      while (goesOn) {
        const category = `customer:${next++ % 200}`;
        const data = { level: "internal", categories: [category] };
        const code = await codeOf(session.addDataset("crm", data));
        if (code !== "store-failed") expect(code).toEqual({ resolved: undefined });
        if (code !== "store-failed") raised.add(category);
      }
    });
    let outageMs = Number.POSITIVE_INFINITY;
    const acknowledged = await writeThrough(url, async () => {
      const began = performance.now();
      await pair.failOver();
      const before = raised.size;
      await expect.poll(() => raised.size, { interval: 5 }).toBeGreaterThan(before);
      outageMs = performance.now() - began;
    });
    goesOn = false;
    await Promise.all(raising);
    expect(outageMs).toBeLessThan(20_000);
    const found = await linesIn(url);
    expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
    for (const gate of gates)
      expect((await gate.session(id))?.label.categories).toEqual(expect.arrayContaining([...raised]));
    await Promise.all(gates.map((gate) => gate.close()));
  });

  it("is refused where the standby lacks what was acknowledged, instead of forgetting what raised a label (X15-postgres, law-8)", async () => {
    await using pair = await startPair();
    const { primary, standby, url } = pair;
    const gate = createGate({ policy: POLICY, store: await openPostgresStore(url) });
    const session = await gate.open();
    await expect.poll(async () => (await primary.execute(LAG))[0]?.lag).toBe("0");
    // From here on the standby gets nothing more.
    await standby.execute("ALTER SYSTEM SET primary_conninfo = ''");
    await standby.execute("SELECT pg_reload_conf()");
    await expect.poll(() => primary.execute("SELECT * FROM pg_stat_replication")).toEqual([]);
    await session.addDataset("crm", { level: "internal", categories: ["customer:1"] });
    await pair.failOver();
    const decided = () => codeOf(session.decide([{ tool: "look" }]));
    await expect.poll(decided).toBe("store-damaged");
    await gate.close();
  });
});

const LAG = "SELECT (pg_current_wal_lsn() - replay_lsn)::text AS lag FROM pg_stat_replication";
