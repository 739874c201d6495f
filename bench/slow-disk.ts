/** Decisions and the health endpoint of a gateway whose disk takes 20 ms or half a second for each commit. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Benchmark, type Figure } from "./benchmark.ts";
import { measureLoad } from "./load.ts";
import { quantile } from "./measure.ts";
import { openSessions, REST_POLICY } from "./rest.ts";
import { asPublished, startServe } from "./served-gateway.ts";

const PROBE_EVERY_MS = 20;
const DISKS_MS = [20, 500];

/** How long each health check took, in milliseconds, until it is stopped. */
async function probe(url: string, signal: AbortSignal): Promise<readonly number[]> {
  const took: number[] = [];
  while (!signal.aborted) {
    const began = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    took.push(performance.now() - began);
    await sleep(PROBE_EVERY_MS);
  }
  return took;
}

export const slowDisk: Benchmark = {
  name: "slow-disk",
  title:
    "a gateway on a disk that is slow to commit, 32 connections that decide (needs Linux and a C compiler)",
  run: async ({ quick, scratch, published, progress }) => {
    const [library, trigger] = [join(scratch, "slow-sync.so"), join(scratch, "slow")];
    const source = resolve(import.meta.dirname, "../test/fixtures/failing-sync.c");
    execFileSync("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
    writeFileSync(trigger, "");
    const figures: Figure[] = [];
    for (const disk of DISKS_MS) {
      progress(`${disk} ms`);
      const env = { LD_PRELOAD: library, FAIL_SYNC: trigger, SLOW_SYNC: String(disk * 1000) };
      const stem = join(scratch, `disk-${disk}`);
      const { url, program } = await startServe(asPublished(published()), stem, REST_POLICY, { env });
      try {
        const posts = await openSessions(url);
        const over = new AbortController();
        const probing = probe(url, over.signal);
        const { perSecond, latencies } = await measureLoad(posts, quick ? 1000 : 10_000);
        over.abort();
        const health = await probing;
        const what = `${disk} ms for each commit:`;
        figures.push(
          { what: `${what} decisions`, value: perSecond, unit: "/s" },
          { what: `${what} a decision, p50`, value: quantile(latencies, 0.5), unit: "ms" },
          { what: `${what} health, p50`, value: quantile(health, 0.5), unit: "ms", budget: atMost(5) },
          { what: `${what} health, p99`, value: quantile(health, 0.99), unit: "ms" },
        );
      } finally {
        await program.stop();
      }
    }
    return figures;
  },
};
