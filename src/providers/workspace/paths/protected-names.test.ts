/** Files that decide what belongs to a project, or what runs later without another question. */
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openTestWorkspace } from "../workspace.test-kit.ts";
import { createWorkspace } from "../workspace.ts";
import { isProtectedName } from "./protected-names.ts";

/** What would run them, or what they decide. */
const RUN_LATER: readonly (readonly [string, string])[] = [
  [".mcp.json", "an agent starts the servers in it"],
  ["packages/app/.mcp.json", "an agent starts the servers in it"],
  [".vscode/mcp.json", "an editor starts the servers in it"],
  [".cursor/mcp.json", "an editor starts the servers in it"],
  [".claude/agents/reviewer.md", "an agent follows it"],
  [".claude/commands/fix.md", "an agent runs the commands in it"],
  [".claude/skills/pdf/SKILL.md", "an agent runs the scripts of it"],
  [".claude/hooks/after.sh", "an agent's settings run it"],
  [".claude/scheduled_tasks.json", "an agent follows it as if its user had typed it"],
  [".claude/routines/daily.md", "an agent follows it"],
  [".claude/workflows/build.js", "an agent runs it"],
  [".claude/launch.json", "an agent starts the programs in it"],
  [".claude/loop.md", "an agent follows it"],
  [".claude/agent-memory-local/reviewer/MEMORY.md", "an agent follows it"],
  [".husky/pre-commit", "git runs it"],
  [".githooks/pre-push", "git runs it"],
  ["fixtures/HEAD", "git runs what the settings beside it name"],
  [".envrc", "a shell runs it"],
  [".envrc.local", "the file that a shell runs reads it in"],
  [".exrc", "an editor runs its commands"],
  [".nvim.lua", "an editor runs it"],
  [".vim/ftplugin/c.vim", "an editor runs it"],
  [".dir-locals.el", "an editor runs it"],
  [".gdbinit", "a debugger runs it"],
  [".replit", "an editor runs its commands"],
  [".vscode/tasks.json", "an editor runs its commands"],
  [".vscode/launch.json", "an editor runs its commands"],
  [".vscode/settings.json", "an editor starts the programs that it names"],
  [".devcontainer/devcontainer.json", "an editor runs its commands"],
  [".devcontainer.json", "an editor runs its commands"],
  [".github/workflows/ci.yml", "a build server runs it"],
  [".gitlab-ci.yml", "a build server runs it"],
  [".gitpod.yml", "an editor runs its commands"],
  ["ci/Jenkinsfile.release", "a build server runs it"],
  ["appveyor.yml", "a build server runs it"],
  [".semaphore/semaphore.yml", "a build server runs it"],
  ["buildspec.yml", "a build server runs it"],
  [".ripgreprc", "a search runs the program that it names"],
  ["plug/.claude-plugin/plugin.json", "an agent runs the plugin"],
  ["src/CLAUDE.md", "an agent follows it"],
  [".claude/CLAUDE.md", "an agent follows it"],
  ["CLAUDE.local.md", "an agent follows it"],
  ["AGENTS.md", "an agent follows it"],
  [".claude/rules/style.md", "an agent follows it"],
  [".idea/runConfigurations/app.xml", "an editor runs its commands"],
  [".idea/watcherTasks.xml", "an editor runs its commands"],
  [".woodpecker/build.yaml", "a build server runs it"],
  ["app.code-workspace", "an editor runs its commands"],
  [".zed/tasks.json", "an editor runs its commands"],
  [".cargo/config.toml", "cargo starts the programs that it names"],
  [".mise.toml", "a shell runs its hooks"],
  [".npmrc", "npm reads where packages come from"],
  ["bunfig.toml", "bun runs what it names first"],
  [".mvn/extensions.xml", "Maven runs what it names"],
  ["gradle/wrapper/gradle-wrapper.properties", "it says which program builds"],
  [".bashrc", "a shell runs it"],
  ["home/.ssh/authorized_keys", "it says who may log in"],
  [".config/autostart/a.desktop", "the desktop starts the program that it names"],
  [".worktreeinclude", "it says which ignored files go into a worktree"],
  [".jj/repo/config.toml", "a version control system runs the programs that it names"],
  [".helix/languages.toml", "an editor starts the servers that it names"],
  [".codesandbox/tasks.json", "an editor runs its commands"],
  [".build.yml", "a build server runs it"],
  [".builds/test.yml", "a build server runs it"],
  [".zuul.yaml", "a build server runs it"],
  [".zuul.d/jobs.yaml", "a build server runs it"],
  [".github/lsp.json", "an agent starts the servers in it"],
  [".github/copilot/settings.json", "an agent starts what it names"],
];

describe("a file that runs later", () => {
  const place = openTestWorkspace({ ".vscode/extensions.json": "{}", "src/a.ts": "x" });
  afterAll(place.close);
  const asksOf = async (tool: string, args: Record<string, string>) => (await place.examine(tool, args)).asks;

  it.each(RUN_LATER)("is written by nobody unasked: %s, as %s (D3)", async (name) => {
    expect(await asksOf("Write", { file_path: name, content: "" })).toEqual(["protected-name"]);
  });

  it.each([
    ".mcp.json",
    ".claude/agents/reviewer.md",
    "fixtures/HEAD",
    "ci/Jenkinsfile.release",
    "app.code-workspace",
  ])("is changed, deleted and moved by nobody unasked: %s (D3)", async (name) => {
    const other = `${name.replaceAll("/", "-")}.txt`;
    place.put(other, "x");
    expect(await asksOf("rename", { from: other, to: name })).toEqual(["protected-name"]);
    place.put(name, "x");
    expect(await asksOf("Write", { file_path: name, content: "" })).toEqual(["protected-name"]);
    expect(await asksOf("Edit", { file_path: name, old_string: "x", new_string: "y" })).toEqual([
      "protected-name",
    ]);
    expect(await asksOf("delete_file", { path: name })).toEqual(["protected-name"]);
    expect(await asksOf("Read", { file_path: name })).toEqual([]);
  });

  it("comes to lie in its place with no folder that is moved or made (D3)", async () => {
    place.put("parts/agents/a.md", "x");
    place.put("hooks/pre-commit", "x");
    expect(await asksOf("rename", { from: "parts", to: "lib/.claude" })).toEqual(["protected-name"]);
    expect(await asksOf("rename", { from: "hooks", to: "lib/.husky" })).toEqual(["protected-name"]);
    place.put("settings/settings.json", "x");
    expect(await asksOf("rename", { from: "settings", to: "lib/.claude" })).toEqual(["protected-name"]);
    expect(await asksOf("rename", { from: "settings", to: "lib/.config" })).toEqual([]);
    place.put("lib/.claude/agents/a.md", "x");
    expect(await asksOf("rename", { from: "lib", to: "moved" })).toEqual(["protected-name"]);
  });

  it("is whatever lies in the folder that git is told to run hooks from (D3)", async () => {
    expect(await asksOf("Write", { file_path: "tools/on-git/pre-commit", content: "" })).toEqual([]);
    place.git("config", "core.hooksPath", "tools/on-git");
    expect(await asksOf("Write", { file_path: "tools/on-git/pre-commit", content: "" })).toEqual([
      "protected-name",
    ]);
    expect(await asksOf("Write", { file_path: "tools/other", content: "" })).toEqual([]);
  });

  it("is no other file of the same folders, nor one of a similar name (D3)", async () => {
    const names = [
      ".vscode/extensions.json",
      "src/a.ts",
      "src/settings.json",
      "tasks.json",
      ".github/ISSUE_TEMPLATE.md",
      "src/.gitkeep",
      "docs/claude.md.txt",
      "new/.claude/notes.md",
      "new/.vscode/extensions.json",
      "docs/.mcp.json.md",
      "agents/a.md",
      "husky/pre-commit",
      ".env.example",
      "vim/a.vim",
      "src/appveyor.ts",
      "gradle/libs.versions.toml",
      "docs/buildspec.md",
      "package.json",
    ];
    for (const file_path of names)
      expect([file_path, await asksOf("Write", { file_path, content: "" })]).toEqual([file_path, []]);
  });

  it("is what a coding agent loads of a plugin, in the plugin's folder alone (D3)", async () => {
    const parts = [
      "hooks/hooks.json",
      "hooks/run.sh",
      "commands/fix.md",
      "agents/a.md",
      "skills/pdf/run.py",
      "output-styles/a.md",
      "monitors/monitors.json",
      "workflows/a.js",
      "bin/tool",
      "SKILL.md",
      ".lsp.json",
      "settings.json",
    ];
    place.put("plug/.claude-plugin/plugin.json", "{}");
    place.put("plug/hooks/old.sh", "x");
    place.put("plug/parts/a.sh", "x");
    place.put("plug/skills/x.txt", "x");
    for (const part of parts) {
      expect([part, await asksOf("Write", { file_path: `plug/${part}`, content: "" })]).toEqual([
        part,
        ["protected-name"],
      ]);
      // The hook reads these wherever they are: a plugin's folder needs no mark of its own.
      const isRead = /^(?:hooks\/hooks\.json|monitors\/monitors\.json|\.lsp\.json)$/.test(part);
      expect([part, await asksOf("Write", { file_path: `other/${part}`, content: "" })]).toEqual([
        part,
        isRead ? ["protected-name"] : [],
      ]);
    }
    expect(await asksOf("delete_file", { path: "plug/hooks/old.sh" })).toEqual(["protected-name"]);
    expect(await asksOf("rename", { from: "plug/hooks", to: "plug/x" })).toEqual(["protected-name"]);
    expect(await asksOf("rename", { from: "plug/parts", to: "plug/workflows" })).toEqual(["protected-name"]);
    symlinkSync("parts", place.at("plug/agents"));
    expect(await asksOf("Write", { file_path: "plug/agents/a.md", content: "" })).toEqual(["protected-name"]);
    place.put("shared/x.txt", "x");
    symlinkSync("../../shared", place.at("plug/skills/shared"));
    expect(await asksOf("Write", { file_path: "shared/run.py", content: "" })).toEqual(["protected-name"]);
    for (const part of ["src/hooks/a.ts", "commands/a.ts", "README.md", "src/skills.md", "src/settings.json"])
      expect([part, await asksOf("Write", { file_path: `plug/${part}`, content: "" })]).toEqual([part, []]);
  });

  it("is any hidden file of the home folder, unless the workspace lies behind it (D3)", async () => {
    const home = openTestWorkspace({ "code/a.ts": "x", "dotfiles/foorc": "x" });
    vi.stubEnv("HOME", home.root);
    try {
      symlinkSync("dotfiles/foorc", home.at(".foorc"));
      const asked = async (file_path: string) =>
        (await home.examine("Write", { file_path, content: "" })).asks;
      for (const name of [".foo/config", ".config/foo/a.conf", "bin/ls", "dotfiles/foorc", ".foorc"])
        expect([name, await asked(name)]).toEqual([name, ["protected-name"]]);
      for (const name of ["code/.config/foo/a.conf", "code/bin/ls", "code/b.ts", "a.txt"])
        expect([name, await asked(name)]).toEqual([name, []]);
      expect((await home.examine("rename", { from: "code", to: ".code" })).asks).toEqual(["protected-name"]);
      vi.stubEnv("HOME", home.base);
      const moved = home.at("../.local/project");
      mkdirSync(dirname(moved), { recursive: true });
      renameSync(home.root, moved);
      const inner = createWorkspace({ root: moved });
      const found = await inner.tools.get("Write")?.examine({ file_path: ".foo/config", content: "" });
      expect(found?.asks).toEqual([]);
      inner.close();
    } finally {
      vi.unstubAllEnvs();
      home.close();
    }
  });

  it("is what makes a folder a repository beside a `HEAD` that lies there (D3)", async () => {
    place.put("bare/HEAD", "ref: refs/heads/main\n");
    place.put("bare/a.txt", "x");
    place.put("made/objects/a", "x");
    for (const part of [
      "objects/aa/b",
      "refs/heads/x",
      "config",
      "commondir",
      "hooks/pre-commit",
      "info/attributes",
    ]) {
      expect([part, await asksOf("Write", { file_path: `bare/${part}`, content: "" })]).toEqual([
        part,
        ["protected-name"],
      ]);
      expect([part, await asksOf("Write", { file_path: `open/${part}`, content: "" })]).toEqual([part, []]);
    }
    expect(await asksOf("rename", { from: "made/objects", to: "bare/objects" })).toEqual(["protected-name"]);
    expect(await asksOf("create_dir", { path: "bare/refs" })).toEqual(["protected-name"]);
    expect(await asksOf("Write", { file_path: "bare/src/config", content: "" })).toEqual([]);
    symlinkSync("../store", place.at("bare/objects"));
    expect(await asksOf("Write", { file_path: "store/x", content: "" })).toEqual(["protected-name"]);
    expect(await asksOf("Write", { file_path: "bare/a.txt", content: "" })).toEqual([]);
  });

  it("is what a shell, a login or another program reads as its user's settings (D3)", () => {
    const names = [
      ".profile .bash_profile .bash_aliases .zshrc .zshenv .zprofile .kshrc .login .xinitrc .xsession .inputrc",
      ".ssh/config .ssh/rc .gitconfig .config/git/config .config/git/hooks/a .config/fish/config.fish",
      ".config/systemd/user/a.service .config/environment.d/a.conf .local/share/applications/a.desktop",
      ".local/bin/ls .emacs .emacs.d/init.el .config/nvim/init.lua .tmux.conf .screenrc .pythonrc .pdbrc",
      ".irbrc .Rprofile .psqlrc .gnupg/gpg-agent.conf .docker/config.json .kube/config .aws/config",
      ".m2/settings.xml .gradle/init.gradle .config/pip/pip.conf .lesskey .mailcap .lfsconfig",
    ].flatMap((line) => line.split(" "));
    expect(names.filter((name) => !isProtectedName(`/w/${name}`))).toEqual([]);
    const others = ["profile", "src/ssh/config", ".config/app.json", ".local/share/a.txt", "src/.profile.ts"];
    expect(others.filter((name) => isProtectedName(`/w/${name}`))).toEqual([]);
  });

  it("is known by git's and searches' own names too (D1)", () => {
    const names = [
      ".gitignore",
      ".GitIgnore",
      ".gitattributes",
      ".gitmodules",
      ".git",
      ".ignore",
      ".rgignore",
      "lefthook.toml",
      ".lefthook-local.yml",
      ".config/lefthook.yml",
      ".huskyrc",
      ".huskyrc.js",
      ".yarn/releases/yarn.cjs",
    ];
    const isAsked = (name: string) => isProtectedName(`/w/${name}`);
    expect(names.filter((name) => !isAsked(name))).toEqual([]);
    expect(["ignore", "a.gitignore", ".dockerignore", ".env"].filter(isAsked)).toEqual([]);
  });

  it("is known by other agents' names (D3)", () => {
    const names = [
      ".opencode/plugin/a.ts",
      ".cursor/worktrees.json",
      ".cursor/commands/a.md",
      ".kiro/hooks/a.kiro.hook",
      ".windsurf/hooks.json",
      ".clinerules",
      ".clinerules/hooks/a",
      ".aider.conf.yml",
      ".agents/skills/a/SKILL.md",
      ".rules",
      ".goosehints",
      "crush.json",
      ".crush.json",
      ".amp/settings.json",
      ".openhands/setup.sh",
      ".github/skills/a/SKILL.md",
      "AGENT.md",
    ];
    expect(names.filter((name) => !isProtectedName(`/w/${name}`))).toEqual([]);
    expect(
      ["opencode/a.ts", ".cursorignore.md", "aider.conf.yml"].filter((name) => isProtectedName(`/w/${name}`)),
    ).toEqual([]);
  });

  it("is known in any case, and as other file systems read it (D4)", () => {
    const names = [
      "/w/.NPMRC",
      "/w/.Claude/Skills/a/b.md",
      "/w/.husky./x",
      "/w/.mc\u200cp.json",
      "/w/.mcp.j\u017fon",
      "/w/.hu\u017fky/pre-commit",
      "/w/.envrc ",
      "/w/.claude/rules/a\nb.md",
    ];
    expect(names.filter((name) => !isProtectedName(name))).toEqual([]);
    expect(["/w/.claude/worktrees/a/src/x.ts", "/w/npmrc", "/w/a.envrc"].filter(isProtectedName)).toEqual([]);
  });
});

describe("a file that runs later by the name of a link", () => {
  it.each([
    [".husky", "tools/husky", "tools/husky/pre-commit", ".husky/pre-commit"],
    ["app/.claude", "../shared", "shared/hooks/f.sh", "app/.claude/hooks/f.sh"],
    [".vscode", "conf/vs", "conf/vs/tasks.json", ".vscode/tasks.json"],
    ["app/.mcp.json", "../conf/mcp.json", "conf/mcp.json", "app/.mcp.json"],
    [".husky/pre-commit", "../scripts/p.sh", "scripts/p.sh", ".husky/pre-commit"],
    ["sub/.circleci/config.yml", "../../ci.yml", "ci.yml", "sub/.circleci/config.yml"],
    [".pre-commit-config.yaml", "ci/hooks.yaml", "ci/hooks.yaml", ".pre-commit-config.yaml"],
    ["x/.claude/agents", "../../parts", "parts/new/a.md", "x/.claude/agents/new/a.md"],
    [".clinerules", "docs/rules", "docs/rules/a.md", ".clinerules/a.md"],
    ["app/.roo", "../docs/roo", "docs/roo/mcp.json", "app/.roo/mcp.json"],
    [".windsurfrules", "docs/ai.md", "docs/ai.md", ".windsurfrules"],
    [".buildkite", "ci/bk", "ci/bk/pipeline.yml", ".buildkite/pipeline.yml"],
    ["lefthook.yaml", "ci/l.yaml", "ci/l.yaml", "lefthook.yaml"],
    ["app.code-workspace", "ci/w.json", "ci/w.json", "app.code-workspace"],
  ])("is written and deleted by nobody unasked: %s to %s (D2, D3)", async (link, to, name, byLink) => {
    const place = openTestWorkspace({ [`${name}-other`]: "x" });
    const asksOf = async (tool: string, args: Record<string, string>) =>
      (await place.examine(tool, args)).asks;
    mkdirSync(place.at(dirname(link)), { recursive: true });
    symlinkSync(to, place.at(link));
    expect(await asksOf("Write", { file_path: name, content: "" })).toEqual(["protected-name"]);
    place.put(name, "x");
    place.git("add", link);
    for (const file_path of [name, byLink])
      expect([file_path, await asksOf("Edit", { file_path, old_string: "x", new_string: "y" })]).toEqual([
        file_path,
        ["protected-name"],
      ]);
    expect(await asksOf("delete_file", { path: name })).toEqual(["protected-name"]);
    expect(await asksOf("Read", { file_path: name })).toEqual([]);
    expect(await asksOf("Write", { file_path: "lib/b.ts", content: "" })).toEqual([]);
    place.close();
  });

  it("is known where git ignores the folder of the link, at the top of the repository (D2, D3)", async () => {
    const place = openTestWorkspace({
      ".gitignore": ".claude/\n",
      "shared/x.txt": "x",
      ".claude/x.txt": "x",
    });
    symlinkSync("../shared", place.at(".claude/skills"));
    const { asks } = await place.examine("Write", { file_path: "shared/a/SKILL.md", content: "" });
    expect(asks).toEqual(["protected-name"]);
    place.close();
  });

  it("is known behind a link that lies behind another (D2, D3)", async () => {
    const place = openTestWorkspace({ "shared/x.txt": "x", "lib/skills/x.txt": "x", "app/x.txt": "x" });
    symlinkSync("../shared", place.at("app/.claude"));
    symlinkSync("../lib/skills", place.at("shared/skills"));
    symlinkSync("..", place.at("app/.vscode"));
    const asksOf = async (file_path: string) =>
      (await place.examine("Write", { file_path, content: "" })).asks;
    for (const path of ["lib/skills/a/SKILL.md", "shared/skills/a/SKILL.md", "app/.claude/skills/a/SKILL.md"])
      expect([path, await asksOf(path)]).toEqual([path, ["protected-name"]]);
    expect(await asksOf("lib/a.ts")).toEqual([]);
    place.close();
  });

  it("is known behind any number of links in a row, which may lead in a circle (D2, D3)", async () => {
    const place = openTestWorkspace({ "app/x.txt": "x", "a/x.txt": "x", "b/x.txt": "x", "c/x.txt": "x" });
    place.put("d/x.txt", "x");
    symlinkSync("../a", place.at("app/.claude"));
    symlinkSync("../b", place.at("a/skills"));
    symlinkSync("../c", place.at("b/one"));
    symlinkSync("../d", place.at("c/two"));
    symlinkSync("../a", place.at("c/three"));
    const asksOf = async (file_path: string) =>
      (await place.examine("Write", { file_path, content: "" })).asks;
    for (const path of ["b/SKILL.md", "c/SKILL.md", "d/run.py", "d/deep/new.py"])
      expect([path, await asksOf(path)]).toEqual([path, ["protected-name"]]);
    expect(await asksOf("app/a.ts")).toEqual([]);
    expect(await asksOf("lib/a.ts")).toEqual([]);
    place.close();
  });

  it("is decided in time, however many links with protected names lead there (D2)", async () => {
    const place = openTestWorkspace({ "a.txt": "x" });
    place.put("t/x.sh", "");
    for (let at = 0; at < 3000; at += 1) {
      mkdirSync(place.at(`l/${at}`), { recursive: true });
      symlinkSync("../../t", place.at(`l/${at}/.husky`));
    }
    place.git("add", "-A");
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { asks } = await place.examine("Write", { file_path: "t/x.sh", content: "" });
    delay.disable();
    expect(asks).not.toEqual([]);
    // Each name was compared with each link, which took seconds.
    expect(delay.max / 1e6).toBeLessThan(1000);
    place.close();
  });
});
