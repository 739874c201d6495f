/** Figures as a table for people and as data to keep. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Benchmark, type Budget, type Figure, isMet } from "./benchmark.ts";
import type { Setting } from "./machine.ts";

export interface BenchmarkResult {
  readonly benchmark: string;
  readonly title: string;
  readonly figures: readonly (Figure & { readonly met: boolean | null })[];
}

export interface Result extends Setting {
  readonly date: string;
  readonly load: { readonly before: number; readonly after: number };
  readonly results: readonly BenchmarkResult[];
}

const RESULTS = join(import.meta.dirname, "results");

export const toResult = ({ name, title }: Benchmark, figures: readonly Figure[]): BenchmarkResult => ({
  benchmark: name,
  title,
  figures: figures.map((figure) => ({ ...figure, value: rounded(figure.value), met: isMet(figure) })),
});

/** The table of one benchmark: each figure, its budget, and whether that is met. */
export function toTable({ benchmark, title, figures }: BenchmarkResult): string {
  const rows = figures.map((figure) => [
    figure.what,
    `${inWords(figure.value)} ${figure.unit}`,
    budgetInWords(figure.budget),
    figure.met === null ? "" : figure.met ? "met" : "MISSED",
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 1 ? cell.padStart(widths[1] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return [`${benchmark}: ${title}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Keeps a result as data; answers the file. */
export function keepResult(result: Result, name: string): string {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${result.date.slice(0, 10)}-${name}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

export const readResult = (file: string): Result => JSON.parse(readFileSync(file, "utf8"));

/** The figures of a kept result that have a budget, as a table for `docs/benchmarks.md`. */
export function toMarkdown({ date, machine, versions, load, commit, results }: Result): string {
  const about = [
    `${machine.cpu}, ${machine.cpus} CPUs, ${machine.memoryGiB} GiB, ${machine.system}`,
    `Node ${versions.node}, SQLite ${versions.sqlite}`,
    `load ${load.before} before and ${load.after} after`,
    `commit ${commit}`,
  ];
  const rows = results.flatMap(({ benchmark, figures }) =>
    figures
      .filter(({ budget }) => budget !== undefined)
      .map(({ what, value, unit, budget, met }) =>
        [
          benchmark,
          what,
          `${inWords(value)} ${unit}`,
          budgetInWords(budget),
          met ? "met" : "**missed**",
        ].join(" | "),
      ),
  );
  return [
    `${date.slice(0, 10)}: ${about.join("; ")}.`,
    "",
    "| benchmark | figure | measured | must be | |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

function budgetInWords(budget: Budget | undefined): string {
  if (budget === undefined) return "";
  const bound = budget.most === undefined ? `≥ ${budget.least}` : `≤ ${budget.most}`;
  return budget.kind === "must" ? bound : `${bound} (${budget.kind})`;
}

/** Three digits that count; large numbers whole. */
const rounded = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));

const inWords = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
