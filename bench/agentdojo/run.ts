/**
 * `npm run bench:agentdojo [-- --misses]`: replays AgentDojo's tasks and attacks through the gate, by each rule. Prints
 * a table and keeps the counts in `bench/results/`; with `--misses` it prints each task that asks, each attack that has
 * an effect, and why, and keeps nothing.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeSetting, ROOT } from "../machine.ts";
import { RULES } from "./rules.ts";
import { type ScoredRule, scoreSuite, toMarkdown } from "./score.ts";
import { readSuites } from "./suites.ts";

const { values } = parseArgs({ options: { misses: { type: "boolean", default: false } } });
const suites = readSuites();
const scored: ScoredRule[] = [];
for (const rule of RULES) {
  const scores = [];
  for (const suite of suites) scores.push(await scoreSuite(rule, suite));
  scored.push({ rule: rule.name, suites: scores });
}
console.log(values.misses ? scored.map(toMisses).join("\n\n") : toMarkdown(scored));
if (!values.misses) {
  const date = new Date().toISOString();
  const file = join(ROOT, "bench/results", `${date.slice(0, 10)}-agentdojo.json`);
  const { commit } = describeSetting();
  writeFileSync(file, `${JSON.stringify({ date, commit, rules: scored }, null, 2)}\n`);
  console.log(`\nkept in ${file}`);
}

function toMisses({ rule, suites }: ScoredRule): string {
  const lines = suites.flatMap(({ suite, taskMisses, attackMisses }) => [
    ...Object.entries(taskMisses).map(([task, misses]) => `  ${suite} ${task}: ${misses}`),
    ...Object.entries(attackMisses).map(
      ([injection, tasks]) => `  ${suite} ${injection} has an effect in ${tasks}`,
    ),
  ]);
  return [rule, ...lines].join("\n");
}
