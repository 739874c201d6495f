/** `POST …/decide` with its durable journal against a bare hono echo on the same server. */
import { join } from "node:path";
import { atLeast, type Benchmark } from "./benchmark.ts";
import { type Post, requestsPerSecond } from "./load.ts";
import { median, medianRatio, rotated } from "./measure.ts";
import { OPERATOR_TOKEN, startServe } from "./served-gateway.ts";
import { startProgram } from "./started-program.ts";

const CONNECTIONS = 32;
const POLICY = `
version: 1
tools:
  search_docs: { permissions: [read], source: internal }
  slack_post: { permissions: [connect], sink: public }
`;
const BODY = JSON.stringify({ tool: "search_docs", arguments: { query: "Q3 figures", limit: 10 } });

/** A session per connection, each deciding the same call. */
async function openSessions(url: string): Promise<readonly Post[]> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const json = { ...headers, "content-type": "application/json" };
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const response = await fetch(`${url}/v1/session`, { method: "POST", headers: json, body: "{}" });
      const opened: { session_id: string } = JSON.parse(await response.text());
      return { url: `${url}/v1/session/${opened.session_id}/decide`, body: BODY, headers };
    }),
  );
}

export const rest: Benchmark = {
  name: "rest",
  title: "REST decisions with a durable journal against a bare hono echo, 32 connections",
  run: async ({ quick, scratch, progress }) => {
    const gateway = await startServe(join(scratch, "gateway"), POLICY);
    const echo = startProgram(process.execPath, [join(import.meta.dirname, "hono-echo.ts")]);
    try {
      const echoUrl = await echo.prints(/http\S+(?=\n)/);
      const echoes = Array.from({ length: CONNECTIONS }, () => ({ url: echoUrl, body: BODY, headers: {} }));
      const decisions = await openSessions(gateway.url);
      const taken = { decide: [] as number[], echo: [] as number[] };
      const loads = [
        { posts: decisions, into: taken.decide },
        { posts: echoes, into: taken.echo },
      ];
      const [rounds, forMs] = quick ? [1, 200] : [7, 2000];
      for (const { posts } of loads) await requestsPerSecond(posts, forMs);
      for (let round = 0; round < rounds; round += 1) {
        progress(`round ${round + 1} of ${rounds}`);
        for (const { posts, into } of rotated(loads, round)) into.push(await requestsPerSecond(posts, forMs));
      }
      return [
        { what: "bare hono echo", value: median(taken.echo), unit: "/s" },
        { what: "POST decide", value: median(taken.decide), unit: "/s" },
        {
          what: "decide against echo",
          value: medianRatio(taken.decide, taken.echo),
          unit: "×",
          budget: atLeast(0.6),
        },
      ];
    } finally {
      await Promise.all([gateway.program.stop(), echo.stop()]);
    }
  },
};
