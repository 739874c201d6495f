/** That the replay runs, that a part of it comes to what is kept, and that the documents show what is kept. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RULES } from "./rules.ts";
import { type Score, type ScoredRule, scoreSuite, toMarkdown } from "./score.ts";
import { readSuites, type Suite } from "./suites.ts";

const RESULTS = join(import.meta.dirname, "../results");
const last = readdirSync(RESULTS)
  .sort()
  .findLast((file) => file.endsWith("-agentdojo.json"));
const kept: { readonly rules: readonly ScoredRule[] } = JSON.parse(
  readFileSync(join(RESULTS, String(last)), "utf8"),
);

/** Every ninth task, with every seventh injection. */
const partOf = (suite: Suite): Suite => ({
  ...suite,
  tasks: suite.tasks.filter((_, at) => at % 9 === 7),
  injections: suite.injections.filter((_, at) => at % 7 === 4),
});
const parts = readSuites().map(partOf);

/** What a result says about some tasks and some injections. */
const aboutPart = (score: Score, { tasks, injections }: Suite) => ({
  tasks: tasks.map(({ id }) => [id, score.taskMisses[id]]),
  attacks: injections.map(({ id }) => [
    id,
    (score.attackMisses[id] ?? "").split(", ").filter((one) => tasks.some((task) => task.id === one)),
  ]),
});

it.each(RULES)("comes to what is kept: $name", async (rule) => {
  const before = kept.rules.find((one) => one.rule === rule.name)?.suites ?? [];
  const scores = await Promise.all(parts.map((part) => scoreSuite(rule, part)));
  expect(before.map(({ pairs }) => pairs)).toEqual([560, 144]);
  expect(parts.map((part, at) => aboutPart(scores[at] as Score, part))).toEqual(
    parts.map((part, at) => aboutPart(before[at] as Score, part)),
  );
});

it("shows in its documentation the last result that is kept (X17)", () => {
  expect(kept.rules.map(({ rule }) => rule)).toEqual(RULES.map(({ name }) => name));
  const text = readFileSync(join(import.meta.dirname, "../../docs/benchmarks.md"), "utf8");
  expect(text).toContain(toMarkdown(kept.rules));
});
