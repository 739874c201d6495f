/** Worktrees of the workspace's repository that lie in the workspace, as the agent makes them for its subagents. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HookInProcess, openHook } from "./in-process.test-kit.ts";

const TREE = ".claude/worktrees/one";
const fixer = { session: "fixer", settings: { role: "fixer" } };

async function openWithTree(tree = TREE): Promise<HookInProcess> {
  const hook = await openHook();
  commit(hook);
  hook.git("worktree", "add", "-q", tree, "-b", "one");
  for (const [name, text] of Object.entries({ ".env": "SECRET\n", "build/x.ts": "x\n" }))
    hook.put(`${tree}/${name}`, text);
  return hook;
}

function commit({ git }: HookInProcess): void {
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "one");
}

const decisionsIn = (hook: HookInProcess, folder: string) => async (tool: string, input: object) => {
  const cwd = join(hook.work, folder);
  return (await hook.before(tool, input, tool === "Write" || tool === "Edit" ? { ...fixer, cwd } : { cwd }))
    .decision;
};

describe("a worktree in the workspace", () => {
  it.each([
    TREE,
    "build/tree",
    "plain",
  ])("is worked on like the workspace itself: %s (D1, D3)", async (tree) => {
    await using hook = await openWithTree(tree);
    const decide = decisionsIn(hook, tree);
    hook.put(`${tree}/src/new.ts`, "new\n");
    expect({
      read: await decide("Read", { file_path: "src/a.ts" }),
      readNew: await decide("Read", { file_path: join(hook.work, tree, "src/new.ts") }),
      edit: await decide("Edit", { file_path: "src/a.ts", old_string: "a", new_string: "b" }),
      write: await decide("Write", { file_path: "src/deep/new.ts", content: "x" }),
      grep: await decide("Grep", { pattern: "x" }),
      grepIn: await decide("Grep", { pattern: "x", path: "src", glob: "*.ts" }),
      glob: await decide("Glob", { pattern: "**/*.md" }),
    }).toEqual({
      ...{ read: "allow", readNew: "allow", edit: "allow", write: "allow" },
      ...{ grep: "allow", grepIn: "allow", glob: "allow" },
    });
    expect({
      read: await decide("Read", { file_path: ".env" }),
      build: await decide("Read", { file_path: "build/x.ts" }),
      writeIgnored: await decide("Write", { file_path: ".env", content: "x" }),
      newIgnored: await decide("Write", { file_path: "build/new.ts", content: "x" }),
      git: await decide("Read", { file_path: ".git" }),
      protectedName: await decide("Write", { file_path: ".mcp.json", content: "{}" }),
      rules: await decide("Write", { file_path: ".gitignore", content: "" }),
      settings: await decide("Write", { file_path: ".claude/settings.json", content: "{}" }),
      search: await decide("Grep", { pattern: "x", path: "build" }),
      searchAll: await decide("Grep", { pattern: "x", glob: "*" }),
    }).toEqual({
      ...{ read: "deny", build: "deny", writeIgnored: "deny", newIgnored: "deny", git: "deny" },
      ...{ protectedName: "deny", rules: "deny", settings: "deny", search: "deny", searchAll: "deny" },
    });
  });

  it.each([
    TREE,
    "plain",
  ])("leaves searches of the workspace free, unless its files aren't: %s (D1)", async (tree) => {
    await using hook = await openWithTree(tree);
    for (let file = 0; file < 30; file += 1) hook.put(`${tree}/more/${file}.ts`, "more\n");
    const decide = decisionsIn(hook, ".");
    expect([await decide("Grep", { pattern: "x" }), await decide("Glob", { pattern: "*.md" })]).toEqual([
      "allow",
      "allow",
    ]);
    hook.put(`${tree}/.ignore`, "!.env\n");
    expect(await decide("Grep", { pattern: "x" })).toBe("deny");
  });

  it("keeps files from being written that its own links and instructions name (D3)", async () => {
    await using hook = await openHook();
    hook.put("hooks/pre-commit", "x\n");
    hook.put("sub/CLAUDE.md", "@../guide.md\n");
    hook.put("guide.md", "x\n");
    symlinkSync("hooks", join(hook.work, ".husky"));
    commit(hook);
    hook.git("worktree", "add", "-q", TREE, "-b", "one");
    const decide = decisionsIn(hook, TREE);
    for (const file_path of ["hooks/pre-commit", "hooks/new", "guide.md"])
      expect([file_path, await decide("Write", { file_path, content: "x" })]).toEqual([file_path, "deny"]);
    expect(await decide("Write", { file_path: "src/a.ts", content: "x" })).toBe("allow");
  });

  it("keeps programs from being written that its settings start, wherever the agent works (D3)", async () => {
    await using hook = await openHook();
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "node tools/x.js" }] }] };
    hook.put(".claude/settings.json", JSON.stringify({ hooks }));
    commit(hook);
    hook.git("worktree", "add", "-q", TREE, "-b", "one");
    rmSync(join(hook.work, ".claude/settings.json"));
    for (const cwd of [TREE, "."]) {
      const decide = decisionsIn(hook, cwd);
      const write = (name: string) =>
        decide("Write", { file_path: join(hook.work, TREE, name), content: "x" });
      expect([await write("tools/x.js"), await write("tools/y.js")]).toEqual(["deny", "allow"]);
    }
  });

  it("keeps files from being written that the workspace's settings of git name (D3)", async () => {
    await using hook = await openWithTree();
    const write = (name: string) =>
      decisionsIn(hook, TREE)("Write", { file_path: `${name}/a.ts`, content: "x" });
    // As seen from the worktree, and from the workspace.
    for (const [folder, name] of [
      [join(hook.work, TREE, "src"), "src"],
      ["scripts", "scripts"],
      [`${TREE}/src`, "src"],
    ] as const) {
      expect([folder, await write(name)]).toEqual([folder, "allow"]);
      hook.git("config", "core.hooksPath", folder);
      expect([folder, await write(name)]).toEqual([folder, "deny"]);
      hook.git("config", "--unset", "core.hooksPath");
    }
  });

  it("brings what instruction files above it import, with a prompt too (D1)", async () => {
    await using hook = await openWithTree();
    const cwd = join(hook.work, TREE);
    expect(await hook.prompt({ cwd })).toBeUndefined();
    hook.put("CLAUDE.md", "@.env\n");
    expect(await hook.prompt({ cwd })).toContain(".env");
    expect(await decisionsIn(hook, TREE)("Read", { file_path: "src/a.ts" })).toBe("deny");
  });
});

/** Each makes a folder look like a worktree of the workspace's repository, or changes what git says there. */
const FORGED: readonly (readonly [string, (hook: HookInProcess) => string])[] = [
  [
    "a `.git` file names the worktree's git folder",
    (hook) => {
      hook.put("build/x/.git", `gitdir: ${join(hook.work, ".git/worktrees/one")}\n`);
      return "build/x";
    },
  ],
  [
    "a `.git` file names the workspace's git folder",
    (hook) => {
      hook.put("build/x/.git", "gitdir: ../../.git\n");
      return "build/x";
    },
  ],
  [
    "a `.git` file names a git folder of its own, which names the workspace's",
    (hook) => {
      hook.put("build/x/.git", "gitdir: ../fake\n");
      hook.put("build/fake/commondir", join(hook.work, ".git"));
      hook.put("build/fake/gitdir", join(hook.work, "build/x/.git"));
      hook.put("build/fake/HEAD", "ref: refs/heads/one\n");
      return "build/x";
    },
  ],
  [
    "a `.git` file leads through the workspace's git folder",
    (hook) => {
      hook.put("build/fake/commondir", join(hook.work, ".git"));
      hook.put("build/fake/gitdir", join(hook.work, "build/x/.git"));
      hook.put("build/fake/HEAD", "ref: refs/heads/one\n");
      hook.put("build/x/.git", "gitdir: ../../.git/worktrees/one/../../../build/fake\n");
      return "build/x";
    },
  ],
  [
    "it is a worktree of another repository",
    (hook) => {
      hook.git("clone", "-q", ".", "../other");
      hook.git("-C", "../other", "worktree", "add", "-q", join(hook.work, "build/x"), "-b", "other");
      return "build/x";
    },
  ],
  [
    "it is a repository",
    (hook) => {
      hook.git("clone", "-q", ".", "build/x");
      return "build/x";
    },
  ],
  [
    "it lies outside of the workspace",
    (hook) => {
      hook.git("worktree", "add", "-q", "../outside", "-b", "outside");
      return "../outside";
    },
  ],
  [
    "the worktree was replaced by a link",
    (hook) => {
      rmSync(join(hook.work, TREE), { recursive: true });
      hook.put("build/x/.git", `gitdir: ${join(hook.work, ".git/worktrees/one")}\n`);
      symlinkSync("../../build/x", join(hook.work, TREE));
      return TREE;
    },
  ],
  [
    "its own settings name another tree",
    (hook) => {
      hook.git("config", "extensions.worktreeConfig", "true");
      mkdirSync(join(hook.work, "build/decoy"));
      writeFileSync(
        join(hook.work, ".git/worktrees/one/config.worktree"),
        `[core]\n\tworktree = ${join(hook.work, "build/decoy")}\n`,
      );
      return TREE;
    },
  ],
  [
    "its index is broken",
    (hook) => {
      writeFileSync(join(hook.work, ".git/worktrees/one/index"), "nothing");
      return TREE;
    },
  ],
  [
    "its git folder is gone",
    (hook) => {
      rmSync(join(hook.work, ".git/worktrees/one"), { recursive: true });
      return TREE;
    },
  ],
];

describe("what looks like a worktree", () => {
  it.each(FORGED)("is another repository if %s (D4)", async (_, build) => {
    await using hook = await openWithTree();
    const folder = build(hook);
    for (const name of ["secret.txt", "src/a.ts"]) hook.put(`${folder}/${name}`, "SECRET\n");
    const decide = decisionsIn(hook, folder);
    for (const file_path of ["secret.txt", "src/a.ts"]) {
      expect([file_path, await decide("Read", { file_path })]).toEqual([file_path, "deny"]);
      expect([file_path, await decide("Write", { file_path, content: "x" })]).toEqual([file_path, "deny"]);
    }
    expect(await decide("Grep", { pattern: "SECRET" })).toBe("deny");
  });

  it("has ignored files of its own, whatever its settings hide (D1)", async () => {
    await using hook = await openWithTree();
    hook.git("config", "extensions.worktreeConfig", "true");
    hook.git("-C", TREE, "sparse-checkout", "set", "src");
    const decide = decisionsIn(hook, TREE);
    hook.put(`${TREE}/.gitignore`, ".env\nbuild/\nkey\n");
    hook.put(`${TREE}/key`, "SECRET\n");
    expect(await decide("Read", { file_path: "src/a.ts" })).toBe("allow");
    expect([await decide("Read", { file_path: "key" }), await decide("Read", { file_path: ".env" })]).toEqual(
      ["deny", "deny"],
    );
    hook.put("none.txt", "");
    hook.git("-C", TREE, "config", "--worktree", "core.excludesFile", join(hook.work, "none.txt"));
    expect(await decide("Read", { file_path: ".env" })).toBe("deny");
  });
});
