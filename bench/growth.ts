/**
 * How the cost of a call grows: with the tools of the policy, the open sessions, the calls that its session has made,
 * and the bytes of its arguments and result. CPU time of the gateway per REST `call` of the echo tool.
 * `docs/images/growth.svg` is drawn from it.
 */
import { join } from "node:path";
import type { Benchmark, BenchmarkContext, Figure } from "./benchmark.ts";
import { measureLoad, type Post } from "./load.ts";
import { startGateway } from "./paths.ts";
import { openRestDoor } from "./raw-doors.ts";
import { openSessions } from "./rest.ts";
import { asPublished } from "./served-gateway.ts";
import type { StartedProgram } from "./started-program.ts";

/** More connections would wait for each other; one alone never shares a commit. */
const CONNECTIONS = 8;
const SIZES = [1, 10, 100, 1000] as const;

interface Scale {
  readonly forMs: number;
  readonly rounds: number;
  readonly tools: readonly number[];
  readonly sessions: readonly number[];
  readonly calls: readonly number[];
}

const WHOLE: Scale = {
  forMs: 1000,
  rounds: 3,
  tools: [10, 100, 1000, 10_000],
  sessions: [1, 100, 1000, 10_000],
  calls: [1, 1000, 10_000, 100_000],
};
const QUICK: Scale = { forMs: 200, rounds: 1, tools: [10], sessions: [1], calls: [1] };

/** The least of the rounds: whatever else runs on the machine only makes a figure worse. */
async function cpuPerCall(
  program: StartedProgram,
  post: Post,
  { forMs, rounds }: Pick<Scale, "forMs" | "rounds">,
): Promise<number> {
  const posts = Array.from({ length: CONNECTIONS }, () => post);
  await measureLoad(posts, forMs);
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = program.cpuTime();
    const { latencies } = await measureLoad(posts, forMs);
    found.push((program.cpuTime() - before) / latencies.length);
  }
  return Math.min(...found);
}

const figure = (what: string, value: number): Figure => ({ what, value, unit: "µs" });

const toolsOf = (count: number): string =>
  `tools:\n${Array.from({ length: count }, (_, at) => `  tool_${at}: { permissions: [read], source: internal }\n`).join("")}`;

async function withTools({ scratch, published }: BenchmarkContext, scale: Scale): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const count of scale.tools) {
    const stem = join(scratch, `tools-${count}`);
    const { program, url } = await startGateway(asPublished(published()), stem, toolsOf(count));
    try {
      const post = (await openRestDoor(url, "call"))(0);
      figures.push(figure(`tools of the policy: ${count}`, await cpuPerCall(program, post, scale)));
    } finally {
      await program.stop();
    }
  }
  return figures;
}

async function withSessions(
  { scratch, published }: BenchmarkContext,
  scale: Scale,
): Promise<readonly Figure[]> {
  const { program, url } = await startGateway(asPublished(published()), join(scratch, "sessions"));
  try {
    const post = (await openRestDoor(url, "call"))(0);
    const figures: Figure[] = [];
    let open = 1;
    for (const count of scale.sessions) {
      for (; open < count; open += Math.min(100, count - open))
        await openSessions(url, Math.min(100, count - open));
      figures.push(figure(`open sessions: ${count}`, await cpuPerCall(program, post, scale)));
    }
    return figures;
  } finally {
    await program.stop();
  }
}

async function withCalls({ scratch, published }: BenchmarkContext, scale: Scale): Promise<readonly Figure[]> {
  const { program, url } = await startGateway(asPublished(published()), join(scratch, "calls"));
  try {
    const post = (await openRestDoor(url, "call"))(0);
    const figures: Figure[] = [];
    let made = 0;
    for (const count of scale.calls) {
      while (made < count)
        made += (
          await measureLoad(
            Array.from({ length: 32 }, () => post),
            500,
          )
        ).latencies.length;
      figures.push(figure(`earlier calls of the session: ${count}`, await cpuPerCall(program, post, scale)));
    }
    return figures;
  } finally {
    await program.stop();
  }
}

async function withBytes({ scratch, published }: BenchmarkContext, scale: Scale): Promise<readonly Figure[]> {
  const { program, url } = await startGateway(asPublished(published()), join(scratch, "bytes"));
  try {
    const plain = (await openRestDoor(url, "call"))(0);
    const { tool }: { tool: string } = JSON.parse(plain.body);
    const figures: Figure[] = [];
    for (const size of SIZES) {
      const text = "Q3 figures of the sales team. ".repeat((size * 1000) / 30);
      const post = {
        ...plain,
        body: JSON.stringify({ tool, arguments: { text } }),
        expects: '"effect":"allow"',
      };
      figures.push(figure(`KB of arguments and of result: ${size}`, await cpuPerCall(program, post, scale)));
    }
    return figures;
  } finally {
    await program.stop();
  }
}

export const growth: Benchmark = {
  name: "growth",
  title: "CPU time of the gateway per REST call, as what it works on grows; 8 connections",
  run: async (context) => {
    const scale = context.quick ? QUICK : WHOLE;
    const figures: Figure[] = [];
    for (const measure of [withTools, withSessions, withCalls, withBytes]) {
      context.progress(measure.name);
      figures.push(...(await measure(context, scale)));
    }
    return figures;
  },
};
