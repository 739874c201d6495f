import { closeSync, mkdirSync, openSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openHook } from "./in-process.test-kit.ts";

describe("the settings that hold the hook", () => {
  it("are never touched, in whatever folder and whatever they are called (D4)", async () => {
    await using hook = await openHook();
    hook.put("app/.claude/settings.json", "{}\n");
    hook.put("team-settings.json", "{}\n");
    const settings = { role: "fixer", settings: join(hook.work, "team-settings.json") };
    for (const file_path of [
      "app/.claude/settings.json",
      "app/.claude/settings.local.json",
      "new/folder/.claude/settings.json",
      "app/.CLAUDE/Settings.json",
      ".claude/settings.json",
      "team-settings.json",
      "src/../team-settings.json",
    ]) {
      const written = await hook.before("Write", { file_path, content: "{}" }, { settings });
      expect([file_path, written.decision]).toEqual([file_path, "deny"]);
      expect(written.reason).toContain("is kept from this session");
    }
    const other = { file_path: "app/.claude/skills.md", content: "x" };
    expect(await hook.before("Write", other, { settings })).toMatchObject({ decision: "allow" });
    const without = { settings: { role: "fixer" } };
    const known = await hook.before("Write", { file_path: "team-settings.json", content: "" }, without);
    expect(known.reason).toContain("is kept from this session");
    expect(await hook.before("Grep", { pattern: "x" }, { settings })).toMatchObject({ decision: "allow" });
  });
});

describe("settings that a link gives their name", () => {
  it.each([
    ["app/.claude", "cfg", "app/cfg/settings.local.json", "app/.claude/settings.local.json"],
    [".claude", "dot", "dot/settings.json", ".claude/settings.json"],
    ["app/.claude/settings.local.json", "../../local.json", "local.json", "app/.claude/settings.local.json"],
  ])("are never touched: %s to %s (D4)", async (link, to, name, byLink) => {
    await using hook = await openHook();
    const call = { settings: { role: "fixer" } };
    hook.put(`${dirname(name)}/x.txt`, "x");
    mkdirSync(join(hook.work, dirname(link)), { recursive: true });
    symlinkSync(to, join(hook.work, link));
    for (const file_path of [name, byLink]) {
      const written = await hook.before("Write", { file_path, content: "{}" }, call);
      expect([file_path, written.reason]).toEqual([
        file_path,
        expect.stringContaining("is kept from this session"),
      ]);
    }
    expect(await hook.before("Write", { file_path: "src/b.ts", content: "x" }, call)).toMatchObject({
      decision: "allow",
    });
  });
});

const hooksOf = (command: string): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });

describe("a file that the agent's settings name", () => {
  it("is known by a link, and where the settings are the person's or hold the hook (D2, D3)", async () => {
    await using hook = await openHook();
    hook.put("scripts/real.sh", "x");
    hook.put("scripts/other.sh", "x");
    symlinkSync("scripts", join(hook.work, "tools"));
    symlinkSync("real.sh", join(hook.work, "scripts/fmt.sh"));
    hook.put("../home/.claude/settings.json", hooksOf(`${hook.work}/tools/fmt.sh`));
    hook.put(
      "../home/.claude.json",
      JSON.stringify({ projects: { [hook.work]: { mcpServers: { a: { command: "./one" } } } } }),
    );
    hook.put("../team.json", hooksOf("./two"));
    hook.put("app/.claude/settings.json", hooksOf("../tools/three.sh"));
    const settings = {
      role: "fixer",
      settings: join(hook.folder, "team.json"),
      environment: { HOME: join(hook.folder, "home") },
    };
    const write = async (file_path: string) => [
      file_path,
      (await hook.before("Write", { file_path, content: "x" }, { settings })).decision,
    ];
    for (const file of ["scripts/real.sh", "tools/real.sh", "scripts/three.sh", "one", "two"])
      expect(await write(file)).toEqual([file, "deny"]);
    for (const file of ["scripts/other.sh", "three", "src/a.ts"])
      expect(await write(file)).toEqual([file, "allow"]);
  });
});

describe("a path that is longer than any file's", () => {
  it("is denied in a sentence, whatever it leads to (D2)", async () => {
    await using hook = await openHook();
    for (const path of ["src/../".repeat(300_000), "src/../".repeat(150), "a/".repeat(65)])
      for (const [tool, input] of [
        ["Read", { file_path: `${path}notes.md` }],
        ["Write", { file_path: `${path}notes.md`, content: "x" }],
        ["Grep", { pattern: "x", path }],
        ["Glob", { pattern: "*.md", path }],
      ] as const) {
        const settings = { role: "fixer" };
        const { decision, reason } = await hook.before(tool, input, { settings });
        expect([tool, decision]).toEqual([tool, "deny"]);
        expect(reason).toContain("a path of at most 4096 characters and 64 names");
      }
  });
});

describe("the options of the agent's searches", () => {
  it("are written by nobody unasked, whatever their file is called (D3)", async () => {
    await using hook = await openHook();
    hook.put("tools/rg.conf", "--smart-case\n");
    symlinkSync("tools/rg.conf", join(hook.work, "options"));
    const write = async (file_path: string, RIPGREP_CONFIG_PATH: string) => {
      const settings = { role: "fixer", environment: { RIPGREP_CONFIG_PATH } };
      return (await hook.before("Write", { file_path, content: "--pre=x" }, { settings })).decision;
    };
    expect(await write("tools/rg.conf", join(hook.work, "options"))).toBe("deny");
    expect(await write("new.conf", "new.conf")).toBe("deny");
    expect(await write("tools/rg.conf", "/none")).toBe("allow");
  });
});

describe.runIf(process.platform === "linux")("a path that means something else in another process", () => {
  it("asks, and shows nobody where it leads in this one (D2)", async () => {
    await using hook = await openHook();
    const open = openSync(join(hook.work, "notes.md"), "r");
    const here = `/proc/self/root${hook.work}`;
    symlinkSync(here, join(hook.work, "link"));
    try {
      for (const path of [
        `${here}/notes.md`,
        `/proc/thread-self/root${hook.work}/notes.md`,
        `/proc/${process.pid}/root${hook.work}/notes.md`,
        `/proc/self/fd/${open}`,
        `/dev/fd/${open}`,
        "link/notes.md",
      ]) {
        const read = await hook.before("Read", { file_path: path });
        expect([path, read.decision, read.reason.includes(hook.work)]).toEqual([path, "deny", false]);
        const examined = await hook.hooks
          .workspace(null)
          ?.workspace.tools.get("Read")
          ?.examine({ file_path: path });
        // As it was written, and not where it leads.
        expect([path, examined?.targets]).toEqual([path, [{ path: resolve(hook.work, path) }]]);
      }
      for (const [tool, input] of [
        ["Grep", { pattern: "x", path: here }],
        ["Glob", { pattern: "*.md", path: here }],
        ["Glob", { pattern: `${here}/*.md` }],
        ["Grep", { pattern: "x", path: "link" }],
        ["Write", { file_path: `${here}/new.txt`, content: "x" }],
        ["Write", { file_path: `${here}/notes.md`, content: "x" }],
        ["Edit", { file_path: "link/notes.md", old_string: "notes", new_string: "x" }],
      ] as const) {
        const settings = { role: "fixer" };
        const asked = await hook.before(tool, input, { session: "fixer", settings });
        expect([tool, input, asked.decision]).toEqual([tool, input, "deny"]);
      }
      const inside = { cwd: here, session: "inside" };
      expect(await hook.before("Read", { file_path: "notes.md" }, inside)).toMatchObject({
        decision: "deny",
      });
    } finally {
      closeSync(open);
    }
  });
});

describe("a command", () => {
  it("is approved for the folder that the agent runs it in, and for no other (D6-targets)", async () => {
    await using hook = await openHook();
    const run = (folder: string) =>
      hook.before("Bash", { command: "./clean.sh" }, { cwd: join(hook.work, folder) });
    await run("src");
    const [asked] = await hook.hooks.gate.pendingApprovals();
    expect(asked?.targets).toEqual([join(hook.work, "src")]);
    await hook.hooks.gate.answerApproval(asked?.id ?? "", { answer: "approved", by: "ada" });
    expect((await run("build")).decision).toBe("deny");
    symlinkSync("src", join(hook.work, "here"));
    expect((await run("here")).decision).toBe("allow");
    await run("here");
    const [again] = await hook.hooks.gate.pendingApprovals();
    await hook.hooks.gate.answerApproval(again?.id ?? "", { answer: "approved", by: "ada" });
    rmSync(join(hook.work, "here"));
    symlinkSync("build", join(hook.work, "here"));
    expect((await run("here")).decision).toBe("deny");
  });
});

describe("a command that a condition lets pass", () => {
  const WITH_CONDITION = `version: 1
workspace:
  root: work
  tools: { Bash: { sink: internal, approval: 'args.command != "npm test"' } }
roles:
  free: { tools: [Bash], approval: { Bash: never } }
`;
  const free = { session: "free", settings: { role: "free" } };

  it.each([
    [{}, "allow"],
    [{ description: "Tests", timeout: 5000, run_in_background: true }, "allow"],
    [{ dangerouslyDisableSandbox: false }, "allow"],
    [{ dangerouslyDisableSandbox: true }, "deny"],
    [{ dangerouslyDisableSandbox: "true" }, "deny"],
    [{ somethingElse: 1 }, "deny"],
  ])("needs approval with arguments that say more than the condition knows: %j (D1)", async (more, decision) => {
    await using hook = await openHook({ policy: WITH_CONDITION });
    const input = { command: "npm test", ...more };
    expect((await hook.before("Bash", input)).decision).toBe(decision);
    expect((await hook.before("Bash", input, free)).decision).toBe("allow");
  });

  it("needs approval with such arguments without a workspace, too (D1)", async () => {
    const tool = `{ permissions: [write], approval: 'args.command != "npm test"' }`;
    await using hook = await openHook({ policy: `version: 1\ntools: { Bash: ${tool} }\n` });
    const run = async (more: object) =>
      (await hook.before("Bash", { command: "npm test", ...more })).decision;
    expect([await run({}), await run({ dangerouslyDisableSandbox: true })]).toEqual(["allow", "deny"]);
  });

  it("needs approval in a folder outside of the workspace (D1)", async () => {
    await using hook = await openHook({ policy: WITH_CONDITION });
    symlinkSync(hook.folder, join(hook.work, "out"));
    const runIn = async (cwd: string, call = {}) =>
      (await hook.before("Bash", { command: "npm test" }, { ...call, cwd })).decision;
    expect(await runIn(join(hook.work, "src"))).toBe("allow");
    for (const cwd of [hook.folder, join(hook.work, "out"), join(hook.work, "nowhere/../..")])
      expect([cwd, await runIn(cwd)]).toEqual([cwd, "deny"]);
    expect(await runIn(hook.folder, free)).toBe("allow");
  });
});

it("is approved for the path that it means in its folder, also where nothing lies there (D6-binding)", async () => {
  await using hook = await openHook();
  for (const folder of ["a", "b"]) hook.put(`${folder}/x.txt`, "x");
  const [here, there] = [{ cwd: join(hook.work, "a") }, { cwd: join(hook.work, "b") }];
  const input = { file_path: "nope/.env" };
  expect((await hook.before("Read", input, here)).decision).toBe("deny");
  for (const { id } of await hook.hooks.gate.pendingApprovals())
    await hook.hooks.gate.answerApproval(id, { answer: "approved", by: "ada" });
  expect((await hook.before("Read", input, there)).decision).toBe("deny");
  expect((await hook.before("Read", input, here)).decision).toBe("allow");
});
