/** How things are measured: side by side, in rounds that take turns, so that what else runs hits all alike. */

/** Something whose cost is measured. `run` does it so many times and swallows each result. */
export interface Contender {
  readonly name: string;
  run(times: number): void;
}

/** Work that is the same each time. */
export const repeated =
  (work: () => unknown): Contender["run"] =>
  (times) => {
    for (let at = 0; at < times; at += 1) swallow(work());
  };

export interface Rounds {
  readonly rounds: number;
  /** CPU time that one contender takes in one round. */
  readonly sampleMs: number;
}

/** Nanoseconds of CPU per operation, by contender, a value per round. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/** Where results go: they must really be made, in memory, since anybody could read them here. */
const swallowed: unknown[] = new Array(64).fill(null);
let next = 0;

/** Takes a result, so that no compiler can leave out the work that made it. */
export function swallow(value: unknown): void {
  swallowed[next] = value;
  next = (next + 1) & 63;
}

/** The CPU time of `work` in nanoseconds, garbage collection included. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1000;
}

/** CPU time per operation of each contender, in rounds that begin with another one each time. */
export function compareCpu(contenders: readonly Contender[], { rounds, sampleMs }: Rounds): Samples {
  const times = new Map(contenders.map((contender) => [contender, timesFor(contender, sampleMs)]));
  const samples = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of rotated(contenders, round)) {
      const count = times.get(contender) ?? 1;
      samples.get(contender.name)?.push(cpuTimeOf(() => contender.run(count)) / count);
    }
  }
  return samples;
}

/** How often a contender must run to fill a sample. It is warm afterwards: it has run for several samples. */
function timesFor(contender: Contender, sampleMs: number): number {
  for (let times = 1; ; times *= 2) {
    const spent = cpuTimeOf(() => contender.run(times)) / 1e6;
    if (spent >= sampleMs * 2) return Math.max(1, Math.round((times * sampleMs) / spent));
  }
}

/** The same list, beginning elsewhere in each round. */
export const rotated = <Value>(list: readonly Value[], round: number): readonly Value[] => {
  const from = list.length === 0 ? 0 : round % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
};

/** The value below which this share (0 to 1) of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const medianOf = (samples: Samples, name: string): number => median(samples.get(name) ?? []);

/** The median over rounds of how many times one costs what the other does in the same round. */
export function ratioOf(samples: Samples, name: string, base: string): number {
  return medianRatio(samples.get(name) ?? [], samples.get(base) ?? []);
}

/** The median of ratios, round by round. */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, round) => value / (bases[round] ?? Number.NaN)));
}

/** The wall time of `work` in microseconds. */
export async function wallTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  swallow(await work());
  return (performance.now() - before) * 1000;
}
