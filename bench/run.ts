/**
 * `npm run bench -- [--quick] [--only NAME] [--name TEXT]`: measures, prints a table, and keeps the figures in
 * `bench/results/`. A quick run keeps nothing. `--table FILE` prints a kept result for `docs/benchmarks.md`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { append } from "./append.ts";
import { appendPostgres } from "./append-postgres.ts";
import type { Benchmark, BenchmarkContext } from "./benchmark.ts";
import { commandLine } from "./command-line.ts";
import { decision } from "./decision.ts";
import { eventLoop } from "./event-loop.ts";
import { gateway } from "./gateway.ts";
import { gitCheck } from "./git-check.ts";
import { growth } from "./growth.ts";
import { hook } from "./hook.ts";
import { describeSetting, loadNow, ROOT } from "./machine.ts";
import { plan } from "./plan.ts";
import { processes } from "./processes.ts";
import { createPublished } from "./published.ts";
import { type BenchmarkResult, keepResult, readResult, toMarkdown, toResult, toTable } from "./report.ts";
import { rest } from "./rest.ts";
import { slowDisk } from "./slow-disk.ts";
import { store } from "./store.ts";
import { toolList } from "./tool-list.ts";

const BENCHMARKS: readonly Benchmark[] = [
  decision,
  toolList,
  plan,
  append,
  appendPostgres,
  gateway,
  growth,
  gitCheck,
  commandLine,
  hook,
  rest,
  processes,
  slowDisk,
  eventLoop,
  store,
];

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const complain = (text: string): boolean => process.stderr.write(`${text}\n`);

interface Options {
  readonly quick: boolean;
  readonly only: readonly string[];
  readonly name: string;
  /** A kept result to print instead of measuring. */
  readonly table?: string;
}

function options(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      name: { type: "string" },
      table: { type: "string" },
    },
  });
  const known = BENCHMARKS.map(({ name }) => name);
  const unknown = values.only.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown[0]}. Known: ${known.join(", ")}.`);
  const name = values.name ?? (values.only.length > 0 ? values.only.join("-") : "all");
  if (!/^[\w.-]+$/.test(name)) throw new Error("A name has letters, digits and any of `_ . -`.");
  return { ...values, name };
}

async function runAll(quick: boolean, only: readonly string[]): Promise<readonly BenchmarkResult[]> {
  const chosen = BENCHMARKS.filter(({ name }) => only.length === 0 || only.includes(name));
  // On the checkout's own disk: a temporary folder may lie in memory, where nothing is ever durable.
  const home = join(ROOT, "node_modules/.cache");
  mkdirSync(home, { recursive: true });
  const published = createPublished(home, (line) => complain(`… ${line}`));
  const results: BenchmarkResult[] = [];
  for (const benchmark of chosen) {
    const scratch = mkdtempSync(join(home, "bench-"));
    const context: BenchmarkContext = {
      quick,
      scratch,
      published: published.start,
      progress: (line) => complain(`… ${benchmark.name}: ${line}`),
    };
    try {
      const result = toResult(benchmark, await benchmark.run(context));
      results.push(result);
      print(`\n${toTable(result)}`);
    } catch (error) {
      // What the others measured is not lost with it.
      complain(`\n${benchmark.name} failed: ${error instanceof Error ? error.stack : error}`);
      process.exitCode = 1;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  published.remove();
  return results;
}

async function main({ quick, only, name, table }: Options): Promise<void> {
  if (table !== undefined) {
    print(toMarkdown(readResult(table)));
    return;
  }
  const setting = describeSetting();
  const { cpu, cpus, memoryGiB } = setting.machine;
  const before = loadNow();
  print(`${cpu}, ${cpus} CPUs, ${memoryGiB} GiB; Node ${setting.versions.node}; load ${before}`);
  const results = await runAll(quick, only);
  const missed = results.flatMap(({ figures }) =>
    figures.filter(({ met, budget }) => met === false && budget?.kind === "must"),
  );
  print(`\nload ${loadNow()}; budgets missed: ${missed.length}`);
  if (quick) return;
  const result = { date: new Date().toISOString(), ...setting, load: { before, after: loadNow() }, results };
  print(`kept in ${keepResult(result, name)}`);
}

try {
  await main(options());
} catch (error) {
  complain(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
