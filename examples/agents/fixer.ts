/** Agents with a set of tools each: one fixes a real error, one reviews the change. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodeReviewerAgent, checkRoleAgent, FixerAgent } from "sluicegate/agents";
import { scriptedModel } from "./scripted-model.ts";

const root = mkdtempSync(join(tmpdir(), "sluicegate-example-"));
execFileSync("git", ["init", "-q", root]);
const broken = "export const sum = (a, b) => {\n  return a + b;\n";
writeFileSync(join(root, "sum.js"), broken);
writeFileSync(join(root, "other.js"), "export const other = 1;\n");

/** A real check: what Node says of the file. */
const check = () => spawnSync(process.execPath, ["--check", join(root, "sum.js")], { encoding: "utf8" });
const error = check();
assert.notEqual(error.status, 0);

const fixing = scriptedModel(
  [
    [["Read", { file_path: "sum.js" }]],
    [
      ["Edit", { file_path: "sum.js", old_string: "a + b;\n", new_string: "a + b;\n};\n" }],
      ["Edit", { file_path: "other.js", old_string: "1", new_string: "2" }],
      ["Bash", { command: "rm -rf ." }],
    ],
  ],
  "Closed the function's body.",
);

const fixer = new FixerAgent({ model: fixing, root, unattended: true });
const fixed = await fixer.execute({
  filePath: "sum.js",
  errorMessage: error.stderr,
  lineNumber: 3,
  fixHint: "A brace is missing.",
});
console.log(fixed.success, fixed.fileModified, fixed.changesMade); // true true Closed the function's body.
console.log(fixed.refused); // other.js, and Bash, each with why

assert.deepEqual([fixed.success, fixed.fileModified, fixed.filesModified], [true, true, ["sum.js"]]);
assert.deepEqual(
  fixed.refused.map(({ tool }) => tool),
  ["Edit", "Bash"],
);
assert.equal(check().status, 0);
assert.equal(readFileSync(join(root, "other.js"), "utf8"), "export const other = 1;\n");

// A model that only says so.
writeFileSync(join(root, "sum.js"), broken);
const claiming = new FixerAgent({ model: scriptedModel([], "Fixed it!"), root, unattended: true });
const claimed = await claiming.execute({ filePath: "sum.js", errorMessage: error.stderr });
assert.deepEqual([claimed.success, claimed.fileModified], [false, false]);
console.log(claimed.error); // The agent says that it is done, and `sum.js` is as it was.

// Without `unattended`, a change waits for a person.
const write = [["Write", { file_path: "sum.js", content: `${broken}};\n` }]] as const;
const asking = new FixerAgent({ model: scriptedModel([write], "Closed it."), root });
const context = { filePath: "sum.js", errorMessage: error.stderr };
let result = await asking.execute(context);
while (result.pause) {
  for (const { approval } of result.pause.waiting)
    await asking.gate?.answerApproval(approval, { answer: "approved", by: "ada" });
  result = await asking.resume(result.pause, context);
}
assert.deepEqual([result.success, check().status], [true, 0]);

const reviewing = scriptedModel(
  [[["Grep", { pattern: "sum" }]]],
  'One thing.\n```json\n[{ "file": "sum.js", "line": 1, "severity": "note", "message": "No types." }]\n```',
);
const reviewer = new CodeReviewerAgent({ model: reviewing, root });
const review = await reviewer.execute({ files: ["sum.js"], focus: "Is the function whole?" });
for (const { file, line, severity, message } of review.findings)
  console.log(`${file}:${line} ${severity}: ${message}`);
assert.equal(review.findings.length, 1);

// In a test of yours: set, prompt and policy say the same.
assert.deepEqual(await checkRoleAgent(fixer), []);

const drifted = new FixerAgent({
  model: fixing,
  root,
  systemPrompt: "Fix the file, then run the tests.",
});
const [disagreement] = await checkRoleAgent(drifted);
console.log(disagreement?.message); // The prompt says that the agent can run commands ("run the tests"), …
assert.match(disagreement?.message ?? "", /can run commands/);

for (const agent of [fixer, claiming, asking, reviewer, drifted]) await agent.close();
rmSync(root, { recursive: true });
console.log("ok");
