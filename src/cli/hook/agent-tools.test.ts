import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHook, PLAIN_POLICY } from "./in-process.test-kit.ts";

const WITH_WEB = `${PLAIN_POLICY}tools:
  WebFetch: { permissions: [connect], source: { trust: untrusted }, sink: public }
`;

describe("the agent's own tools that a policy doesn't name", () => {
  it.each([
    ["AskUserQuestion", { questions: [] }, undefined],
    ["EnterPlanMode", {}, undefined],
    ["ExitPlanMode", { plan: "x" }, undefined],
    ["TodoWrite", { todos: [] }, "allow"],
    ["TaskCreate", { subject: "x" }, "allow"],
    ["TaskUpdate", { taskId: "1" }, "allow"],
    ["Task", { prompt: "x" }, "allow"],
    ["Agent", { prompt: "x" }, "allow"],
    ["ToolSearch", { query: "x" }, "allow"],
    ["KillShell", { shell_id: "1" }, "allow"],
    ["BashOutput", { bash_id: "1" }, "allow"],
    ["Skill", { skill: "x" }, "deny"],
    ["WebSearch", { query: "x" }, "deny"],
    ["CronCreate", { prompt: "x" }, "deny"],
    ["ReadMcpResourceTool", { server: "x", uri: "y" }, "deny"],
  ])("%s with %j is answered with %s (D1)", async (tool, input, decision) => {
    await using hook = await openHook();
    expect((await hook.before(tool, input)).decision).toBe(decision);
    if (decision !== "deny") expect(await hook.after(tool, input, { text: "x" })).toEqual({});
  });

  it("ask a person where instructions come out of files, and bring in what a command would (C1-declared)", async () => {
    await using hook = await openHook({ policy: WITH_WEB });
    expect((await hook.before("Skill", { skill: "x" })).reason).toContain("waits for a person");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("allow");
    expect((await hook.before("TodoWrite", { todos: [] })).decision).toBe("allow");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("allow");
    expect((await hook.before("BashOutput", { bash_id: "1" })).decision).toBe("allow");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("deny");
  });

  it("are what the policy says where it says anything (E1)", async () => {
    const policy = `${PLAIN_POLICY}policy: { denied_tools: [AskUserQuestion] }
tools:
  TodoWrite: { permissions: [write], approval: always }
  ExitPlanMode: { permissions: [] }
`;
    await using hook = await openHook({ policy });
    expect((await hook.before("AskUserQuestion", {})).reason).toContain("policy denies it");
    expect((await hook.before("TodoWrite", {})).reason).toContain("waits for a person");
    expect((await hook.before("ExitPlanMode", {})).decision).toBeUndefined();
    const inRole = await hook.before("ToolSearch", {}, { session: "role", settings: { role: "fixer" } });
    expect(inRole.reason).toContain("The role `fixer` doesn't have it");
  });

  it("are withheld in one sentence that names a way out that is there", async () => {
    await using hook = await openHook();
    await hook.before("Read", { file_path: "notes.md" });
    const { reason } = await hook.before("WebSearch", { query: "x" });
    expect(reason).toContain("Ask the operator to classify it");
    expect(reason).not.toMatch(/Call `|\n/);
  });
});

describe("a subagent", () => {
  const SKILLED = "---\nname: NAME\ndescription: helps\nskills: [x]\n---\nYou help.\n";
  const start = (subagent_type?: string) => ({ prompt: "x", ...(subagent_type && { subagent_type }) });
  const as = (name: string) => SKILLED.replace("NAME", name);

  it("asks where a definition that may be meant comes with the project, built-in names too (D1)", async () => {
    await using hook = await openHook();
    hook.put(".claude/agents/team/helper.md", as("helper"));
    const decided = (tool: string, input: object, cwd = hook.work) => hook.before(tool, input, { cwd });
    expect((await decided("Agent", start("helper"))).reason).toContain("load instructions from files");
    expect((await decided("Task", start("helper"))).decision).toBe("deny");
    expect((await decided("Agent", start("helper"), join(hook.work, "src"))).decision).toBe("deny");
    expect((await decided("Agent", start("Explore"))).decision).toBe("allow");
    expect((await decided("Agent", start())).decision).toBe("allow");
    for (const name of [
      "general-purpose",
      '"general-\\x70urpose"',
      '"general\\t-purpose"',
      "General_Purpose",
      "!!binary eA==",
    ]) {
      hook.put(".claude/agents/a.md", as(name));
      expect([name, (await decided("Agent", start())).decision]).toEqual([name, "deny"]);
    }
  });

  it("asks where the definition lies in the agent's own folder, or where the agent was started (D1)", async () => {
    await using hook = await openHook();
    const decided = async (environment: Readonly<Record<string, string>>) =>
      (await hook.before("Agent", start("helper"), { settings: { environment } })).decision;
    hook.put("home/.claude/agents/helper.md", as("helper"));
    hook.put("config/agents/helper.md", as("helper"));
    hook.put("app/.claude/agents/helper.md", as("helper"));
    expect(await decided({ HOME: join(hook.work, "none") })).toBe("allow");
    expect(await decided({ HOME: join(hook.work, "home") })).toBe("deny");
    expect(await decided({ CLAUDE_CONFIG_DIR: join(hook.work, "config") })).toBe("deny");
    expect(await decided({ CLAUDE_PROJECT_DIR: join(hook.work, "app/sub") })).toBe("deny");
  });

  it("brings in what `Read` would where its instructions come out of files (C1-declared)", async () => {
    await using hook = await openHook({
      policy: WITH_WEB.replace("tools:\n  Web", "approvals: { via: [console] }\ntools:\n  Web"),
    });
    hook.put(".claude/agents/helper.md", as("helper"));
    await hook.before("Agent", start("helper"));
    const [asked] = await hook.hooks.gate.pendingApprovals();
    await hook.hooks.gate.answerApproval(asked?.id ?? "", { answer: "approved", by: "ada" });
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("allow");
    expect((await hook.before("Agent", start("helper"))).decision).toBe("allow");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("deny");
  });

  it("asks where it is started with what this hook doesn't know, such as a folder of its own (D1, D2)", async () => {
    const named = `${PLAIN_POLICY}tools: { Task: { permissions: [] } }\n`;
    for (const policy of [PLAIN_POLICY, named]) {
      await using hook = await openHook({ policy });
      for (const more of [
        { cwd: "/tmp" },
        { cwd: null },
        { worktree: "x" },
        { isolation: "worktree", cwd: "src" },
      ]) {
        const { decision, reason } = await hook.before("Agent", { ...start(), ...more });
        expect([more, decision, reason]).toEqual([
          more,
          "deny",
          expect.stringContaining("waits for a person"),
        ]);
      }
      const usual = { description: "d", model: "opus", effort: "low", run_in_background: true, name: "a" };
      const all = { ...start(), ...usual, mode: "plan", isolation: "worktree", resume: "a1", max_turns: 3 };
      expect((await hook.before("Agent", all)).decision).toBe("allow");
    }
  });

  it.each([
    ["Agent", { prompt: "x", cwd: "." }],
    ["Task", { prompt: "x", cwd: "here" }],
    ["Skill", { skill: "x" }],
    ["SlashCommand", { command: "/x" }],
  ])("or a skill is approved for the folder that it is started from, and no other: %s %j (D6-targets)", async (tool, input) => {
    await using hook = await openHook();
    const start = (folder: string) => hook.before(tool, input, { cwd: join(hook.work, folder) });
    hook.put("src/here/a.txt", "x");
    hook.put("other/here/a.txt", "x");
    await start("src");
    const approve = async () => {
      const [asked] = await hook.hooks.gate.pendingApprovals();
      expect(asked?.targets).toContain(join(hook.work, "src"));
      await hook.hooks.gate.answerApproval(asked?.id ?? "", { answer: "approved", by: "ada" });
    };
    await approve();
    expect((await start("other")).decision).toBe("deny");
    symlinkSync("src", join(hook.work, "link"));
    expect((await start("link")).decision).toBe("allow");
  });

  it("is approved for the folder that its `cwd` leads to now (D6-targets)", async () => {
    await using hook = await openHook();
    hook.put("other/a.txt", "x");
    symlinkSync("src", join(hook.work, "here"));
    const begin = () => hook.before("Agent", { prompt: "x", cwd: "here" });
    await begin();
    const [asked] = await hook.hooks.gate.pendingApprovals();
    expect(asked?.targets).toContain(join(hook.work, "src"));
    await hook.hooks.gate.answerApproval(asked?.id ?? "", { answer: "approved", by: "ada" });
    rmSync(join(hook.work, "here"));
    symlinkSync("other", join(hook.work, "here"));
    expect((await begin()).decision).toBe("deny");
  });

  it("that runs on another machine, or in a conversation of its own, is a tool that no policy knows (D1)", async () => {
    const input = { ...start(), isolation: "remote" };
    await using plain = await openHook();
    expect((await plain.before("Agent", input)).reason).toContain("classif");
    const teammate = { ...start(), name: "ada", team_name: "t" };
    expect((await plain.before("Agent", teammate)).decision).toBe("deny");
    expect((await plain.before("Agent", { ...start(), isolation: "worktree" })).decision).toBe("allow");
    await using named = await openHook({ policy: `${PLAIN_POLICY}tools: { Task: { permissions: [] } }\n` });
    expect((await named.before("Task", input)).decision).toBe("deny");
    expect((await named.before("Task", start())).decision).toBe("allow");
  });
});
