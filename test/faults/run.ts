/**
 * `npm run faults -- [--seed S] [--kills N] [--only WORDS]`: injects every fault, and ends with a table. The same seed
 * makes the same choices, as far as they are ours: what the system does at the same time isn't. Exits 1 where a test
 * fails, or where a fault has none. `--only` takes the faults whose names contain the words.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { FAULT_TABLE, type FaultRow, type TestOutcome, toFaultRows } from "./fault-table.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: process.env.SLUICEGATE_SEED ?? String(Date.now() % 1_000_000_000) },
    kills: { type: "string", default: process.env.SLUICEGATE_KILLS ?? "200" },
    only: { type: "string", default: "" },
  },
});
const isChosen = ({ fault }: { readonly fault: string }): boolean => fault.includes(values.only);
const files = new Set(FAULT_TABLE.filter(isChosen).flatMap(({ tests }) => tests.map(([file]) => file)));

console.log(`seed ${values.seed}, ${values.kills} kills`);
const folder = mkdtempSync(join(tmpdir(), "sluicegate-faults-"));
const report = join(folder, "report.json");
const vitest = spawn(
  process.execPath,
  [
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    "run",
    ...["unit", "system", "slow"].flatMap((project) => ["--project", project]),
    ...["--reporter", "default", "--reporter", "json", `--outputFile.json=${report}`],
    ...files,
  ],
  {
    cwd: ROOT,
    env: { ...process.env, SLUICEGATE_SEED: values.seed, SLUICEGATE_KILLS: values.kills },
    stdio: "inherit",
  },
);
const [code] = await once(vitest, "exit");
const rows = toFaultRows(readOutcomes()).filter(isChosen);
rmSync(folder, { recursive: true, force: true });
print(rows);
process.exitCode = code === 0 && rows.every(({ violations }) => violations === 0) ? 0 : 1;

function readOutcomes(): readonly TestOutcome[] {
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.flatMap(({ name, assertionResults }: any) =>
    assertionResults.map(({ fullName, status }: any) => ({
      file: relative(ROOT, name),
      title: fullName,
      state: status,
    })),
  );
}

function print(shown: readonly FaultRow[]): void {
  const lines = [
    ["fault", "invariants", "runs", "violations", "tests"],
    ...shown.map(({ fault, invariants, files: from, runs, skipped, violations }) => [
      fault,
      invariants,
      skipped > 0 ? `${runs} (${skipped} skipped)` : String(runs),
      violations === null ? "no test ran" : String(violations),
      from.map((file) => file.replace(/^(?:test\/faults|src)\//, "").replace(/\.test\.ts$/, "")).join(", "),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  console.log(`\nseed ${values.seed}`);
  for (const line of lines)
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
