/**
 * A check of a path by git in a process as large as a busy gateway, against starting git from a small process: how
 * long nothing else can happen in it, and how long it takes.
 */
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { atMost, type Benchmark, type BenchmarkContext, type Figure } from "./benchmark.ts";
import type { CheckRound, CheckSetting } from "./git-check-process.ts";
import { median, medianRatio, rotated } from "./measure.ts";

const FILES = 60;
const LARGE_MIB = 500;

export const gitCheck: Benchmark = {
  name: "git-check",
  title: `a path checked by git in a process of ${LARGE_MIB} MiB, against git started from a small one`,
  run: async (context) => {
    const root = createRepository(context);
    const workspace = join(dirname(context.published()), "../workspace/index.js");
    const setting = { root, file: "folder/file-7.txt", workspace };
    const processes = await Promise.all([
      startProcess("check", { ...setting, what: "check", fillMiB: LARGE_MIB }),
      startProcess("small", { ...setting, what: "spawn", fillMiB: 0 }),
      startProcess("large", { ...setting, what: "spawn", fillMiB: LARGE_MIB }),
    ]);
    try {
      return await measure(processes, context);
    } finally {
      for (const { child } of processes) child.kill();
    }
  },
};

function createRepository({ scratch }: BenchmarkContext): string {
  const root = realpathSync(scratch);
  mkdirSync(join(root, "folder"));
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(root, `folder/file-${at}.txt`), `${at}\n`);
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root });
  git("init", "-q");
  git("add", ".");
  return root;
}

interface Measured {
  readonly name: string;
  readonly child: ChildProcess;
  readonly rounds: CheckRound[];
}

async function startProcess(name: string, setting: CheckSetting): Promise<Measured> {
  const child = fork(join(import.meta.dirname, "git-check-process.ts"), [JSON.stringify(setting)]);
  await once(child, "message");
  return { name, child, rounds: [] };
}

async function measure(
  processes: readonly Measured[],
  { quick, progress }: BenchmarkContext,
): Promise<readonly Figure[]> {
  const [rounds, times] = quick ? [3, 3] : [15, 12];
  progress(`${rounds} rounds of ${times}`);
  for (let round = 0; round < rounds; round += 1) {
    for (const { child, rounds: done } of rotated(processes, round)) {
      child.send(times);
      const [answer] = await once(child, "message");
      done.push(answer);
    }
  }
  const of = (name: string, what: keyof CheckRound): readonly number[] =>
    processes.find((each) => each.name === name)?.rounds.map((round) => round[what]) ?? [];
  return [
    {
      what: `longest block of the event loop at ${LARGE_MIB} MiB: against a bare start of git from a small process`,
      value: medianRatio(of("check", "blockedMs"), of("small", "blockedMs")),
      unit: "×",
      budget: atMost(1),
    },
    {
      what: "time of one check: against a bare start of git from a small process",
      value: medianRatio(of("check", "tookMs"), of("small", "tookMs")),
      unit: "×",
    },
    { what: "longest block, check", value: median(of("check", "blockedMs")), unit: "ms" },
    {
      what: "longest block, bare start from a small process",
      value: median(of("small", "blockedMs")),
      unit: "ms",
    },
    {
      what: `longest block, bare start at ${LARGE_MIB} MiB`,
      value: median(of("large", "blockedMs")),
      unit: "ms",
    },
    { what: "time, check", value: median(of("check", "tookMs")), unit: "ms" },
    { what: "time, bare start from a small process", value: median(of("small", "tookMs")), unit: "ms" },
    { what: `memory of the large process`, value: median(of("check", "memoryMiB")), unit: "MiB" },
    { what: "memory of the small process", value: median(of("small", "memoryMiB")), unit: "MiB" },
  ];
}
