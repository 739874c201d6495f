/** What a coding agent's call waits for the hook that stands before it, against Node doing nothing. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Benchmark, type Figure } from "./benchmark.ts";
import { median, medianRatio, rotated } from "./measure.ts";
import { asPublished, startServe } from "./served-gateway.ts";

const POLICY = `version: 1
workspace: { root: work }
tools:
  TodoWrite: { permissions: [read] }
`;
const NOTHING = "node -e 0";

interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly input: string;
}

/** Milliseconds from the start of a program to its end. */
function timeOf({ name, args, input }: Program): number {
  const before = performance.now();
  const { status, stdout } = spawnSync(process.execPath, args, { input, encoding: "utf8" });
  const took = performance.now() - before;
  if (status !== 0 || (input !== "" && !stdout.includes(`"allow"`)))
    throw new Error(`${name} said ${stdout}`);
  return took;
}

/** Programs that take turns, so that what else runs hits all alike. */
function compare(programs: readonly Program[], rounds: number): (name: string) => readonly number[] {
  const taken = new Map(programs.map(({ name }): [string, number[]] => [name, []]));
  for (const program of programs) timeOf(program);
  for (let round = 0; round < rounds; round += 1)
    for (const program of rotated(programs, round)) taken.get(program.name)?.push(timeOf(program));
  return (name) => taken.get(name) ?? [];
}

/** A git repository with a file, and the events of an agent that works in it. */
function createWork(folder: string): (tool: string, input: object, session: string) => string {
  const cwd = join(folder, "work");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "notes.md"), "notes\n");
  execFileSync("git", ["init", "-q"], { cwd });
  return (tool, input, session) =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: session,
      cwd,
      tool_name: tool,
      tool_use_id: "toolu_1",
      tool_input: input,
    });
}

export const hook: Benchmark = {
  name: "hook",
  title: "`hook claude-code` against `node -e 0`, wall time of the whole process, as published",
  run: async ({ quick, published, progress, scratch }) => {
    const start = published();
    const stem = join(scratch, "hook");
    const event = createWork(scratch);
    const files = ["--config", `${stem}.yaml`, "--store", `sqlite:${stem}.db`];
    const programs = (session: string): readonly Program[] => [
      { name: NOTHING, args: ["-e", "0"], input: "" },
      {
        name: "hook",
        args: [start, "hook", "claude-code", ...files],
        input: event("TodoWrite", {}, session),
      },
      {
        name: "hook of a Read",
        args: [start, "hook", "claude-code", ...files],
        input: event("Read", { file_path: "notes.md" }, session),
      },
    ];
    const rounds = quick ? 2 : 25;
    progress("with a gateway");
    const gateway = await startServe(asPublished(start), stem, POLICY);
    const served = compare(programs("served"), rounds);
    await gateway.program.stop();
    progress("without a gateway");
    const alone = compare(programs("alone"), rounds);
    return [
      { what: NOTHING, value: median(served(NOTHING)), unit: "ms" },
      ...toFigures("with a gateway", served, 3),
      ...toFigures("by itself", alone),
    ];
  },
};

function toFigures(
  how: string,
  roundsOf: (name: string) => readonly number[],
  most?: number,
): readonly Figure[] {
  return ["hook", "hook of a Read"].flatMap((name): readonly Figure[] => [
    { what: `${name}, ${how}`, value: median(roundsOf(name)), unit: "ms" },
    {
      what: `${name}, ${how}: against ${NOTHING}`,
      value: medianRatio(roundsOf(name), roundsOf(NOTHING)),
      unit: "×",
      ...(most !== undefined && { budget: atMost(most) }),
    },
  ]);
}
