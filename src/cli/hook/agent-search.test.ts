import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ripgrepPath } from "../../providers/workspace/search/ripgrep.ts";
import { type HookInProcess, openHook } from "./in-process.test-kit.ts";

const NEGATION = "!.env\n";

/** Each makes ripgrep read a file that git ignores. */
const WIDER_SEARCHES: readonly (readonly [string, (hook: HookInProcess) => void])[] = [
  ["a `.ignore` takes it in again", ({ put }) => put(".ignore", NEGATION)],
  [
    "a `.ignore` that git ignores takes it in again",
    ({ put }) => {
      put(".gitignore", ".env\n.ignore\n");
      put(".ignore", NEGATION);
    },
  ],
  [
    "a `.rgignore` that git ignores takes it in again",
    ({ put }) => {
      put(".gitignore", ".env\n.rgignore\n");
      put(".rgignore", NEGATION);
    },
  ],
  [
    "a tracked link is the `.ignore`",
    ({ put, work, git }) => {
      put("rules.txt", NEGATION);
      symlinkSync("rules.txt", join(work, ".ignore"));
      git("add", ".");
    },
  ],
  [
    "the `.ignore` has two names",
    ({ put, work }) => {
      put("rules.txt", NEGATION);
      linkSync(join(work, "rules.txt"), join(work, ".ignore"));
    },
  ],
  ["a `.ignore` lies above the workspace", ({ folder }) => writeFileSync(join(folder, ".ignore"), NEGATION)],
  [
    "the repository's own settings name the rules",
    ({ put, git }) => {
      put(".gitignore", "build/\n");
      put("ignored.txt", ".env\n");
      git("config", "core.excludesFile", "ignored.txt");
    },
  ],
  [
    "git knows no case here",
    ({ put, git }) => {
      put(".gitignore", "build/\nPROD.CFG\n");
      put("prod.cfg", "SECRET\n");
      git("config", "core.ignoreCase", "true");
    },
  ],
  [
    "a class of characters names it",
    ({ put }) => {
      put(".gitignore", "build/\n.env\n[[:lower:]]*.cfg\n");
      put("prod.cfg", "SECRET\n");
    },
  ],
  [
    "another repository holds it",
    ({ put, work }) => {
      put("inner/secret.txt", "SECRET\n");
      mkdirSync(join(work, "inner/.git"));
    },
  ],
];

describe("a search by the agent's own tool", () => {
  it.each(WIDER_SEARCHES)("asks where it would read what `Read` asks for: %s (D1)", async (_, prepare) => {
    await using hook = await openHook();
    expect(await hook.before("Grep", { pattern: "x" })).toMatchObject({ decision: "allow" });
    prepare(hook);
    expect(await hook.before("Grep", { pattern: "SECRET" })).toMatchObject({ decision: "deny" });
    expect(await hook.before("Grep", { pattern: "SECRET", path: "src" })).toMatchObject({
      decision: "allow",
    });
  });

  it("goes through an ordinary repository unasked, with links, empty folders and new files (D1)", async () => {
    await using hook = await openHook();
    hook.put("new.txt", "new\n");
    hook.put("docs/guide.md", "guide\n");
    hook.put("build/deep/y.ts", "y\n");
    mkdirSync(join(hook.work, "empty"));
    symlinkSync(".env", join(hook.work, "link"));
    symlinkSync("src", join(hook.work, "linked"));
    for (const input of [
      { pattern: "x" },
      { pattern: "x", path: "docs" },
      { pattern: "x", path: "notes.md" },
      { pattern: "x", path: hook.work, type: "ts", "-n": true, output_mode: "content" },
      { pattern: "x", path: "linked" },
      { pattern: "x", glob: "*.ts" },
      { pattern: "x", glob: "*.{ts,md}" },
      { pattern: "x", glob: "src/**/*.ts" },
      { pattern: "x", glob: "!*.md" },
      { pattern: "x", glob: "*.ts,*.tsx" },
      { pattern: "x", glob: "*.ts *.md" },
      { pattern: "x", glob: "src/*.{ts,js}, *.md" },
    ])
      expect([input, (await hook.before("Grep", input)).decision]).toEqual([input, "allow"]);
  });

  it.each([
    [".env", ".env"],
    ["any file", "*"],
    ["any file of any folder", "**"],
    ["some of several names", "{.env,*.md}"],
    ["what several programs split otherwise", "*.md,.env"],
  ])("asks where its pattern takes in ignored files again: %s (D1)", async (_, glob) => {
    await using hook = await openHook();
    const reason = expect.stringContaining("narrower pattern");
    expect(await hook.before("Grep", { pattern: "x", glob })).toMatchObject({ decision: "deny", reason });
  });

  it("is free only if ripgrep shows no ignored file, however the agent splits its patterns (D1)", async () => {
    await using hook = await openHook();
    hook.put(".gitignore", ".env\nbuild/\n*.local\na,b.md\nc d\n");
    for (const name of ["x.local", "a,b.md", "b.md", "c d", "d", "src/.env", "e.{f"]) hook.put(name, "x\n");
    const rg = await ripgrepPath();
    const listed = (command: string, ...args: readonly string[]): readonly string[] => {
      const { stdout } = spawnSync(command, args, { cwd: hook.work, encoding: "utf8" });
      return stdout.split("\0").filter((name) => name !== "");
    };
    const known = listed("git", "ls-files", "-z", "-co", "--exclude-standard");
    const wordsOf = (glob: string) => glob.split(/\s+/).filter((word) => word !== "");
    const readings: readonly ((glob: string) => readonly string[])[] = [
      (glob) => [glob],
      (glob) => glob.split(","),
      wordsOf,
      (glob) => wordsOf(glob).flatMap((word) => word.split(",")),
      (glob) => wordsOf(glob).flatMap((word) => (/\{.*\}/.test(word) ? [word] : word.split(","))),
    ];
    const shown = (glob: string): readonly string[] =>
      readings.flatMap((read) => {
        const globs = read(glob).flatMap((one) => (one === "" ? [] : ["--glob", one]));
        return listed(rg, "--files", "--null", "--hidden", "--glob", "!.git", ...globs);
      });
    const ends = ["*.md", "*.ts", "b.md", "a", "d", "!a", "*.{ts,md}", "{a", "*"];
    const pairs = ends.flatMap((one) => ends.flatMap((two) => [`${one},${two}`, `${one} ${two}`]));
    let free = 0;
    for (const glob of [...ends, ...pairs]) {
      if ((await hook.before("Grep", { pattern: "x", glob })).decision !== "allow") continue;
      free += 1;
      expect([glob, shown(glob).filter((name) => !known.includes(name))]).toEqual([glob, []]);
    }
    expect(free).toBeGreaterThan(30);
  });

  it.runIf(process.platform === "linux")(
    "asks where it reads a file whose name is no text (D1)",
    async () => {
      await using hook = await openHook();
      const name = (end: string) => Buffer.from(`${hook.work}/d\xff${end}`, "latin1");
      mkdirSync(name(""));
      writeFileSync(name("/.env"), "SECRET\n");
      expect(await hook.before("Grep", { pattern: "x" })).toMatchObject({ decision: "allow" });
      expect(await hook.before("Grep", { pattern: "x", glob: "d*/*" })).toMatchObject({ decision: "deny" });
      rmSync(join(hook.work, ".env"));
      hook.put(".ignore", NEGATION);
      expect(await hook.before("Grep", { pattern: "x" })).toMatchObject({ decision: "deny" });
    },
  );

  it("reads no token or key of the gateway, whoever says yes (D4)", async () => {
    await using hook = await openHook({ policyIn: "work" });
    expect(await hook.before("Grep", { pattern: "x" })).toMatchObject({ decision: "allow" });
    hook.put("sluicegate.db.token", "TOKEN\n");
    const searched = await hook.before("Grep", { pattern: "x" });
    expect(searched).toMatchObject({ decision: "deny", reason: expect.stringContaining(".gitignore") });
  });
});

describe("a list of files by the agent's own tool", () => {
  const RESPECTS_RULES = { settings: { environment: { CLAUDE_CODE_GLOB_NO_IGNORE: "false" } } };

  it("asks where it would name ignored files, unless it is set up to leave them out (D1)", async () => {
    await using hook = await openHook();
    const decisions = async (pattern: string, place: { path?: string } = {}) => [
      (await hook.before("Glob", { pattern, ...place })).decision,
      (await hook.before("Glob", { pattern, ...place }, RESPECTS_RULES)).decision,
    ];
    expect(await decisions("**/*.md")).toEqual(["allow", "allow"]);
    expect(await decisions("**/*.ts")).toEqual(["deny", "allow"]);
    expect(await decisions("*.ts", { path: "src" })).toEqual(["allow", "allow"]);
    expect(await decisions(`${hook.work}/src/**`)).toEqual(["allow", "allow"]);
    expect(await decisions(".env*")).toEqual(["deny", "deny"]);
    expect(await decisions("*", { path: "build" })).toEqual(["deny", "deny"]);
    expect(await decisions("*", { path: ".." })).toEqual(["deny", "deny"]);
    // Everything but what it names.
    for (const pattern of ["!a/b", "!x", `${hook.work}/!x`, "/!x"])
      expect([pattern, await decisions(pattern)]).toEqual([pattern, ["deny", "deny"]]);
  });
});

describe("what the agent's search reads", () => {
  it("is what ripgrep reads in the agent's environment, not in the gateway's (D1)", async () => {
    await using hook = await openHook();
    const config = join(hook.folder, "ripgreprc");
    writeFileSync(config, "--no-ignore\n");
    const environment = { RIPGREP_CONFIG_PATH: config };
    expect(await hook.before("Grep", { pattern: "x" })).toMatchObject({ decision: "allow" });
    const wider = await hook.before("Grep", { pattern: "x" }, { settings: { environment } });
    expect(wider).toMatchObject({ decision: "deny" });
  });

  it("is too much to be compared where there are very many files, and then asks (D1)", async () => {
    await using hook = await openHook();
    // Long names make few files many.
    const deep = join(hook.work, ...Array.from({ length: 15 }, () => "d".repeat(250)));
    mkdirSync(deep, { recursive: true });
    for (let file = 0; file < 2250; file += 1) writeFileSync(join(deep, `${file}`), "");
    expect(await hook.before("Grep", { pattern: "x" })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("can't be determined for sure"),
    });
    expect(await hook.before("Grep", { pattern: "x", path: "src" })).toMatchObject({ decision: "allow" });
  });
});

describe("a path with `..`", () => {
  it("is examined as the agent takes it as well: in the text, not behind a link (D2)", async () => {
    await using hook = await openHook();
    hook.put("shown/x.txt", "x\n");
    hook.put("deep/x.txt", "x\n");
    symlinkSync("../shown", join(hook.work, "build/link"));
    hook.put("build/notes.md", "SECRET\n");
    // For the system that is `notes.md`, for the agent `build/notes.md`.
    const asked = await hook.before("Read", { file_path: "build/link/../notes.md" });
    expect(asked).toMatchObject({ decision: "deny" });
    expect(await hook.before("Read", { file_path: "deep/../notes.md" })).toMatchObject({ decision: "allow" });
  });
});
