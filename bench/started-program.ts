/** A program that a benchmark starts: waits for what it prints, reads its memory, ends it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { ROOT } from "./machine.ts";

export interface StartedProgram {
  readonly process: ChildProcess;
  /** Its first match of this pattern on standard output. Rejects where the program ends before. */
  prints(pattern: RegExp): Promise<string>;
  /** Resident memory in MiB, without the programs that it started; not a number where the system doesn't tell. */
  memory(): number;
  /** CPU time that it has taken so far, in microseconds, to the nearest hundredth of a second. */
  cpuTime(): number;
  stop(): Promise<void>;
}

export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedProgram {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.error = (said.error + text).slice(-2000);
  });
  const ended = once(child, "exit");
  return {
    process: child,
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(said.out);
          if (found) resolve(found[0]);
        };
        child.stdout.on("data", look);
        ended.then(() => reject(new Error(`${command} ended: ${said.error}`)), reject);
        look();
      }),
    memory: () => memoryOf(child.pid),
    cpuTime: () => cpuTimeOf(child.pid),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function memoryOf(pid: number | undefined): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kib) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** From `utime` and `stime`, which Linux counts in hundredths of a second. */
function cpuTimeOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
}
