/** How long a person waits for `check` and `explain`, against Node doing nothing. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { atMost, type Benchmark, type Figure } from "./benchmark.ts";
import { ROOT } from "./machine.ts";
import { median, medianRatio, rotated } from "./measure.ts";

const POLICY = join(ROOT, "examples/office/sluicegate.yaml");
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ["check", ["check", POLICY]],
  ["explain", ["explain", POLICY, "--tool", "web_search", "--after", "search_email"]],
];
const NOTHING = "node -e 0";

/** Milliseconds from the start of a program to its end. */
function timeOf(command: readonly string[]): number {
  const [program = "", ...args] = command;
  const before = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8" });
  const took = performance.now() - before;
  // 1 is an answer: a policy with errors, or a call that is refused.
  if (status !== 0 && status !== 1) throw new Error(`${command.join(" ")} failed: ${stderr}`);
  return took;
}

export const commandLine: Benchmark = {
  name: "command-line",
  title: "`check` and `explain` against `node -e 0`, wall time",
  run: async ({ quick, published, progress }) => {
    const start = published();
    const node = process.execPath;
    const programs: readonly (readonly [string, readonly string[]])[] = [
      [NOTHING, [node, "-e", "0"]],
      ...COMMANDS.flatMap(([name, args]): readonly (readonly [string, readonly string[]])[] => [
        [name, [node, start, ...args]],
        [`${name} on the sources`, [join(ROOT, "bin/sluicegate"), ...args]],
      ]),
    ];
    const rounds = quick ? 2 : 15;
    const taken = new Map(programs.map(([name]): [string, number[]] => [name, []]));
    for (const [, command] of programs) timeOf(command);
    for (let round = 0; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}`);
      for (const [name, command] of rotated(programs, round)) taken.get(name)?.push(timeOf(command));
    }
    return toFigures((name) => taken.get(name) ?? []);
  },
};

function toFigures(roundsOf: (name: string) => readonly number[]): readonly Figure[] {
  const against = (name: string): number => medianRatio(roundsOf(name), roundsOf(NOTHING));
  return [
    { what: NOTHING, value: median(roundsOf(NOTHING)), unit: "ms" },
    ...COMMANDS.flatMap(([name]): readonly Figure[] => [
      { what: `${name}, as published`, value: median(roundsOf(name)), unit: "ms" },
      {
        what: `${name}, as published: against ${NOTHING}`,
        value: against(name),
        unit: "×",
        budget: atMost(5),
      },
      { what: `${name} on the sources`, value: median(roundsOf(`${name} on the sources`)), unit: "ms" },
      {
        what: `${name} on the sources: against ${NOTHING}`,
        value: against(`${name} on the sources`),
        unit: "×",
      },
    ]),
  ];
}
