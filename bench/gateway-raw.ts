/** The gateway's calls by a raw client, against a program that does the least, and against others in its place. */
import { join } from "node:path";
import { atLeast, atMost, type BenchmarkContext, type Figure } from "./benchmark.ts";
import { measureLoad } from "./load.ts";
import { quantile, rotated } from "./measure.ts";
import { type Front, startGateway, startLimit, startMcpProxy, startPassThrough } from "./paths.ts";
import { type Door, limitDoors, newerDoor, openOlderDoor, openRestDoor } from "./raw-doors.ts";
import { asPublished } from "./served-gateway.ts";
import type { StartedProgram } from "./started-program.ts";

const CONNECTIONS = 32;
const LIMIT = "limit program";
const DECIDE = "REST decide";
/** What the budgets hold for. */
const CALLS = ["2025-11-25", "2026-07-28", "REST call"];

/** One protocol of one program; what was measured of it has a value per round. */
interface RawPath {
  readonly name: string;
  readonly program: StartedProgram;
  readonly door: Door;
  /** Alone, in microseconds. */
  readonly p50: number[];
  readonly perSecond: number[];
  /** CPU time of the program and all its threads, in microseconds per call, with all connections busy. */
  readonly cpu: number[];
}

/** The best round of each: whatever else runs on the machine only makes a figure worse. */
interface Best {
  readonly p50: number;
  readonly perSecond: number;
  readonly cpu: number;
}

export async function measureRaw({
  quick,
  scratch,
  published,
  progress,
}: BenchmarkContext): Promise<readonly Figure[]> {
  const scale = quick
    ? { rounds: 1, aloneMs: 200, togetherMs: 500 }
    : { rounds: 7, aloneMs: 700, togetherMs: 1500 };
  const fronts: Front[] = [];
  const started = async <Started extends Front>(start: Promise<Started>): Promise<Started> => {
    const front = await start;
    fronts.push(front);
    return front;
  };
  try {
    const limit = await started(startLimit(join(scratch, "limit.db")));
    const passThrough = await started(startPassThrough());
    const proxy = await started(startMcpProxy());
    const gateway = await started(startGateway(asPublished(published()), join(scratch, "raw")));
    const least = limitDoors(limit);
    const doors: readonly (readonly [string, Front, Door])[] = [
      [LIMIT, limit, least.call],
      [`${LIMIT}, decide`, limit, least.decide],
      ["pass-through", passThrough, await openOlderDoor(passThrough)],
      ["mcp-proxy", proxy, await openOlderDoor(proxy)],
      ["2025-11-25", gateway, await openOlderDoor(gateway)],
      ["2026-07-28", gateway, newerDoor(gateway)],
      ["REST call", gateway, await openRestDoor(gateway.url, "call")],
      [DECIDE, gateway, await openRestDoor(gateway.url, "decide")],
    ];
    const paths = doors.map(
      ([name, { program }, door]): RawPath => ({ name, program, door, p50: [], perSecond: [], cpu: [] }),
    );
    for (const { door } of paths) await measureLoad(posts(door, CONNECTIONS), scale.togetherMs);
    for (let round = 0; round < scale.rounds; round += 1) {
      progress(`raw client, round ${round + 1} of ${scale.rounds}`);
      for (const path of rotated(paths, round)) await measureRound(path, scale);
    }
    return toFigures(new Map(paths.map((path) => [path.name, bestOf(path)])));
  } finally {
    await Promise.all(fronts.map(({ program }) => program.stop()));
  }
}

const posts = (door: Door, connections: number) => Array.from({ length: connections }, (_, at) => door(at));

async function measureRound(
  { door, program, p50, perSecond, cpu }: RawPath,
  { aloneMs, togetherMs }: { readonly aloneMs: number; readonly togetherMs: number },
): Promise<void> {
  const alone = await measureLoad(posts(door, 1), aloneMs);
  p50.push(quantile(alone.latencies, 0.5) * 1000);
  const before = program.cpuTime();
  const together = await measureLoad(posts(door, CONNECTIONS), togetherMs);
  perSecond.push(together.perSecond);
  cpu.push((program.cpuTime() - before) / together.latencies.length);
}

const bestOf = ({ p50, perSecond, cpu }: RawPath): Best => ({
  p50: Math.min(...p50),
  perSecond: Math.max(...perSecond),
  cpu: Math.min(...cpu),
});

function toFigures(best: ReadonlyMap<string, Best>): readonly Figure[] {
  const absolute = [...best].flatMap(([name, { p50, perSecond, cpu }]): readonly Figure[] => [
    { what: `raw: ${name}, p50 alone`, value: p50, unit: "µs" },
    { what: `raw: ${name}, ${CONNECTIONS} in flight`, value: perSecond, unit: "/s" },
    { what: `raw: ${name}, CPU per call`, value: cpu, unit: "µs" },
  ]);
  const against = (name: string, part: keyof Best, other: string): number =>
    (best.get(name)?.[part] ?? Number.NaN) / (best.get(other)?.[part] ?? Number.NaN);
  const together = `${CONNECTIONS} in flight against`;
  const ratios = CALLS.flatMap((name): readonly Figure[] => [
    ratio(`${name}: ${together} the ${LIMIT}`, against(name, "perSecond", LIMIT), atLeast(0.65)),
    ratio(`${name}: ${together} the pass-through`, against(name, "perSecond", "pass-through"), atLeast(2)),
    ratio(`${name}: ${together} mcp-proxy`, against(name, "perSecond", "mcp-proxy"), atLeast(4)),
    ratio(`${name}: CPU per call against the ${LIMIT}`, against(name, "cpu", LIMIT), atMost(1.7)),
    ratio(`${name}: p50 alone against the ${LIMIT}`, against(name, "p50", LIMIT), atMost(1.3)),
  ]);
  const decide = `${LIMIT}, decide`;
  return [
    ...absolute,
    // No durable gateway of this kind can be held to more than these.
    ratio(`${LIMIT}: ${together} the pass-through`, against(LIMIT, "perSecond", "pass-through")),
    ratio(`${LIMIT}: ${together} mcp-proxy`, against(LIMIT, "perSecond", "mcp-proxy")),
    ...ratios,
    ratio(`${DECIDE}: ${together} the ${decide}`, against(DECIDE, "perSecond", decide)),
    ratio(`${DECIDE}: CPU per call against the ${decide}`, against(DECIDE, "cpu", decide)),
    ratio(`${DECIDE}: p50 alone against the ${decide}`, against(DECIDE, "p50", decide)),
  ];
}

const ratio = (what: string, value: number, budget?: Figure["budget"]): Figure => ({
  what,
  value,
  unit: "×",
  ...(budget === undefined ? {} : { budget }),
});
