/** Runs a conformance suite against a URL, each in a process of its own, and tells the result of every check. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The suites by what they cover; the arguments are those of each suite's own command line. */
export const SUITES = {
  "0.1.16": { package: "conformance-0.1", arguments: ["--suite", "all"] },
  "0.2 at 2025-11-25": { package: "conformance-0.2", arguments: ["--requirements", "2025-11-25"] },
  "0.2 at 2026-07-28": { package: "conformance-0.2", arguments: ["--requirements", "2026-07-28"] },
} as const;

export type SuiteName = keyof typeof SUITES;

export type Status = "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";

export interface Check {
  readonly scenario: string;
  /** The check's id and name, as `id/Name`. */
  readonly check: string;
  readonly status: Status;
  /** What the suite says of it where it is no success. */
  readonly message?: string;
}

/** Worst first. */
const SEVERITY: readonly Status[] = ["FAILURE", "WARNING", "SKIPPED", "INFO", "SUCCESS"];

/** Runs the whole suite. @throws Error where the suite itself broke, rather than a check. */
export async function runSuite(name: SuiteName, url: string): Promise<readonly Check[]> {
  const suite = SUITES[name];
  const output = mkdtempSync(join(tmpdir(), "conformance-"));
  const program = resolve(import.meta.dirname, "../../node_modules", suite.package, "dist/index.js");
  try {
    const printed = await run([program, "server", "--url", url, ...suite.arguments, "--output-dir", output]);
    const checks = readResults(output);
    if (checks.length === 0) throw new Error(`The suite ${name} made no checks:\n${printed}`);
    return checks;
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** Ends well also where checks failed: that is a result. */
function run(args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const options = { cwd: tmpdir(), timeout: 100_000, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [...args], options, (_, stdout, stderr) => done(stdout + stderr));
  });
}

/** One folder a scenario, named `server-<scenario>-<time>`. */
function readResults(folder: string): readonly Check[] {
  return readdirSync(folder).flatMap((name) => {
    const scenario = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name;
    const made: readonly MadeCheck[] = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8"));
    return worstOfEach(scenario, made);
  });
}

interface MadeCheck {
  readonly id: string;
  readonly name: string;
  readonly status: Status;
  readonly errorMessage?: string;
}

/** An id may stand for several checks, told apart by their names; a check that is made often counts as its worst. */
function worstOfEach(scenario: string, made: readonly MadeCheck[]): readonly Check[] {
  const worst = new Map<string, Check>();
  for (const { id, name, status, errorMessage } of made) {
    const check = `${id}/${name}`;
    const known = worst.get(check);
    if (known && SEVERITY.indexOf(known.status) <= SEVERITY.indexOf(status)) continue;
    worst.set(check, { scenario, check, status, ...(errorMessage && { message: errorMessage }) });
  }
  return [...worst.values()];
}
