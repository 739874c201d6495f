/** One tool call through the gateway, against other programs in its place and against none, in one run. */
import { atMost, type Benchmark, type BenchmarkContext, type Figure } from "./benchmark.ts";
import { measureRaw } from "./gateway-raw.ts";
import { median, medianRatio, quantile, rotated, wallTimeOf } from "./measure.ts";
import { type Caller, createPaths, type Path, type RunningPath } from "./paths.ts";
import type { StartedProgram } from "./started-program.ts";

const IN_FLIGHT = 32;
const NEWER = "sluicegate, newer client";
const PUBLISHED = "sluicegate";

interface Scale {
  readonly starts: number;
  readonly rounds: number;
  readonly sequential: number;
  readonly together: number;
}

/** What was measured of one path, a value per round. */
interface Taken {
  readonly start: number[];
  readonly p50: number[];
  readonly p99: number[];
  readonly perSecond: number[];
  readonly memory: number[];
  /** CPU time of what stands between, in microseconds per call. */
  readonly cpu: number[];
}

type Log = ReadonlyMap<string, Taken>;

export const gateway: Benchmark = {
  name: "gateway",
  title: "one call from HTTP to a stdio server, policy and durable journal on, wall time",
  run: async (context) => {
    const scale = context.quick
      ? { starts: 1, rounds: 1, sequential: 50, together: 100 }
      : { starts: 5, rounds: 7, sequential: 300, together: 600 };
    const paths = createPaths(context.scratch, context.published());
    const names = [...paths.map(({ name }) => name), NEWER];
    const log: Log = new Map(
      names.map((name) => [name, { start: [], p50: [], p99: [], perSecond: [], memory: [], cpu: [] }]),
    );
    await measureStarts(paths, scale, log, context);
    await measureCalls(paths, scale, log, context);
    return [...toFigures(log), ...(await measureRaw(context))];
  },
};

/** From the start of the program to its first answer. The first round only warms the client up. */
async function measureStarts(
  paths: readonly Path[],
  { starts }: Scale,
  log: Log,
  { progress }: BenchmarkContext,
): Promise<void> {
  for (let round = 0; round <= starts; round += 1) {
    progress(`starts, round ${round} of ${starts}`);
    for (const path of rotated(paths, round)) {
      let running: RunningPath | null = null;
      const took = await wallTimeOf(async () => {
        running = await path.start();
      });
      await (running as RunningPath | null)?.close();
      if (round > 0) log.get(path.name)?.start.push(took / 1000);
    }
  }
}

async function measureCalls(
  paths: readonly Path[],
  scale: Scale,
  log: Log,
  { progress }: BenchmarkContext,
): Promise<void> {
  const running = new Map<string, RunningPath>();
  try {
    for (const path of paths) running.set(path.name, await path.start());
    const callers = await callersOf(running);
    for (const { caller } of callers) await perSecondOf(caller, scale.together);
    for (let round = 0; round < scale.rounds; round += 1) {
      progress(`calls, round ${round + 1} of ${scale.rounds}`);
      for (const one of rotated(callers, round)) await measureRound(one, scale, log);
      for (const [name, { program }] of running) if (program) log.get(name)?.memory.push(program.memory());
    }
    for (const { name, caller } of callers) if (name === NEWER) await caller.close();
  } finally {
    for (const path of running.values()) await path.close();
  }
}

interface NamedCaller {
  readonly name: string;
  readonly caller: Caller;
  readonly program: StartedProgram | null;
}

async function callersOf(running: ReadonlyMap<string, RunningPath>): Promise<readonly NamedCaller[]> {
  const callers: NamedCaller[] = [];
  for (const [name, path] of running) {
    callers.push({ name, caller: path, program: path.program });
    if (path.newer && name === PUBLISHED)
      callers.push({ name: NEWER, caller: await path.newer(), program: path.program });
  }
  return callers;
}

async function measureRound(
  { name, caller, program }: NamedCaller,
  { sequential, together }: Scale,
  log: Log,
): Promise<void> {
  const taken = log.get(name);
  const before = program?.cpuTime() ?? 0;
  const times = await timesOf(caller, sequential);
  taken?.p50.push(quantile(times, 0.5));
  taken?.p99.push(quantile(times, 0.99));
  taken?.perSecond.push(await perSecondOf(caller, together));
  if (program) taken?.cpu.push((program.cpuTime() - before) / (sequential + together));
}

async function timesOf(caller: Caller, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) times.push(await wallTimeOf(() => caller.call(`call ${at}`)));
  return times;
}

/** Calls per second while so many are always on their way. */
async function perSecondOf(caller: Caller, count: number): Promise<number> {
  let left = count;
  const worker = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      await caller.call(`call ${left}`);
    }
  };
  const took = await wallTimeOf(() => Promise.all(Array.from({ length: IN_FLIGHT }, worker)));
  return (count * 1e6) / took;
}

function toFigures(log: Log): readonly Figure[] {
  const of = (name: string, part: keyof Taken): readonly number[] => log.get(name)?.[part] ?? [];
  const against = (part: keyof Taken, other: string): number =>
    medianRatio(of(PUBLISHED, part), of(other, part));
  const absolute = [...log.keys()].flatMap((name): readonly Figure[] => [
    { what: `${name}, p50`, value: median(of(name, "p50")), unit: "µs" },
    { what: `${name}, p99`, value: median(of(name, "p99")), unit: "µs" },
    { what: `${name}, ${IN_FLIGHT} in flight`, value: median(of(name, "perSecond")), unit: "/s" },
    ...(of(name, "cpu").length > 0
      ? [{ what: `${name}, CPU of what stands between`, value: median(of(name, "cpu")), unit: "µs" } as const]
      : []),
    ...(of(name, "start").length > 0
      ? [{ what: `${name}, start to first answer`, value: median(of(name, "start")), unit: "ms" } as const]
      : []),
    ...(of(name, "memory").length > 0
      ? [{ what: `${name}, memory`, value: median(of(name, "memory")), unit: "MiB" } as const]
      : []),
  ]);
  return [
    ...absolute,
    { what: "p50 against mcp-proxy", value: against("p50", "mcp-proxy"), unit: "×" },
    { what: "p50 against the pass-through on the v1 SDK", value: against("p50", "pass-through"), unit: "×" },
    { what: "CPU against mcp-proxy", value: against("cpu", "mcp-proxy"), unit: "×" },
    {
      what: "CPU against the pass-through on the v1 SDK",
      value: against("cpu", "pass-through"),
      unit: "×",
    },
    { what: "p50 against stdio without anything between", value: against("p50", "stdio"), unit: "×" },
    {
      what: `${IN_FLIGHT} in flight against mcp-proxy`,
      value: against("perSecond", "mcp-proxy"),
      unit: "×",
    },
    {
      what: `${IN_FLIGHT} in flight against the pass-through on the v1 SDK`,
      value: against("perSecond", "pass-through"),
      unit: "×",
    },
    {
      what: "memory against mcp-proxy",
      value: against("memory", "mcp-proxy"),
      unit: "×",
      budget: atMost(0.7),
    },
    {
      what: "start to first answer against mcp-proxy",
      value: against("start", "mcp-proxy"),
      unit: "×",
      budget: atMost(0.6),
    },
  ];
}
