/** One process of the benchmark of git checks: of a given size, it checks or starts git when it is told to. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { median } from "./measure.ts";

export interface CheckSetting {
  readonly what: "check" | "spawn";
  /** Memory that it fills. */
  readonly fillMiB: number;
  readonly root: string;
  readonly file: string;
  /** The workspace's entry, as published. */
  readonly workspace: string;
}

/** Medians of one round. */
export interface CheckRound {
  /** The longest time in which nothing else could happen. */
  readonly blockedMs: number;
  readonly tookMs: number;
  readonly memoryMiB: number;
}

const setting: CheckSetting = JSON.parse(process.argv[2] ?? "");
const filling = Array.from({ length: setting.fillMiB }, (_, at) => Buffer.alloc(1024 * 1024, (at % 255) + 1));
const work = await toWork(setting);
await work();
process.on("message", async (times: number) => {
  process.send?.(await round(times));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function toWork({ what, root, file, workspace }: CheckSetting): Promise<() => Promise<unknown>> {
  if (what === "spawn") {
    const args = ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--", file];
    return () => promisify(execFile)("git", args, { cwd: root });
  }
  const { checkPath }: typeof import("../src/providers/workspace/index.ts") = await import(workspace);
  return async () => {
    const { effect } = await checkPath({ root, path: file, kind: "file" });
    if (effect !== "allow") throw new Error("The file was not allowed.");
  };
}

async function round(times: number): Promise<CheckRound> {
  const taken: { blockedMs: number; tookMs: number }[] = [];
  for (let at = 0; at < times; at += 1) taken.push(await observed());
  return {
    blockedMs: median(taken.map(({ blockedMs }) => blockedMs)),
    tookMs: median(taken.map(({ tookMs }) => tookMs)),
    memoryMiB: process.memoryUsage().rss / 2 ** 20 + filling.length * 0,
  };
}

/** Does the work once while every turn of the event loop is watched. */
async function observed(): Promise<{ blockedMs: number; tookMs: number }> {
  let isOver = false;
  let last = performance.now();
  let blockedMs = 0;
  const watch = (): void => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
    if (!isOver) setImmediate(watch);
  };
  watch();
  const before = performance.now();
  await work();
  const tookMs = performance.now() - before;
  isOver = true;
  watch();
  return { blockedMs, tookMs };
}
