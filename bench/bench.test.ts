/** That the benchmarks run; what they measure is no matter of tests. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { drawGrowth } from "./growth-picture.ts";
import { readResult } from "./report.ts";

const HERE = import.meta.dirname;
const bench = async (...args: readonly string[]): Promise<string> => {
  const flags = ["--disable-warning=ExperimentalWarning", join(HERE, "run.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...args]);
  return stdout;
};
const kept = (): readonly string[] =>
  existsSync(join(HERE, "results")) ? readdirSync(join(HERE, "results")).sort() : [];

const BUDGETS = { allow: 4, "deny: blocked flow": 10, "deny: not in the role's tool set": 10 };

it("measures decisions in a short run, prints each figure with its budget, and keeps nothing", async () => {
  const before = kept();
  const printed = await bench("--quick", "--only", "decision");
  for (const [kind, most] of Object.entries(BUDGETS)) {
    expect(printed).toMatch(new RegExp(`^ {2}${kind}, 10,000 tools +[\\d,.]+ ns$`, "m"));
    expect(printed).toMatch(
      new RegExp(`^ {2}${kind}, 1,000 tools: against bare +[\\d,.]+ × +≤ ${most} +(met|MISSED)$`, "m"),
    );
  }
  expect(printed).toMatch(/^load [\d.]+; budgets missed: \d+$/m);
  expect(kept()).toEqual(before);
});

it("shows in its documentation the figures of the last full result that is kept", async () => {
  const last = kept().findLast((file) => file.endsWith("-all.json"));
  const table = await bench("--table", join(HERE, "results", `${last}`));
  expect(table).toMatch(/^\| decision \| allow, 1,000 tools: against bare \| .* \| ≤ 4 \|/m);
  expect(readFileSync(join(HERE, "../docs/benchmarks.md"), "utf8")).toContain(table);
});

it("shows in its picture the last growth that is kept", () => {
  const last = kept().findLast((file) => file.includes("growth"));
  const picture = readFileSync(join(HERE, "../docs/images/growth.svg"), "utf8");
  expect(drawGrowth(readResult(join(HERE, "results", `${last}`)))).toBe(picture);
});

it("says which benchmarks there are when it is asked for another", async () => {
  await expect(bench("--only", "everything")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "Known: decision, tool-list, plan, append, append-postgres, gateway, growth, git-check, command-line, hook, rest, processes, slow-disk, event-loop, store.",
    ),
  });
});
