/** Runs the demo's program as `npm run demo` does, in a temporary folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const RUN = resolve(import.meta.dirname, "run.ts");

export interface DemoRun {
  readonly status: number | null;
  readonly out: string;
  /** Files that it left behind, and command lines of processes that still run in its folder. */
  readonly left: readonly string[];
}

/** Runs it to its end; `during` is given the process and what it has said so far, each time that it says more. */
export async function runDemo(
  environment: Readonly<Record<string, string>> = {},
  during: (child: ChildProcess, out: string) => void = () => {},
): Promise<DemoRun> {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...inherited } = process.env;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", RUN], {
    env: { ...inherited, TMPDIR: folder, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  const add = (chunk: unknown): void => {
    out += String(chunk);
    during(child, out);
  };
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  const [status] = await once(child, "close");
  const left = [...readdirSync(folder), ...commandLinesWith(folder)];
  rmSync(folder, { recursive: true, force: true });
  return { status, out, left };
}

/** Command lines of running processes that name a folder, where the system tells. */
function commandLinesWith(folder: string): readonly string[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(folder));
}
