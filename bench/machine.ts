/** What a result was measured with, kept beside its figures. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "..");

export interface Setting {
  readonly machine: {
    readonly cpu: string;
    readonly cpus: number;
    readonly memoryGiB: number;
    readonly system: string;
  };
  readonly versions: Readonly<Record<string, string>>;
  /** The commit that the checkout is at; with a `+` where it has changes that are not in it. */
  readonly commit: string | null;
}

const PACKAGES = [
  "@hono/node-server",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/server",
  "hono",
  "mcp-proxy",
];

export function describeSetting(): Setting {
  return {
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cpus: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${release()}`,
    },
    versions: {
      sluicegate: versionIn(ROOT),
      node: process.versions.node,
      sqlite: process.versions.sqlite ?? "unknown",
      ...Object.fromEntries(PACKAGES.map((name) => [name, versionIn(join(ROOT, "node_modules", name))])),
    },
    commit: commit(),
  };
}

/** The load of the last minute: other work on the machine makes wall-clock figures worse. */
export const loadNow = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100;

function versionIn(folder: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return version;
}

function commit(): string | null {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["--no-optional-locks", ...args], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  try {
    const changed = git("status", "--porcelain", "--", "src").trim() !== "";
    return git("rev-parse", "--short=12", "HEAD").trim() + (changed ? "+" : "");
  } catch {
    return null;
  }
}
