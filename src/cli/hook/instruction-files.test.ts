import { linkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importsIn } from "../../hooks/claude-code/instruction-imports.ts";
import { canonicalPath } from "../../providers/workspace/internal.ts";
import { type HookInProcess, openHook, PLAIN_POLICY } from "./in-process.test-kit.ts";

const fixer = { session: "fixer", settings: { role: "fixer" } };

/** How a call is answered on a file beside the instruction files. */
const reading = (hook: HookInProcess) => hook.before("Read", { file_path: "src/a.ts" });

describe("an instruction file that the agent attaches by itself", () => {
  it.each([
    "src/CLAUDE.md",
    "src/CLAUDE.local.md",
    "src/AGENTS.md",
    "src/.claude/CLAUDE.md",
    "src/.claude/AGENTS.md",
    "src/.claude/rules/team/style.md",
    ".claude/rules/style.md",
    "CLAUDE.md",
  ])("makes a call on a file beside it ask where it imports what asks: %s (D1)", async (name) => {
    await using hook = await openHook();
    const up = "../".repeat(name.split("/").length - 1);
    hook.put(name, `# Style\n\nSee @notes.md and @${up}.env for more.\n`);
    const read = await reading(hook);
    expect([read.decision, read.reason]).toEqual([
      "deny",
      expect.stringMatching(/load instructions from files with it.*\n?.*Git ignores the path/),
    ]);
    for (const [tool, input] of [
      ["Write", { file_path: "src/new.ts", content: "x" }],
      ["Edit", { file_path: join(hook.work, "src/a.ts"), old_string: "a", new_string: "b" }],
    ] as const)
      expect([tool, (await hook.before(tool, input, fixer)).decision]).toEqual([tool, "deny"]);
  });

  it("asks by a link, another name of the same file, and an import of an import (D1, D2)", async () => {
    await using hook = await openHook();
    writeFileSync(join(hook.folder, "outside.txt"), "SECRET\n");
    symlinkSync("../../outside.txt", join(hook.work, "src/CLAUDE.md"));
    expect((await reading(hook)).reason).toContain("outside the workspace");
    hook.put("lib/b.ts", "b");
    linkSync(join(hook.work, ".env"), join(hook.work, "lib/AGENTS.md"));
    expect((await hook.before("Read", { file_path: "lib/b.ts" })).decision).toBe("deny");
    hook.put("app/c.ts", "c");
    hook.put("app/CLAUDE.md", "@docs/guide.md");
    hook.put("app/docs/guide.md", "<!-- x -->\n@./../../.e<!-- y -->nv");
    expect((await hook.before("Read", { file_path: "app/c.ts" })).decision).toBe("deny");
    symlinkSync("app", join(hook.work, "linked"));
    expect((await hook.before("Read", { file_path: "linked/c.ts" })).decision).toBe("deny");
    hook.put("rules.md", "ok\n");
    hook.put("d/x.ts", "d");
    hook.put("d/.claude/CLAUDE.md", "ok\n");
    symlinkSync("../../build", join(hook.work, "d/.claude/rules"));
    expect((await hook.before("Read", { file_path: "d/x.ts" })).decision).toBe("allow");
    hook.put("build/y.md", "SECRET\n");
    expect((await hook.before("Read", { file_path: "d/x.ts" })).decision).toBe("deny");
  });

  it("brings the policy's own files to nobody, whoever says yes (D4)", async () => {
    await using hook = await openHook();
    hook.put("src/CLAUDE.md", "@../../sluicegate.yaml");
    expect((await reading(hook)).reason).toContain("is kept from this session");
  });

  it("asks where it imports more than can be followed (D2)", async () => {
    await using hook = await openHook();
    hook.put("src/CLAUDE.md", Array.from({ length: 1200 }, (_, at) => `@x${at}.md`).join("\n"));
    expect((await reading(hook)).reason).toContain("can't be determined for sure");
  });

  it("lets an ordinary project be worked on unasked (D1)", async () => {
    await using hook = await openHook();
    hook.put(
      "CLAUDE.md",
      "# Project\n\nMail team@example.com, use @types/node, `@deprecated`, and see @docs/guide.md.\nNever read .env!\n",
    );
    hook.put("docs/guide.md", "Back to @../CLAUDE.md, @guide.md and @./missing.md\n");
    hook.put("CLAUDE.local.md", "mine\n");
    hook.put(".gitignore", ".env\nbuild/\nCLAUDE.local.md\n");
    hook.put("src/CLAUDE.md", "Use @../CLAUDE.local.md and @~/.claude/mine.md\n");
    hook.put(".claude/rules/a.md", '---\npaths: ["src/**"]\n---\nText\n');
    hook.put("home/.claude/mine.md", "@../../.env");
    const settings = { environment: { HOME: join(hook.work, "home") } };
    expect(await hook.before("Read", { file_path: "src/a.ts" }, { settings })).toMatchObject({
      decision: "allow",
    });
    const call = { ...fixer, settings: { ...fixer.settings, ...settings } };
    for (const file_path of ["src/a.ts", "src/deep/new/b.ts"])
      expect(await hook.before("Write", { file_path, content: "x" }, call)).toMatchObject({
        decision: "allow",
      });
  });

  it("has nothing of what it imports written unasked, there or not yet (D3)", async () => {
    await using hook = await openHook();
    hook.put("docs/guide.md", "Ask @more.md\n");
    hook.put("docs/more.md", "more\n");
    symlinkSync("docs", join(hook.work, "manual"));
    const files = ["docs/guide.md", "docs/more.md", "docs/later/new.md", "manual/more.md"];
    const write = async (file_path: string) => [
      file_path,
      (await hook.before("Write", { file_path, content: "x" }, fixer)).decision,
    ];
    for (const file of files) expect(await write(file)).toEqual([file, "allow"]);
    hook.put("CLAUDE.md", "See @manual/guide.md and @docs/later/new.md\n");
    for (const file of files) expect(await write(file)).toEqual([file, "deny"]);
    for (const file of ["docs/other.md", "src/a.ts"]) expect(await write(file)).toEqual([file, "allow"]);
    hook.put("app/CLAUDE.md", "@../docs/other.md\n");
    const environment = { CLAUDE_PROJECT_DIR: join(hook.work, "app") };
    const begun = { session: "fixer", settings: { role: "fixer", environment } };
    const other = { file_path: "docs/other.md", content: "x" };
    expect((await hook.before("Write", other, begun)).decision).toBe("deny");
    expect(await reading(hook)).toMatchObject({ decision: "allow" });
    expect((await hook.before("Read", { file_path: "docs/more.md" })).decision).toBe("allow");
  });

  it("has nothing of what it imports written unasked, in whatever folder it lies (D3)", async () => {
    await using hook = await openHook();
    const write = async (file_path: string) => [
      file_path,
      (await hook.before("Write", { file_path, content: "x" }, fixer)).decision,
    ];
    hook.put("docs/a.md", "See @b.md\n");
    for (const file of ["docs/a.md", "docs/b.md", "docs/c.md"])
      expect(await write(file)).toEqual([file, "allow"]);
    hook.put("docs/a.md", "See @b.md\n");
    hook.put("app/web/CLAUDE.md", "See @../../docs/a.md\n");
    hook.put("lib/.claude/rules/deep/x.md", "See @../../../../docs/c.md\n");
    hook.put("lib/AGENTS.md", "Mail @docs/other.md and @README.md\n");
    for (const file of ["docs/a.md", "docs/b.md", "docs/c.md"])
      expect(await write(file)).toEqual([file, "deny"]);
    for (const file of ["docs/other.md", "README.md", "app/web/b.ts"])
      expect(await write(file)).toEqual([file, "allow"]);
    expect(await reading(hook)).toMatchObject({ decision: "allow" });
    symlinkSync("../../../.env", join(hook.work, "app/web/AGENTS.md"));
    expect(await write("src/b.ts")).toEqual(["src/b.ts", "allow"]);
  });

  it("of the person's own has nothing of what it imports written unasked (D3)", async () => {
    await using hook = await openHook();
    hook.put("../home/.claude/CLAUDE.md", `See @${hook.work}/docs/mine.md\n`);
    const call = {
      session: "fixer",
      settings: { role: "fixer", environment: { HOME: join(hook.folder, "home") } },
    };
    const write = async (file_path: string) =>
      (await hook.before("Write", { file_path, content: "x" }, call)).decision;
    expect(await write("docs/mine.md")).toBe("deny");
    expect(await write("docs/other.md")).toBe("allow");
  });

  it("is shown to whoever approves by what it brings (D1)", async () => {
    await using hook = await openHook({ policy: PLAIN_POLICY });
    hook.put("src/CLAUDE.md", "@../.env");
    await reading(hook);
    const [asked] = await hook.hooks.gate.pendingApprovals();
    expect(asked?.targets).toEqual([join(hook.work, ".env"), join(hook.work, "src/a.ts")]);
  });

  it("is shown with a file that a link leads out to, too (D1)", async () => {
    await using hook = await openHook();
    hook.put("../out/x.txt", "x\n");
    symlinkSync("../../out", join(hook.work, "src/link"));
    hook.put("src/CLAUDE.md", "@../.env");
    await hook.before("Read", { file_path: "src/link/x.txt" });
    const [asked] = await hook.hooks.gate.pendingApprovals();
    expect(asked?.targets).toContain(join(hook.work, ".env"));
  });
});

describe("a prompt", () => {
  it("is kept from the model where the agent loads with it what asks (D1, D4)", async () => {
    await using hook = await openHook();
    const src = { cwd: join(hook.work, "src") };
    expect(await hook.prompt()).toBeUndefined();
    hook.put("CLAUDE.md", "# Project\n\n@notes.md\n");
    hook.put("CLAUDE.local.md", "mine\n");
    expect(await hook.prompt(src)).toBeUndefined();
    hook.put("CLAUDE.md", "@.env\n");
    for (const call of [{}, src])
      expect(await hook.prompt(call)).toContain(`Git ignores the path. These are: ${hook.work}/.env.`);
    hook.put("CLAUDE.md", "fine\n");
    symlinkSync("../../sluicegate.yaml", join(hook.work, "src/AGENTS.md"));
    expect(await hook.prompt()).toBeUndefined();
    expect(await hook.prompt(src)).toContain("sluicegate.yaml");
    expect(await hook.prompt({ settings: { environment: { CLAUDE_PROJECT_DIR: src.cwd } } })).toContain(
      "yaml",
    );
    expect(await hook.prompt({ cwd: "nowhere" })).toContain("could not decide");
  });
});

/** What the agent shows its model the beginning of: by a link, that of any file. */
const LISTED = ["skills/x/SKILL.md", "commands/x.md", "commands/a/b.md", "agents/a/b.md"] as const;

describe("a skill, a command or a definition of a subagent", () => {
  it.each(LISTED)("keeps what it is a link to from the model: %s (D1)", async (name) => {
    await using hook = await openHook();
    for (const folder of ["", "src/"]) {
      const file = `${folder}.claude/${name}`;
      hook.put(`${dirname(file)}/other.txt`, "x");
      symlinkSync(join(hook.work, ".env"), join(hook.work, file));
      expect(await hook.prompt({ cwd: join(hook.work, folder) })).toContain(`${hook.work}/.env.`);
      expect((await reading(hook)).reason).toContain("Git ignores the path");
      rmSync(join(hook.work, file));
    }
    expect(await hook.prompt()).toBeUndefined();
  });

  it.each([
    "skills",
    "commands",
    "agents",
    "skills/x",
  ])("keeps what lies behind a link to a folder from the model: %s (D1)", async (name) => {
    await using hook = await openHook();
    for (const file of ["SKILL.md", "x/SKILL.md"]) hook.put(`build/${file}`, "SECRET\n");
    hook.put(`.claude/${dirname(name)}/other.txt`, "x");
    symlinkSync(join(hook.work, "build"), join(hook.work, ".claude", name));
    expect(await hook.prompt()).toContain(`${hook.work}/build/`);
  });

  it("is kept from the model by another name of the same file (D1)", async () => {
    await using hook = await openHook();
    hook.put(".claude/skills/x/other.txt", "x");
    linkSync(join(hook.work, ".env"), join(hook.work, ".claude/skills/x/SKILL.md"));
    expect(await hook.prompt()).toContain("SKILL.md");
    rmSync(join(hook.work, ".claude/skills/x/SKILL.md"));
    expect(await hook.prompt()).toBeUndefined();
  });

  it("is free where it is a file of its own, ignored or not, whatever it names (D1)", async () => {
    await using hook = await openHook();
    hook.put(".gitignore", ".env\nbuild/\n.claude/\n");
    for (const name of LISTED) hook.put(`.claude/${name}`, "Look at @.env and @../../../.env\n");
    for (let count = 0; count < 400; count += 1) hook.put(`.claude/commands/many/${count}.md`, "x\n");
    hook.put("shared/SKILL.md", "x\n");
    symlinkSync("../../shared", join(hook.work, ".claude/skills/shared"));
    symlinkSync("../../../build/x.ts", join(hook.work, ".claude/skills/x/more.md"));
    expect(await hook.prompt()).toBeUndefined();
    expect(await reading(hook)).toMatchObject({ decision: "allow" });
  });
});

describe.runIf(process.platform === "linux")("what lies elsewhere for each process", () => {
  it.each([
    ["CLAUDE.md", ".env"],
    [".claude", "build"],
    [".claude/rules", "build"],
    [".claude/commands", "build"],
    [".claude/skills/x", "build"],
    [".claude/agents/x.md", ".env"],
  ])("is kept from the model, though nothing lies there here: %s (D1, D2)", async (link, to) => {
    await using hook = await openHook();
    hook.put(`${dirname(link)}/other.txt`, "x");
    symlinkSync(`/proc/self/cwd/${to}`, join(hook.work, link));
    expect(await hook.prompt()).toContain("can't be determined for sure");
  });

  it("is kept from the model where it is imported (D1, D2)", async () => {
    await using hook = await openHook();
    symlinkSync("/proc/self/cwd", join(hook.work, "link"));
    for (const path of ["/proc/self/cwd/.env", "link/.env", "link/nothing/../.env"]) {
      hook.put("CLAUDE.md", `@${path}\n`);
      expect([path, await hook.prompt()]).toEqual([
        path,
        expect.stringContaining("can't be determined for sure"),
      ]);
    }
  });
});

describe("links that fan out", () => {
  it("are followed to an end (D2)", async () => {
    await using hook = await openHook();
    for (let depth = 0; depth < 5; depth += 1)
      for (let count = 0; count < 20; count += 1) {
        hook.put(`fan/${depth + 1}/x.txt`, "x");
        hook.put(`fan/${depth}/x.txt`, "x");
        symlinkSync(`../${depth + 1}`, join(hook.work, `fan/${depth}/${count}`));
      }
    hook.put(".claude/x.txt", "x");
    symlinkSync("../fan/0", join(hook.work, ".claude/rules"));
    expect(await hook.prompt()).toContain("can't be determined for sure");
  });
});

describe("a prompt that names a file", () => {
  it.each([
    "@src/a.ts",
    '@"src/a.ts"',
    "@./src/a.ts#L1-2",
    "see @src/a.ts.",
    '@" src/a.ts "',
    '@" @src/a.ts "',
    "@src#/../src/a.ts",
  ])("is kept from the model where what comes with the file asks: %s (D1)", async (named) => {
    await using hook = await openHook();
    hook.put("src/CLAUDE.md", "fine\n");
    expect(await hook.prompt({ prompt: `look at ${named}` })).toBeUndefined();
    hook.put("src/CLAUDE.md", "@../.env\n");
    expect(await hook.prompt({ prompt: `look at ${named}` })).toContain(".env");
    expect(await hook.prompt({ prompt: `${"@nothing ".repeat(1000)}${named}` })).toContain(".env");
    expect(await hook.prompt({ prompt: "look at mail@example.org" })).toBeUndefined();
  });
});

describe("an import", () => {
  it.each([
    "@nope/../../.env",
    "@a.ts/../../.env",
    "@../.env\\ ",
    "@./.././.env/",
    "@a#b/../../.env",
  ])("is read as the agent may read it, as a path of the system and as text: %s (D1)", async (imported) => {
    await using hook = await openHook();
    hook.put("src/CLAUDE.md", `${imported}\n`);
    expect((await reading(hook)).decision).toBe("deny");
  });

  it.each(["utf-16le", "utf-16be"])("counts in a file of %s, too (D1)", async (encoding) => {
    await using hook = await openHook();
    const bytes = Buffer.from("\ufeffSee @../notes.md\n", "utf16le");
    const written = (text: Buffer) => (encoding === "utf-16be" ? text.swap16() : text);
    hook.put("src/CLAUDE.md", "");
    writeFileSync(join(hook.work, "src/CLAUDE.md"), written(bytes));
    expect((await reading(hook)).decision).toBe("allow");
    writeFileSync(join(hook.work, "src/CLAUDE.md"), written(Buffer.from("\ufeff@../.env", "utf16le")));
    expect((await reading(hook)).decision).toBe("deny");
  });

  it("that is longer than any path asks, since the agent shortens it first (D1)", async () => {
    await using hook = await openHook();
    hook.put("src/CLAUDE.md", `@${"./".repeat(2100)}../.env\n`);
    expect((await reading(hook)).decision).toBe("deny");
  });

  it("of a person's own file is free in the agent's folder, though that is a link (D1)", async () => {
    await using hook = await openHook();
    const home = join(hook.work, "../home");
    hook.put("../dotfiles/claude/go.md", "go\n");
    hook.put("../dotfiles/claude/projects/other/memory/MEMORY.md", "CONFIDENTIAL\n");
    hook.put("../home/x", "");
    symlinkSync("../dotfiles/claude", join(home, ".claude"));
    hook.put("CLAUDE.md", "@~/.claude/go.md\n");
    const settings = { environment: { HOME: home } };
    expect(await hook.prompt({ settings })).toBeUndefined();
    for (const other of ["~/x", "~/.claude/projects/other/memory/MEMORY.md"]) {
      hook.put("CLAUDE.md", `@${other}\n`);
      expect(await hook.prompt({ settings })).toContain("blocked");
    }
  });
});

describe("what a text may import", () => {
  it.each([
    ["@a.md", ["a.md"]],
    ["see **@a.md**", ["a.md**", "a.md", "a.md*"]],
    ["~~@a.md~~", ["a.md~~", "a.md", "a.md~"]],
    ["[@a.md](b)", ["a.md](b)", "a.md", "a.md]", "a.md](b"]],
    ["@a\\ b.md#part", ["a b.md#part", "a b.md"]],
    ["x@y.z @ @/", ["y.z"]],
    ["@a<!-- x -->b", ["a<!--", "a<!", "a", "a<", "ab"]],
    ["<!--".repeat(500_000), []],
  ])("case %# is %j", async (text, paths) => {
    expect(await importsIn(text)).toEqual(paths);
  });

  it("costs one look for each file of a prompt whose folder isn't there (D2)", async () => {
    await using hook = await openHook();
    const folders = Array.from({ length: 4000 }, (_, at) => join(hook.work, `none${at}`));
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    await hook.prompt({ prompt: "hello" });
    const whole = await timed(async () => {
      for (const folder of folders) await canonicalPath(folder);
    });
    const prompt = folders.map((folder) => `@${folder}/a.txt`).join(" ");
    expect(await timed(() => hook.prompt({ prompt }))).toBeLessThan(0.75 * whole);
  });

  it("asks in bounded time where a file is full of what might be one (D2)", async () => {
    const began = performance.now();
    expect(await importsIn(`${"@".repeat(900)} `.repeat(100))).toBeNull();
    expect(await importsIn(`${"@a".repeat(400)} `.repeat(5000))).toBeNull();
    expect(performance.now() - began).toBeLessThan(1000);
    const honest = "See @docs/a.md, @scope/name and mail ann@example.org.\n".repeat(20_000);
    expect(await importsIn(honest)).toContain("docs/a.md");
  });
});
