import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createOtherGit,
  createTrap,
  type TestRepository,
  testRepositories,
} from "../../../../test/fixtures/git-repository.ts";
import { checkPath, checkTarget } from "./check-path.ts";

const repositories = testRepositories();
const repository = repositories.make();

afterEach(() => {
  vi.unstubAllEnvs();
});

const reasonOf = async ({ root }: { root: string }, path: string, kind: "file" | "directory" = "file") => {
  const { effect, reason } = await checkPath({ root, path, kind });
  return `${effect}: ${reason}`;
};

describe("a path in the working directory", () => {
  it.each([
    ["tracked.txt", "file", "allow: tracked"],
    ["new.txt", "file", "allow: not-ignored"],
    [".gitignore", "file", "allow: tracked"],
    [".env", "file", "ask: ignored"],
    ["build/out.js", "file", "ask: ignored"],
    ["build", "directory", "ask: ignored"],
    [".", "directory", "allow: root"],
    ["", "directory", "ask: unclear-path"],
    ["tracked.txt\0", "file", "ask: unclear-path"],
    ["nothing", "file", "ask: missing"],
    ["tracked.txt", "directory", "ask: wrong-kind"],
    [".", "file", "ask: wrong-kind"],
    ["..", "directory", "ask: outside"],
    ["/etc/passwd", "file", "ask: outside"],
    ["/proc/self/environ", "file", "ask: unclear-path"],
    [".git", "directory", "ask: git-folder"],
    [".git/config", "file", "ask: git-folder"],
  ] as const)("%j as a %s: %s (D1)", async (path, kind, expected) => {
    expect(await reasonOf(repository, path, kind)).toBe(expected);
  });

  it("is told with its canonical path, and the root itself where none is given (D1)", async () => {
    symlinkSync(repository.root, `${repository.root}-link`);
    const root = `${repository.root}-link`;
    const resolved = repository.path("tracked.txt");
    expect(await checkPath({ root, path: "./tracked.txt", kind: "file" })).toEqual({
      effect: "allow",
      reason: "tracked",
      resolved,
    });
    expect(await checkPath({ root, kind: "directory" })).toMatchObject({ resolved: repository.root });
    expect(await checkPath({ root, path: resolved, kind: "file" })).toMatchObject({ effect: "allow" });
    expect(await checkPath({ root: ".", path: 7 as unknown as string, kind: "file" })).toEqual({
      effect: "ask",
      reason: "unclear-path",
      resolved: null,
    });
  });

  it("is followed where a link leads (D4)", async () => {
    const { root, path, write, git } = repositories.make();
    write("sub/a.txt");
    for (const [to, name] of [
      ["/etc/passwd", "out"],
      [".env", "hidden"],
      ["tracked.txt", "plain"],
      ["plain", "chain"],
      ["circle", "circle"],
      ["nowhere", "dangling"],
      ["../build", "sub/built"],
    ] as const)
      symlinkSync(to, path(name));
    git("add", "-f", "out", "hidden", "plain");
    expect(await reasonOf({ root }, "out")).toBe("ask: outside");
    expect(await reasonOf({ root }, "hidden")).toBe("ask: ignored");
    expect(await reasonOf({ root }, "chain")).toBe("allow: tracked");
    expect(await reasonOf({ root }, "circle")).toBe("ask: unclear-path");
    expect(await reasonOf({ root }, "dangling")).toBe("ask: missing");
    expect(await reasonOf({ root }, "sub/built/../tracked.txt")).toBe("allow: tracked");
    expect(await reasonOf({ root }, "sub/built/out.js")).toBe("ask: ignored");
  });

  it("is taken by its exact name, also where that is a pattern to git (D4)", async () => {
    const { root, write, git } = repositories.make();
    write(".gitignore", "secret\\*\n");
    write("secret*");
    write("secret-template");
    git("add", "secret-template");
    expect(await reasonOf({ root }, "secret*")).toBe("ask: ignored");
    for (const name of [
      ":!x",
      ":(glob)y",
      "-z",
      "[n]",
      "*",
      "?",
      "b\\s",
      "end ",
      "ünï",
      "e\u0301",
      "a'b\"c",
    ]) {
      write(name);
      write(`d${name}/f`);
      write(`${name}.d/f`);
      expect([name, await reasonOf({ root }, name)]).toEqual([name, "allow: not-ignored"]);
      expect([name, await reasonOf({ root }, `${name}.d`, "directory")]).toEqual([
        name,
        "allow: not-ignored",
      ]);
    }
  });

  it("asks where it isn't an ordinary file or folder, or has other names (D4)", async () => {
    const { root, path, write } = repositories.make();
    execFileSync("mkfifo", [path("pipe")]);
    const server = createServer().listen(path("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    linkSync(path(".env"), path("harmless.txt"));
    write("one");
    linkSync(path("one"), path("two"));
    expect(await reasonOf({ root }, "pipe")).toBe("ask: special-file");
    expect(await reasonOf({ root }, "socket")).toBe("ask: special-file");
    expect(await reasonOf({ root }, "harmless.txt")).toBe("ask: several-links");
    expect(await reasonOf({ root }, "one")).toBe("ask: several-links");
    server.close();
  });
});

describe("the rules of git", () => {
  it("count as they are now, wherever they stand (D4)", async () => {
    const { root, write, git } = repositories.make();
    const home = repositories.folder();
    vi.stubEnv("HOME", home.root);
    vi.stubEnv("XDG_CONFIG_HOME", undefined);
    const answers = async (): Promise<string> => (await reasonOf({ root }, "new.txt")).replace(/:.*/, "");
    expect(await answers()).toBe("allow");
    write(".gitignore", "new.txt\n");
    expect(await answers()).toBe("ask");
    write(".gitignore", "");
    write(".git/info/exclude", "new.txt\n");
    expect(await answers()).toBe("ask");
    write(".git/info/exclude", "");
    home.write(".config/git/ignore", "new.txt\n");
    expect(await answers()).toBe("ask");
    write(".gitignore", "!new.txt\n");
    expect(await answers()).toBe("allow");
    write(".gitignore", "*\n");
    expect(await answers()).toBe("ask");
    git("add", "-f", "new.txt");
    expect(await answers()).toBe("allow");
  });

  it("count of the person also where the repository names others (D4)", async () => {
    const { root, write, git } = repositories.make();
    const home = repositories.folder();
    vi.stubEnv("HOME", home.root);
    vi.stubEnv("XDG_CONFIG_HOME", undefined);
    home.write(".config/git/ignore", "*.key\n");
    write("a.key");
    write("a.own");
    git("config", "core.excludesFile", "/dev/null");
    expect(await reasonOf({ root }, "a.key")).toBe("ask: ignored");
    expect(await reasonOf({ root }, "new.txt")).toBe("allow: not-ignored");
    home.write(".gitconfig", "[core]\n\texcludesFile = ~/own\n");
    home.write("own", "*.own\n");
    expect(await reasonOf({ root }, "a.own")).toBe("ask: ignored");
    git("config", "--unset", "core.excludesFile");
    git("config", "include.path", home.write("included", "[core]\n\texcludesFile = /dev/null\n"));
    expect(await reasonOf({ root }, "a.own")).toBe("ask: ignored");
    git("config", "--unset", "include.path");
    git("config", "core.excludesFile", write("theirs", "new.txt\n"));
    expect(await reasonOf({ root }, "new.txt")).toBe("ask: ignored");
  });

  it("don't change with a case that the repository claims to ignore (D4)", async () => {
    const { root, write, git } = repositories.make();
    write(".gitignore", "*\n!readme\n");
    write("README");
    git("config", "core.ignoreCase", "true");
    expect(await reasonOf({ root }, "README")).toBe("ask: ignored");
    write(".gitignore", "readme\n");
    expect(await reasonOf({ root }, "README")).toBe("ask: ignored");
  });

  it("are believed only where git can read them all (D4)", async () => {
    const { root, path, write } = repositories.make();
    write("sub/deep/a.txt");
    symlinkSync("../.gitignore", path("sub/.gitignore"));
    expect(await reasonOf({ root }, "sub/deep/a.txt")).toBe("ask: unclear-path");
    expect(await reasonOf({ root }, "sub", "directory")).toBe("ask: unclear-path");
    expect(await reasonOf({ root }, "tracked.txt")).toBe("allow: tracked");
  });

  it("count of a file that is in the index alone (D4)", async () => {
    const { root, path, git, write } = repositories.make();
    write("sub/.gitignore", "hidden\n");
    write("sub/hidden/a.txt");
    git("add", "sub/.gitignore");
    git("update-index", "--skip-worktree", "sub/.gitignore");
    renameSync(path("sub/.gitignore"), path("moved"));
    expect(await reasonOf({ root }, "sub/hidden/a.txt")).toBe("ask: ignored");
    expect(await reasonOf({ root }, "sub/hidden", "directory")).toBe("ask: ignored");
  });
});

describe("the repository", () => {
  it("is the root's own: a linked worktree, a submodule, a folder deep in a bigger one (D1)", async () => {
    const { root, path, write, git } = repositories.make();
    git("worktree", "add", "-q", `${root}-tree`);
    writeFileSync(`${root}-tree/.env`, "x");
    expect(await reasonOf({ root: `${root}-tree` }, "tracked.txt")).toBe("allow: tracked");
    expect(await reasonOf({ root: `${root}-tree` }, ".env")).toBe("ask: ignored");
    git("submodule", "--quiet", "add", repository.root, "module");
    expect(await reasonOf({ root: path("module") }, "tracked.txt")).toBe("allow: tracked");
    expect(await reasonOf({ root }, "module/tracked.txt")).toBe("ask: nested-repository");
    expect(await reasonOf({ root }, "module", "directory")).toBe("ask: nested-repository");
    write("package/src/a.txt");
    write("package/.env");
    expect(await reasonOf({ root: path("package") }, "src/a.txt")).toBe("allow: not-ignored");
    expect(await reasonOf({ root: path("package") }, ".env")).toBe("ask: ignored");
    expect(await reasonOf({ root: path("package") }, "../tracked.txt")).toBe("ask: outside");
    expect(await reasonOf({ root: path("build") }, ".", "directory")).toBe("allow: root");
    expect(await reasonOf({ root: path("build") }, "out.js")).toBe("ask: ignored");
  });

  it("is nobody else's: what lies in another one asks, a bare one too (D4)", async () => {
    const { root, path, write, git } = repositories.make();
    write("inner/a.txt");
    mkdirSync(path("inner/.git"));
    expect(await reasonOf({ root }, "inner/a.txt")).toBe("ask: nested-repository");
    expect(await reasonOf({ root: path("inner") }, "a.txt")).toBe("ask: git-unavailable");
    git("clone", "-q", "--bare", ".", "bare");
    expect(await reasonOf({ root }, "bare/config")).toBe("ask: nested-repository");
    expect(await reasonOf({ root: path("bare") }, ".", "directory")).toBe("ask: nested-repository");
  });

  it("belongs to this working tree by more than a file's say-so (D4)", async () => {
    const other = repositories.folder();
    other.write("tracked.txt");
    other.write(".git", `gitdir: ${repository.path(".git")}\n`);
    expect(await reasonOf(other, "tracked.txt")).toBe("ask: not-a-repository");
    const { root, git, write } = repositories.make();
    git("config", "core.worktree", other.root);
    expect(await reasonOf({ root }, "tracked.txt")).toBe("ask: not-a-repository");
    git("config", "core.worktree", "..");
    expect(await reasonOf({ root }, "tracked.txt")).toBe("allow: tracked");
    const apart = repositories.folder();
    apart.git("init", "-q", `--separate-git-dir=${apart.root}-kept`);
    apart.write("a.txt");
    expect(await reasonOf(apart, "a.txt")).toBe("allow: not-ignored");
    write(".git/commondir", `${repository.path(".git")}\n`);
    expect(await reasonOf({ root }, "tracked.txt")).toBe("ask: not-a-repository");
  });

  it.each<[string, (made: TestRepository) => void]>([
    ["a broken index", ({ write }) => write(".git/index", "nonsense")],
    ["broken settings", ({ write }) => write(".git/config", "[[[")],
    ["a format of later days", ({ git }) => git("config", "core.repositoryformatversion", "99")],
    ["settings that call it bare", ({ git }) => git("config", "core.bare", "true")],
    [
      "a list of ignored files that is a pipe",
      ({ path, git }) => {
        execFileSync("mkfifo", [path("pipe")]);
        git("config", "core.excludesFile", path("pipe"));
      },
    ],
  ])("with %s asks for files and folders (D4)", async (_, breakIt) => {
    const made = repositories.make();
    breakIt(made);
    const reasons = await Promise.all([reasonOf(made, "tracked.txt"), reasonOf(made, ".", "directory")]);
    expect(reasons).toEqual(["ask: git-unavailable", "ask: git-unavailable"]);
  });

  it.skipIf(process.getuid?.() !== 0)("of somebody else asks (D4)", async () => {
    const { root } = repositories.make();
    chownSync(root, 1234, 1234);
    expect(await reasonOf({ root }, "tracked.txt")).toBe("ask: git-unavailable");
  });

  it("is there at all (D4)", async () => {
    const plain = repositories.folder();
    plain.write("a.txt");
    expect(await reasonOf(plain, "a.txt")).toBe("ask: not-a-repository");
    expect(await reasonOf(plain, ".", "directory")).toBe("ask: not-a-repository");
    expect(await reasonOf({ root: plain.path("none") }, ".", "directory")).toBe("ask: missing");
  });

  it("is found above a folder whose name has a colon, and not above a broken one (D4)", async () => {
    const { root, write, path } = repositories.make();
    write("a:b/c/f.txt");
    expect(await reasonOf({ root: path("a:b/c") }, "f.txt")).toBe("allow: not-ignored");
    mkdirSync(path("a:b/c/.git"));
    expect(await reasonOf({ root: path("a:b/c") }, "f.txt")).toBe("ask: git-unavailable");
    expect(await reasonOf({ root: path("a:b/c") }, ".", "directory")).toBe("ask: git-unavailable");
    expect(root).not.toContain(":");
  });
});

describe("asking git", () => {
  it("runs nothing that the repository names (D4)", async () => {
    const { root, git } = repositories.make();
    const place = repositories.folder();
    const trap = createTrap(place);
    const keys = [
      "fsmonitor",
      "pager",
      "sshCommand",
      "askPass",
      "editor",
      "alternateRefsCommand",
      "gitProxy",
    ];
    for (const key of keys) git("config", `core.${key}`, trap.file);
    for (const key of ["pager.ls-files", "pager.config", "diff.external", "gpg.program", "credential.helper"])
      git("config", key, trap.file);
    git("config", "filter.all.clean", trap.file);
    git("config", "filter.all.process", trap.file);
    git("config", "core.attributesFile", place.write("attributes", "* filter=all\n"));
    git("config", "core.hooksPath", place.root);
    git("config", "alias.ls-files", `!${trap.file}`);
    git("config", "include.path", place.write("more", `[core]\n\tfsmonitor = ${trap.file}\n`));
    git("config", "extensions.worktreeConfig", "true");
    git("config", "--worktree", "core.fsmonitor", trap.file);
    expect(await reasonOf({ root }, "new.txt")).toBe("allow: not-ignored");
    expect(await reasonOf({ root }, ".env")).toBe("ask: ignored");
    expect(await reasonOf({ root }, ".", "directory")).toBe("allow: root");
    expect(trap.sprung).toBe(false);
    // The trap is one: git itself falls into it.
    git("ls-files", "-o");
    expect(trap.sprung).toBe(true);
  });

  it("fetches nothing that a partial clone lacks (D4)", async () => {
    const trap = createTrap(repositories.folder());
    const { root, git, write } = repositories.folder();
    const source = repositories.make();
    source.git("config", "uploadpack.allowFilter", "true");
    git("clone", "-q", "--no-checkout", "--filter=blob:none", `file://${source.root}`, ".");
    git("read-tree", "HEAD");
    git("update-index", "--skip-worktree", ".gitignore");
    git("config", "remote.origin.url", `ext::${trap.file}`);
    git("config", "protocol.ext.allow", "always");
    write(".env");
    expect(await reasonOf({ root }, ".env")).toBe("ask: git-unavailable");
    expect(trap.sprung).toBe(false);
    // The trap is one: git itself falls into it.
    expect(() => git("ls-files", "-o", "--exclude-standard")).toThrow("promisor remote");
    expect(trap.sprung).toBe(true);
  });

  it("hears nothing that was inherited (D4)", async () => {
    const other = repositories.make();
    other.git("add", "-f", ".env");
    const trace = other.path("trace");
    vi.stubEnv("GIT_DIR", other.path(".git"));
    vi.stubEnv("GIT_WORK_TREE", repository.root);
    vi.stubEnv("GIT_INDEX_FILE", other.path(".git/index"));
    vi.stubEnv("GIT_CEILING_DIRECTORIES", repository.root);
    vi.stubEnv("GIT_TRACE", trace);
    vi.stubEnv("GIT_CONFIG_PARAMETERS", "'core.excludesfile=/dev/null'");
    expect(await reasonOf(repository, ".env")).toBe("ask: ignored");
    expect(await reasonOf(repository, "tracked.txt")).toBe("allow: tracked");
    expect(await reasonOf(other, "trace")).toBe("ask: missing");
  });

  it("takes no git from the repository, from here or from nowhere in particular (D4)", async () => {
    const { root, path, write } = repositories.make();
    const trap = createTrap(repositories.folder());
    write("bin/git", `#!/bin/sh\n${trap.file}\nexec git "$@"\n`);
    chmodSync(path("bin/git"), 0o755);
    symlinkSync(path("bin"), `${root}-bin`);
    const link = repositories.folder();
    symlinkSync(path("bin/git"), link.path("git"));
    const before = process.cwd();
    process.chdir(path("bin"));
    try {
      vi.stubEnv("PATH", ["", ".", path("bin"), `${root}-bin`, link.root, process.env.PATH].join(":"));
      expect(await reasonOf({ root }, "tracked.txt")).toBe("allow: tracked");
    } finally {
      process.chdir(before);
    }
    expect(trap.sprung).toBe(false);
  });

  it.each([
    ["is missing", []],
    ["fails", ["exit 128"]],
    ["fails otherwise", ["exit 2"]],
    ["says nothing", ["exit 0"]],
    ["says too much", ["printf '? .env\\0? .env2\\0'"]],
    ["says it in other words", ["printf '.env\\0'"]],
    ["complains", ['echo "warning: unable to access .gitignore" >&2', "printf '? .env\\0'"]],
    ["is killed", ["kill -9 $$"]],
  ])("asks where git %s (D4)", async (_, lines) => {
    const folder = repositories.folder();
    vi.stubEnv("PATH", lines.length === 0 ? folder.root : createOtherGit(folder, ...lines));
    expect(await reasonOf(repository, ".env")).toMatch(/^ask: (git-unavailable|ignored)$/);
    expect(await reasonOf(repository, ".", "directory")).toBe("ask: git-unavailable");
    expect(await reasonOf(repository, "build", "directory")).toMatch(/^ask: (git-unavailable|ignored)$/);
  });

  it("asks where git hangs, after a bounded wait, and leaves nothing running (D4)", async () => {
    const folder = repositories.folder();
    vi.stubEnv("PATH", createOtherGit(folder, `echo $$ >> ${folder.path("pids")}`, "/bin/sleep 1000 & wait"));
    const before = performance.now();
    expect(await reasonOf(repository, "tracked.txt")).toBe("ask: git-unavailable");
    expect(performance.now() - before).toBeLessThan(20_000);
    const left = execFileSync("/bin/sh", [
      "-c",
      `for p in $(/bin/cat ${folder.path("pids")}); do /bin/ps -o stat= --ppid $p -p $p; done || true`,
    ]);
    expect(left.toString().replaceAll(/Z\S*\s*/g, "")).toBe("");
  });
});

describe("the target of a change", () => {
  const target = (path: string, protect: string[] = []) =>
    checkTarget({ root: repository.root, path, kind: "file", mayBeMissing: true, protect });

  it("may not be there yet, where git would not ignore it (D1)", async () => {
    expect(await target("fresh.txt")).toEqual({
      effect: "allow",
      reason: "not-ignored",
      resolved: repository.path("fresh.txt"),
      identity: null,
      exists: false,
      isProtected: false,
    });
    const asked = [
      "build/fresh.txt",
      ".ignore",
      ".gitattributes",
      ".git/hooks/pre-commit",
      "none/a.txt",
      "../a",
    ];
    expect((await Promise.all(asked.map((path) => target(path)))).map(({ reason }) => reason)).toEqual([
      "ignored",
      "protected-name",
      "protected-name",
      "git-folder",
      "missing",
      "outside",
    ]);
    expect(await target(".gitignore")).toMatchObject({ reason: "protected-name", exists: true });
  });

  it("is told where nobody may touch it, under whatever name (D1)", async () => {
    const { root, path, write } = repositories.make();
    write("store.db");
    linkSync(path("store.db"), path("copy"));
    symlinkSync("store.db", path("link"));
    write("keys/token");
    const protect = [path("store.db"), path("keys"), path("none/later.db")];
    const asked = ["store.db", "copy", "link", "store.db-wal", "keys/token", "keys/new", "new.txt", "none"];
    const checks = asked.map((each) =>
      checkTarget({ root, path: each, kind: "file", mayBeMissing: true, protect }),
    );
    expect((await Promise.all(checks)).map(({ isProtected }) => isProtected)).toEqual([
      ...Array.from({ length: 6 }, () => true),
      false,
      false,
    ]);
  });
});
