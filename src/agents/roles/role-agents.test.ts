/** The role agents: what each has, what it is told, what comes of its runs. */
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  call,
  edit,
  read,
  say,
  scriptedModel,
  type TestRepository,
  testRepositories,
  write,
} from "../../../test/fixtures/role-agents.ts";
import {
  BUILTIN_TOOLS,
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  ISSUE_FIXER_TOOLS,
  REVIEWER_TOOLS,
  type ToolSet,
} from "../../core/index.ts";
import { CodeReviewerAgent } from "./code-reviewer-agent.ts";
import { FixerAgent } from "./fixer-agent.ts";
import { GeneratorAgent } from "./generator-agent.ts";
import { ImplementerAgent, IssueFixerAgent } from "./implementer-agent.ts";
import type { RoleAgent } from "./role-agent.ts";
import type { RoleAgentOptions } from "./role-host.ts";

const repositories = testRepositories();
let project: TestRepository;
let agents: RoleAgent<never>[] = [];

beforeEach(() => {
  project = repositories.make();
  project.write("src/greet.ts", "export const greet = (name: string) => ['Hi', name];\n");
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  agents = [];
});

type Made<Agent> = new (options: RoleAgentOptions) => Agent;

function make<Agent extends RoleAgent<never>>(
  Role: Made<Agent>,
  script: Parameters<typeof scriptedModel>[0] = [],
  options: Partial<RoleAgentOptions> = {},
) {
  const { model, asked } = scriptedModel(script);
  const agent = new Role({ model, root: project.root, unattended: true, ...options });
  agents.push(agent);
  return { agent, asked, model };
}

const ROLES: readonly (readonly [name: string, Role: Made<RoleAgent<never>>, set: ToolSet])[] = [
  ["implementer", ImplementerAgent, IMPLEMENTER_TOOLS],
  ["code-reviewer", CodeReviewerAgent, REVIEWER_TOOLS],
  ["issue-fixer", IssueFixerAgent, ISSUE_FIXER_TOOLS],
  ["fixer", FixerAgent, FIXER_TOOLS],
  ["generator", GeneratorAgent, GENERATOR_TOOLS],
];

const CONTEXT = {
  task: "x",
  files: ["src/greet.ts"],
  title: "x",
  body: "x",
  filePath: "src/greet.ts",
  errorMessage: "x",
  instruction: "x",
};

describe("the seed's list of tests", () => {
  it("reviewers only read (E5)", () => {
    expect([...REVIEWER_TOOLS].filter((tool) => !["Read", "Glob", "Grep"].includes(tool))).toEqual([]);
  });

  it("implementers have no Bash (E5)", () => {
    expect(IMPLEMENTER_TOOLS.has("Bash")).toBe(false);
  });

  it("fixers have the least that fixes a file (E5)", () => {
    expect([...FIXER_TOOLS]).toEqual(["Read", "Write", "Edit"]);
  });

  it("generators have nothing (E5)", () => {
    expect([GENERATOR_TOOLS.size, [...GENERATOR_TOOLS]]).toEqual([0, []]);
  });

  it.each(ROLES)("every tool of a %s is built in, and its set can't be changed (E5)", (_, __, set) => {
    expect([...set].filter((tool) => !BUILTIN_TOOLS.has(tool))).toEqual([]);
    expect(Object.isFrozen(set)).toBe(true);
    expect(() => Reflect.apply(Set.prototype.add, set, ["Bash"])).toThrow(TypeError);
  });

  it.each(ROLES)("the agent `%s` has the tools of its set, in that order (E3, E5)", (name, Role, set) => {
    const { agent, model } = make(Role);
    expect([agent.name, agent.allowedTools, agent.model]).toEqual([name, set.toArray(), model]);
    agent.allowedTools.push("Bash");
    expect(agent.allowedTools).toEqual(set.toArray());
    for (const tool of set) expect(agent.systemPrompt).toContain(`\`${tool}\``);
  });
});

describe("what an agent of a role runs", () => {
  it.each(ROLES)("is its set and nothing else, whatever a model names: `%s` (E3)", async (_, Role, set) => {
    const all = [
      "Bash",
      "run_command",
      "delete_file",
      "rename",
      "WebFetch",
      "Task",
      "mcp__workspace__Bash",
      ...BUILTIN_TOOLS,
    ];
    const foreign = [...new Set(all)].filter((tool) => !set.has(tool));
    const { agent, asked } = make(Role, [
      foreign.map((tool) =>
        call(tool, {
          command: "touch taken",
          path: "src/greet.ts",
          from: "src/greet.ts",
          to: "taken",
          file_path: "taken",
          content: "x",
        }),
      ),
      say("done"),
    ]);
    const result = await agent.execute(CONTEXT as never);
    expect(asked[0]?.tools).toEqual([...set, "report_impossible"]);
    expect(result.refused.map(({ tool }) => tool)).toEqual(foreign);
    expect(result.filesModified).toEqual([]);
    expect([existsSync(project.path("taken")), existsSync(project.path("src/greet.ts"))]).toEqual([
      false,
      true,
    ]);
    // Whatever a model is shown: the gate itself refuses.
    const session = await agent.gate?.session(result.session ?? "");
    for (const tool of foreign) {
      const outcome = await session?.call({ tool, arguments: { command: "touch taken" } }, () => "RAN");
      expect([tool, outcome?.effect]).toEqual([tool, "deny"]);
    }
  });

  it("asks before it changes anything, unless it is said to work unattended (E3)", async () => {
    const script = [[write("src/new.ts", "export {};\n")], say("Done.")];
    const asking = make(ImplementerAgent, script, { unattended: false });
    const paused = await asking.agent.execute({ task: "Add a module." });
    expect([paused.status, paused.success, existsSync(project.path("src/new.ts"))]).toEqual([
      "paused",
      false,
      false,
    ]);
    const pause = JSON.parse(JSON.stringify(paused.pause));
    await asking.agent.gate?.answerApproval(pause.waiting[0].approval, { answer: "approved", by: "ada" });
    const done = await asking.agent.resume(pause, { task: "Add a module." });
    expect(done).toMatchObject({ success: true, filesModified: ["src/new.ts"] });
    const unasked = await make(ImplementerAgent, [[write("src/b.ts", "b\n")], say("Done.")]).agent.execute({
      task: "x",
    });
    expect(unasked).toMatchObject({ success: true, filesModified: ["src/b.ts"] });
  });

  it("asks once for all the changes of its plan, where it plans (E3, X6)", async () => {
    const files = ["src/a.ts", "src/b.ts"] as const;
    const planned = files.map((file_path) => ({ tool: "Write", arguments: { file_path, content: "new\n" } }));
    const script = [
      [call("check_plan", { planned_calls: planned })],
      files.map((file) => write(file, "new\n", file)),
      say("Done."),
    ];
    const { agent } = make(ImplementerAgent, script, { unattended: false, plan: true });
    const paused = await agent.execute({ task: "Add two modules." });
    const [approval, ...others] = paused.pause?.waiting ?? [];
    expect([approval?.tool, others, existsSync(project.path(files[0]))]).toEqual(["check_plan", [], false]);
    const [shown] = (await agent.gate?.pendingApprovals()) ?? [];
    expect(shown?.targets).toEqual(files.map((file) => project.path(file)));
    await agent.gate?.answerApproval(approval?.approval ?? "", { answer: "approved", by: "ada" });
    if (paused.pause === undefined) throw new Error("It didn't pause.");
    const done = await agent.resume(paused.pause, { task: "Add two modules." });
    expect(done).toMatchObject({ success: true, filesModified: files });
  });

  it("asks all the same for what git ignores, though it works unattended (E3)", async () => {
    const { agent } = make(ImplementerAgent, [[write(".env", "TAKEN")], say("Done.")]);
    const result = await agent.execute({ task: "x" });
    expect(result.status).toBe("paused");
    expect(read(project, ".env")).toBe(".env\n");
  });

  it("tells of two runs that overlap what each of them did (E3)", async () => {
    const { agent } = make(ImplementerAgent, ({ words, step }) => {
      const name = words.includes("one") ? "one.ts" : "two.ts";
      return step === 0 ? [write(name, "export {};\n")] : say(name);
    });
    const results = await Promise.all([agent.execute({ task: "one" }), agent.execute({ task: "two" })]);
    expect(results.map(({ text, filesModified }) => [text, filesModified])).toEqual([
      ["one.ts", ["one.ts"]],
      ["two.ts", ["two.ts"]],
    ]);
    expect(new Set(results.map(({ session }) => session)).size).toBe(2);
  });

  it("begins with the label of what it was given (E3)", async () => {
    const { agent } = make(GeneratorAgent, [say("A text.")]);
    const { session } = await agent.execute(
      { instruction: "Write." },
      { label: { level: "confidential", trust: "untrusted" } },
    );
    expect((await agent.gate?.session(session ?? ""))?.label).toMatchObject({
      level: "confidential",
      trust: "untrusted",
    });
  });
});

describe("an implementer", () => {
  it("is given the task, the plan, the conventions and where to begin (E3)", async () => {
    const { agent, asked } = make(ImplementerAgent, [
      [edit("src/greet.ts", "Hi", "Hello")],
      say("Greets in full."),
    ]);
    const result = await agent.execute({
      task: "Greet politely.",
      plan: "Change the word.",
      conventions: "No emoji.",
      files: ["src/greet.ts"],
    });
    expect(asked[0]?.words).toBe(
      "# Task\n\nGreet politely.\n\n# Plan\n\nChange the word.\n\n# Conventions\n\nNo emoji.\n\n# Files to begin with\n\n- src/greet.ts",
    );
    expect(result).toMatchObject({ success: true, filesModified: ["src/greet.ts"], text: "Greets in full." });
    expect(await agent.gate?.task(result.session ?? "")).toBe("Greet politely.");
  });

  it("has done nothing where no file is changed, whatever it says (E3)", async () => {
    const result = await make(ImplementerAgent, [say("All done!")]).agent.execute({ task: "x" });
    expect(result).toMatchObject({ success: false, status: "done", filesModified: [] });
    expect(result.error).toContain("no file is changed");
  });
});

describe("an issue fixer", () => {
  it("is given the issue whole, since it can't look it up (E3)", async () => {
    const { agent, asked } = make(IssueFixerAgent, [
      [call("Grep", { pattern: "Hi", output_mode: "content" })],
      [edit("src/greet.ts", "Hi", "Hello")],
      say("The word was wrong."),
    ]);
    const result = await agent.execute({
      number: 17,
      title: "Rude",
      body: "It says Hi.",
      comments: ["Same here."],
    });
    expect(result).toMatchObject({ success: true, filesModified: ["src/greet.ts"] });
    expect(asked[0]?.words).toBe(
      '# Issue 17\n\n<material name="title">\nRude\n</material>\n\n<material name="body">\nIt says Hi.\n</material>\n\n<material name="comment 1">\nSame here.\n</material>',
    );
    expect(asked[1]?.told["c-Grep"]).toContain("greet.ts");
    // Somebody else's words are not the user's.
    expect(await agent.gate?.task(result.session ?? "")).toBeNull();
  });
});

describe("a reviewer", () => {
  const REVIEW =
    'The change is sound but for one thing.\n\n```json\n[{"file": "src/greet.ts", "line": 1, "severity": "minor", "message": "Hi is short."}]\n```';

  it("gives what it found as data (E3)", async () => {
    const { agent, asked } = make(CodeReviewerAgent, [
      [call("Read", { file_path: "src/greet.ts" })],
      say(REVIEW),
    ]);
    const result = await agent.execute({ diff: "--- a\n+++ b\n", focus: "Tone." });
    expect(result).toMatchObject({
      success: true,
      findings: [{ file: "src/greet.ts", line: 1, severity: "minor", message: "Hi is short." }],
      summary: "The change is sound but for one thing.",
      filesModified: [],
    });
    expect(asked[0]?.words).toContain('<material name="diff">\n--- a\n+++ b\n');
    expect(asked[1]?.told["c-Read"]).toContain("greet");
  });

  it.each([
    ["isn't there", "Looks good to me."],
    ["is no JSON", "```json\n[{]\n```"],
    ["is no list", '```json\n{"file": "a"}\n```'],
    ["has a severity that nobody knows", '```json\n[{"file":"a","severity":"huge","message":"m"}]\n```'],
    ["has a line that is none", '```json\n[{"file":"a","line":-1,"severity":"note","message":"m"}]\n```'],
  ])("is no success where its list %s, and its words are there all the same (E3)", async (_, text) => {
    const result = await make(CodeReviewerAgent, [say(text)]).agent.execute({ files: ["src/greet.ts"] });
    expect(result).toMatchObject({ success: false, findings: [], text });
    expect(result.error).toContain("can't be read");
  });

  it("finds nothing wrong with an empty list (E3)", async () => {
    const result = await make(CodeReviewerAgent, [say("Fine.\n```json\n[]\n```")]).agent.execute({
      diff: "x",
    });
    expect(result).toMatchObject({ success: true, findings: [], summary: "Fine." });
  });
});

describe("a generator", () => {
  it("needs no folder, has no tool, and writes from what it is given (E3)", async () => {
    const { agent, asked } = make(GeneratorAgent, [say("Greets in full.")], { root: "", unattended: false });
    const result = await agent.execute({
      instruction: "A commit message.",
      material: [{ name: "diff", text: "-Hi\n+Hello" }],
      format: "One line.",
    });
    expect(result).toMatchObject({ success: true, text: "Greets in full.", filesModified: [] });
    expect(asked[0]?.tools).toEqual(["report_impossible"]);
    expect(asked[0]?.words).toContain('<material name="diff">\n-Hi\n+Hello\n</material>');
  });

  it("is no success where it has written nothing (E3)", async () => {
    const result = await make(GeneratorAgent, [say(" ")]).agent.execute({ instruction: "x" });
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("has written nothing") });
  });
});

it.each<[string, Made<RoleAgent<never>>, unknown]>([
  ["no task", ImplementerAgent, {}],
  ["files that are no list", ImplementerAgent, { task: "x", files: "a" }],
  ["no title", IssueFixerAgent, { body: "x" }],
  ["nothing to look at", CodeReviewerAgent, { focus: "x" }],
  ["no instruction", GeneratorAgent, { material: [] }],
  ["material without a name", GeneratorAgent, { instruction: "x", material: [{ text: "x" }] }],
  ["material that is no list", GeneratorAgent, { instruction: "x", material: "x" }],
])("a context with %s is the caller's error, and no model is asked (E3)", async (_, Role, context) => {
  const { agent, asked } = make(Role);
  await expect(agent.execute(context as never)).rejects.toMatchObject({ code: "invalid-request" });
  expect(asked).toEqual([]);
});
