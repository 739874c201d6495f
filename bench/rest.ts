/** `POST …/decide` with its durable journal against a bare hono route on the same server that commits one row. */
import { join } from "node:path";
import { atLeast, type Benchmark } from "./benchmark.ts";
import { type Post, requestsPerSecond } from "./load.ts";
import { median, medianRatio, rotated } from "./measure.ts";
import { asPublished, OPERATOR_TOKEN, startServe } from "./served-gateway.ts";
import { startProgram } from "./started-program.ts";

const CONNECTIONS = 32;
export const REST_POLICY = `
version: 1
tools:
  search_docs: { permissions: [read], source: internal }
  slack_post: { permissions: [connect], sink: public }
`;
const BODY = JSON.stringify({ tool: "search_docs", arguments: { query: "Q3 figures", limit: 10 } });

/** A session per connection, each deciding the same call. */
export async function openSessions(url: string, connections = CONNECTIONS): Promise<readonly Post[]> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const json = { ...headers, "content-type": "application/json" };
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const response = await fetch(`${url}/v1/session`, { method: "POST", headers: json, body: "{}" });
      const opened: { session_id: string } = JSON.parse(await response.text());
      return { url: `${url}/v1/session/${opened.session_id}/decide`, body: BODY, headers };
    }),
  );
}

export const rest: Benchmark = {
  name: "rest",
  title:
    "REST decisions with a durable journal against a bare hono route that commits one row, 32 connections",
  run: async ({ quick, scratch, published, progress }) => {
    const gateway = await startServe(asPublished(published()), join(scratch, "gateway"), REST_POLICY);
    const route = startProgram(process.execPath, [
      join(import.meta.dirname, "hono-commit.ts"),
      join(scratch, "route.db"),
    ]);
    try {
      const address = await route.prints(/http\S+(?=\n)/);
      const commits = Array.from({ length: CONNECTIONS }, () => ({ url: address, body: BODY, headers: {} }));
      const decisions = await openSessions(gateway.url);
      const loads = [
        { posts: decisions, program: gateway.program, perSecond: [] as number[], cpu: [] as number[] },
        { posts: commits, program: route, perSecond: [] as number[], cpu: [] as number[] },
      ] as const;
      const [rounds, forMs] = quick ? [1, 200] : [7, 2000];
      for (const { posts } of loads) await requestsPerSecond(posts, forMs);
      for (let round = 0; round < rounds; round += 1) {
        progress(`round ${round + 1} of ${rounds}`);
        for (const { posts, program, perSecond, cpu } of rotated(loads, round)) {
          const before = program.cpuTime();
          const rate = await requestsPerSecond(posts, forMs);
          perSecond.push(rate);
          cpu.push((program.cpuTime() - before) / ((rate * forMs) / 1000));
        }
      }
      const [decide, bare] = loads;
      return [
        { what: "bare hono route", value: median(bare.perSecond), unit: "/s" },
        { what: "bare hono route, CPU each", value: median(bare.cpu), unit: "µs" },
        { what: "POST decide", value: median(decide.perSecond), unit: "/s" },
        { what: "POST decide, CPU each", value: median(decide.cpu), unit: "µs" },
        {
          what: "decide against the route",
          value: medianRatio(decide.perSecond, bare.perSecond),
          unit: "×",
          budget: atLeast(0.6),
        },
        { what: "decide against the route, CPU each", value: medianRatio(decide.cpu, bare.cpu), unit: "×" },
      ];
    } finally {
      await Promise.all([gateway.program.stop(), route.stop()]);
    }
  },
};
