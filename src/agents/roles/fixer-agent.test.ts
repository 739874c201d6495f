/** The agent that fixes one error: what it tells about a real file, and that it reaches no other. */
import { existsSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  BROKEN,
  call,
  checkScript,
  edit,
  FIXED,
  read,
  say,
  scriptedModel,
  type TestRepository,
  testRepositories,
  write,
} from "../../../test/fixtures/role-agents.ts";
import { FIXER_TOOLS } from "../../core/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { FixerAgent, type FixerContext } from "./fixer-agent.ts";
import type { RoleAgentOptions } from "./role-host.ts";

const repositories = testRepositories();
let project: TestRepository;
let agents: FixerAgent[] = [];

beforeEach(() => {
  project = repositories.make();
  project.write("src/sum.js", BROKEN);
  project.write("src/other.js", "export const other = 1;\n");
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  agents = [];
});

function fixer(script: Parameters<typeof scriptedModel>[0], options: Partial<RoleAgentOptions> = {}) {
  const { model, asked } = scriptedModel(script);
  const agent = new FixerAgent({ model, root: project.root, unattended: true, ...options });
  agents.push(agent);
  return { agent, asked };
}

const context = (more: Partial<FixerContext> = {}): FixerContext => ({
  filePath: "src/sum.js",
  errorMessage: "SyntaxError: Unexpected end of input",
  ...more,
});

describe("fixing a real error", () => {
  it("changes the file, so that the check that refused it accepts it, and says so from the file (E4)", async () => {
    const error = checkScript(project.path("src/sum.js"));
    expect(error).toContain("SyntaxError");
    const { agent, asked } = fixer([
      [call("Read", { file_path: "src/sum.js" })],
      [edit("src/sum.js", "  return a + b;\n", "  return a + b;\n};\n")],
      say("Closed the function's body."),
    ]);
    const result = await agent.execute(
      context({ errorMessage: error ?? "", lineNumber: 2, fixHint: "A brace is missing." }),
    );
    expect(result).toMatchObject({
      success: true,
      status: "done",
      fileModified: true,
      changesMade: "Closed the function's body.",
      filesModified: ["src/sum.js"],
      linesChanged: { from: 3, removed: 0, added: 1 },
      refused: [],
    });
    expect(result.error).toBeUndefined();
    expect(read(project, "src/sum.js")).toBe(FIXED);
    expect(checkScript(project.path("src/sum.js"))).toBeNull();
    expect(asked[0]?.words).toMatch(
      /^# File\n\nsrc\/sum\.js\n\n# Line\n\n2\n\n# Error\n\n[\s\S]*# Hint\n\nA brace is missing\.$/,
    );
    expect(asked[0]?.tools).toEqual(["Read", "Write", "Edit", "report_impossible"]);
  });

  it("takes an absolute path as well (E4)", async () => {
    const { agent } = fixer([[write("src/sum.js", FIXED)], say("done")]);
    const result = await agent.execute(context({ filePath: project.path("src/sum.js") }));
    expect(result).toMatchObject({ success: true, fileModified: true });
  });

  it.each<[string, Parameters<typeof scriptedModel>[0], string]>([
    ["claims a change and makes none", [say("I have fixed it.")], "as it was"],
    [
      "has made a change and taken it back",
      [[write("src/sum.js", FIXED)], [write("src/sum.js", BROKEN)], say("Fixed.")],
      "as it was",
    ],
    ["writes what stands there already", [[write("src/sum.js", BROKEN)], say("Fixed.")], "as it was"],
    [
      "gives arguments that its tool doesn't take",
      [[call("Edit", { file: "src/sum.js" })], say("Fixed.")],
      "as it was",
    ],
  ])("is no success, and the file isn't modified, where the model %s (E4)", async (_, script, why) => {
    const { agent } = fixer(script);
    const result = await agent.execute(context());
    expect(result).toMatchObject({ success: false, fileModified: false, changesMade: "", filesModified: [] });
    expect(result.error).toContain(why);
    expect(read(project, "src/sum.js")).toBe(BROKEN);
  });

  it("is no success of the agent's where somebody else changes the file while it only claims (E4)", async () => {
    const { agent } = fixer(() => {
      project.write("src/sum.js", FIXED);
      return say("Fixed.");
    });
    const result = await agent.execute(context());
    expect(result).toMatchObject({ success: false, fileModified: true });
    expect(result.error).toContain("not by the agent");
  });

  it("tells a change that was made before a budget ran out (E4)", async () => {
    const { agent } = fixer([[write("src/sum.js", FIXED)], say("never asked")], { maxSteps: 1 });
    const result = await agent.execute(context());
    expect(result).toMatchObject({ success: false, status: "stopped", fileModified: true });
    expect(result.error).toContain("used up its steps");
  });

  it("tells a change that was made before the model failed, as a value (E4)", async () => {
    const { agent } = fixer(
      ({ step }) => {
        if (step === 1) throw new Error("the model is down");
        return [write("src/sum.js", FIXED)];
      },
      { settings: { maxRetries: 0 } },
    );
    const result = await agent.execute(context());
    expect(result).toMatchObject({ success: false, status: "failed", fileModified: true });
    expect(result.error).toContain("The run has failed. The model");
  });

  it("cuts what the model says of its changes (E4)", async () => {
    const { agent } = fixer([[write("src/sum.js", FIXED)], say("x".repeat(1_000_000))]);
    const { changesMade, text } = await agent.execute(context());
    expect([changesMade.length, text.length]).toEqual([2001, 100_001]);
  });

  it("says why the model gave up (E4)", async () => {
    const { agent } = fixer([[call("report_impossible", { reason: "The error is in another file." })]]);
    const result = await agent.execute(context());
    expect(result).toMatchObject({ success: false, status: "impossible", fileModified: false });
    expect(result.error).toContain("The error is in another file.");
  });

  it("says that its caller ended it (E3)", async () => {
    const ending = new AbortController();
    const { agent } = fixer(() => {
      ending.abort();
      return [write("src/sum.js", FIXED)];
    });
    const result = await agent.execute(context(), { signal: ending.signal });
    expect(result).toMatchObject({ success: false, status: "stopped", fileModified: false });
    expect(result.error).toContain("ended by its caller");
  });
});

describe("a file that a fixer isn't sent to", () => {
  it.each<[string, string, string]>([
    ["is missing", "src/none.js", "nothing lies there"],
    ["lies outside", "../outside.js", "outside of the working directory"],
    ["lies outside, by an absolute path", "/etc/hostname", "outside of the working directory"],
    ["is a link that leads out", "src/link.js", "outside of the working directory"],
    ["is ignored by git", ".env", "git ignores it"],
    ["is git's own", ".git/config", "git itself"],
    ["is a folder", "src", "it is a folder"],
    ["lies in another repository", "vendor/deep/a.js", "another repository"],
    ["has several names", "src/twice.js", "several names"],
  ])("is refused with a reason where it %s, and no model is asked (E4)", async (_, filePath, why) => {
    writeFileSync(`${project.root}/../outside.js`, BROKEN);
    symlinkSync("../../outside.js", project.path("src/link.js"));
    mkdirSync(project.path("vendor/deep"), { recursive: true });
    project.write("vendor/deep/a.js", BROKEN);
    project.git("init", "-q", project.path("vendor"));
    linkSync(project.path("src/other.js"), project.path("src/twice.js"));
    const { agent, asked } = fixer(() => say("done"));
    const result = await agent.execute(context({ filePath }));
    expect(result).toMatchObject({ success: false, status: "failed", fileModified: false, session: null });
    expect(result.error).toContain(why);
    expect(asked).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["no path", { errorMessage: "x" }],
    ["an empty path", { filePath: " ", errorMessage: "x" }],
    ["no error", { filePath: "src/sum.js" }],
    ["a line that is none", { filePath: "src/sum.js", errorMessage: "x", lineNumber: 0 }],
    ["a hint that is no text", { filePath: "src/sum.js", errorMessage: "x", fixHint: 7 }],
    ["nothing", undefined],
  ])("is an error of the caller's where the context has %s (E4)", async (_, given) => {
    const { agent } = fixer([]);
    await expect(agent.execute(given as FixerContext)).rejects.toMatchObject({ code: "invalid-request" });
  });
});

describe("a fixer's tools", () => {
  it("are its set, in a list that is new each time (E1, E3)", () => {
    const { agent } = fixer([]);
    expect(agent.allowedTools).toEqual([...FIXER_TOOLS]);
    agent.allowedTools.push("Bash");
    expect(agent.allowedTools).toEqual(["Read", "Write", "Edit"]);
  });

  it.each<[string, (project: TestRepository) => string]>([
    ["another file", () => "src/other.js"],
    ["a new file", () => "src/new.js"],
    ["an ignored file", () => ".env"],
    ["a file outside", () => "../outside.js"],
    [
      "another file by a link that was put in place of its own",
      (at) => {
        symlinkSync("other.js", at.path("src/alias.js"));
        return "src/alias.js";
      },
    ],
  ])("change its own file alone: %s is refused by the gate (E4, E3)", async (_, toPath) => {
    project.write("../outside.js", BROKEN);
    const path = toPath(project);
    const { agent, asked } = fixer([
      [
        write(path, "TAKEN", "a"),
        call("Edit", { file_path: path, old_string: "", new_string: "TAKEN" }, "b"),
      ],
      [write("src/sum.js", FIXED, "c")],
      say("Fixed both."),
    ]);
    const result = await agent.execute(context());
    expect(result).toMatchObject({ success: true, fileModified: true, filesModified: ["src/sum.js"] });
    expect(result.refused.map(({ tool }) => tool)).toEqual(["Write", "Edit"]);
    expect(result.refused[0]?.why).toContain("is refused");
    expect(read(project, "src/other.js")).toBe("export const other = 1;\n");
    expect(read(project, ".env")).toBe(".env\n");
    expect(existsSync(project.path("src/new.js"))).toBe(false);
    expect(read(project, "../outside.js")).toBe(BROKEN);
    expect(asked[1]?.told.a).toContain("is refused");
  });

  it("change nothing where a link has taken the file's place meanwhile (E4)", async () => {
    const { agent } = fixer(({ step }) => {
      if (step > 0) return say("Fixed.");
      rmSync(project.path("src/sum.js"));
      symlinkSync("other.js", project.path("src/sum.js"));
      return [write("src/sum.js", "TAKEN")];
    });
    const result = await agent.execute(context());
    expect([result.success, result.refused.length]).toEqual([false, 1]);
    expect(result.error).toContain("not by the agent");
    expect(read(project, "src/other.js")).toBe("export const other = 1;\n");
  });

  it("keep each of two runs that overlap to its own file (E4, B3-planner)", async () => {
    project.write("src/sum2.js", BROKEN);
    const { agent } = fixer(({ words, step }) => {
      if (step > 0) return say("Fixed.");
      const [own, other] = words.includes("sum2.js") ? ["sum2.js", "sum.js"] : ["sum.js", "sum2.js"];
      return [write(`src/${other}`, "TAKEN", "a"), write(`src/${own}`, FIXED, "b")];
    });
    const files = ["src/sum.js", "src/sum2.js"];
    const results = await Promise.all(files.map((filePath) => agent.execute(context({ filePath }))));
    expect(results.map(({ success, filesModified }) => [success, filesModified])).toEqual(
      files.map((file) => [true, [file]]),
    );
    expect(files.map((file) => read(project, file))).toEqual([FIXED, FIXED]);
  });

  it("run nothing that it doesn't have, whatever the model names (E3)", async () => {
    const names = ["Bash", "run_command", "Grep", "Glob", "delete_file", "mcp__workspace__Bash", "WebFetch"];
    const { agent } = fixer([
      names.map((name) => call(name, { command: "touch taken", path: "src/other.js", pattern: "x" })),
      say("done"),
    ]);
    const result = await agent.execute(context());
    expect(result.refused.map(({ tool }) => tool)).toEqual(names);
    expect([existsSync(project.path("taken")), existsSync(project.path("src/other.js"))]).toEqual([
      false,
      true,
    ]);
    const session = await agent.gate?.session(result.session ?? "");
    for (const tool of ["Bash", "mcp__workspace__Bash", "Grep"])
      expect(await session?.call({ tool }, () => "RAN")).toMatchObject({ effect: "deny" });
  });
});

describe("a fixer that asks", () => {
  it("waits for a person before it changes the file, and goes on with their yes (E3, E4)", async () => {
    const { agent } = fixer([[write("src/sum.js", FIXED)], say("Fixed.")], { unattended: false });
    const paused = await agent.execute(context());
    expect(paused).toMatchObject({ success: false, status: "paused", fileModified: false });
    expect(paused.error).toContain("waits for a person's answer about `Write`");
    expect(read(project, "src/sum.js")).toBe(BROKEN);
    const approval = paused.pause?.waiting[0]?.approval ?? "";
    expect(await agent.gate?.approval(approval)).toMatchObject({ tool: "mcp__workspace__Write" });
    await agent.gate?.answerApproval(approval, { answer: "approved", by: "ada" });
    const kept = JSON.parse(JSON.stringify(paused.pause));
    await expect(agent.resume(kept, context({ filePath: "src/other.js" }))).rejects.toMatchObject({
      code: "invalid-request",
    });
    const done = await agent.resume(kept, context());
    expect(done).toMatchObject({ success: true, fileModified: true, changesMade: "Fixed." });
    expect(read(project, "src/sum.js")).toBe(FIXED);
    await expect(agent.resume(kept, context())).rejects.toMatchObject({ code: "run-not-found" });
  });

  it("goes on in another process, with its store and its key (E3)", async () => {
    const store = createMemoryStore();
    const kept = { unattended: false, store, digestKey: new Uint8Array(32).fill(7) };
    const first = fixer([[write("src/sum.js", FIXED)]], kept);
    const { pause } = await first.agent.execute(context());
    const second = fixer([[], say("Fixed.")], kept);
    const approval = pause?.waiting[0]?.approval ?? "";
    await second.agent.gate?.answerApproval(approval, { answer: "approved", by: "ada" });
    const done = await second.agent.resume(JSON.parse(JSON.stringify(pause)), context());
    expect(done).toMatchObject({ success: true, fileModified: true });
  });

  it("leaves the file as it was after a no (E3, E4)", async () => {
    const { agent } = fixer([[write("src/sum.js", FIXED)], say("Fixed.")], { unattended: false });
    const { pause } = await agent.execute(context());
    await agent.gate?.answerApproval(pause?.waiting[0]?.approval ?? "", { answer: "denied", by: "ada" });
    const result = await agent.resume(pause as NonNullable<typeof pause>, context());
    expect(result).toMatchObject({ success: false, fileModified: false });
    expect(result.error).toContain("said no");
  });

  it("asks nobody about another file, since nobody could say yes to it (E4)", async () => {
    const { agent } = fixer([[write("src/other.js", "TAKEN")], say("done")], { unattended: false });
    const result = await agent.execute(context());
    expect(result.status).toBe("done");
    expect(await agent.gate?.pendingApprovals()).toEqual([]);
  });
});

it.each<[string, () => void]>([
  ["ignored", () => project.write(".gitignore", "src/\n")],
  ["given a second name", () => linkSync(`${project.root}/src/sum.js`, `${project.root}/src/again.js`)],
])("a file with the same bytes that somebody has %s meanwhile wasn't changed (E4)", async (_, change) => {
  const { agent } = fixer(() => {
    change();
    return say("done");
  });
  const result = await agent.execute({ filePath: "src/sum.js", errorMessage: "x" });
  expect(result).toMatchObject({ success: false, fileModified: false, changesMade: "", filesModified: [] });
});
