/** Every place that says what git ignores, and rules that git would silently not read. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  committed,
  directory,
  file,
  git,
  ignored,
  makeRepository,
  OPEN,
  type PathCase,
  run,
  SECRET,
  track,
  tracked,
  write,
} from "./path-case.ts";

const NESTED: PathCase[] = [
  {
    title: "asks for a file that an ignore file in its folder names (D1)",
    build: ({ root }) => {
      ignored(root, [], "a/b/key");
      write(join(root, "a/.gitignore"), "key");
    },
    ask: file("a/b/key"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "lets a file be read that an ignore file of another folder names (D1)",
    build: ({ root }) => {
      ignored(root, []);
      write(join(root, "a/.gitignore"), "key");
      write(join(root, "b/key"));
    },
    ask: file("b/key"),
    expect: "allow",
  },
  {
    title: "lets a file be read that a nearer ignore file takes in again (D1)",
    build: ({ root }) => {
      ignored(root, ["*.log"]);
      write(join(root, "a/.gitignore"), "!*.log");
      write(join(root, "a/b.log"));
    },
    ask: file("a/b.log"),
    expect: "allow",
  },
  {
    title: "asks for a file that an ignore file above the root names (D1)",
    build: ({ root }) => ignored(root, ["key"], "sub/key"),
    ask: ({ root }) => ({ ...file("key"), root: join(root, "sub") }),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for an ignore file that ignores itself (D1)",
    build: ({ root }) => ignored(root, ["# secret-words-91c2", "*"]),
    ask: file(".gitignore"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "follows an ignore file that changes between two questions (D4)",
    build: async ({ root }) => {
      await committed(root, ".gitignore");
      ignored(root, ["key"], "key");
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for what an ignore file names that a sparse checkout left in the index (D1)",
    build: async ({ root }) => {
      ignored(root, ["key"], "key");
      await track(root, ".gitignore");
      await git(root, "update-index", "--skip-worktree", ".gitignore");
      rmSync(join(root, ".gitignore"));
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
];

/** An ignore file that is in the index alone, as in a sparse checkout. */
const inIndexAlone = (path: string, rules: string, ...names: string[]): PathCase["build"] => {
  return async ({ root }) => {
    await tracked(root, "a.txt", "sub/b.txt");
    write(join(root, path), rules);
    await track(root, path);
    await git(root, "update-index", "--skip-worktree", path);
    rmSync(join(root, path));
    for (const name of names) write(join(root, name), SECRET);
  };
};

const IN_INDEX: PathCase[] = [
  ["sub/.gitignore", "key", "sub/key"],
  ["sub/.gitignore", "key", "sub/deep/key"],
  [".gitignore", "/sub/deep", "sub/deep/key"],
].flatMap(([path = "", rules = "", name = ""]): PathCase[] => [
  {
    title: `asks for ${name}, which ${path} names as ${rules}, in the index alone (D1)`,
    build: inIndexAlone(path, rules, name),
    ask: file(name),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: `asks for ${name} in a root further down, which ${path} names as ${rules}, in the index alone (D1)`,
    build: inIndexAlone(path, rules, name),
    ask: ({ root }) => ({ ...file(name.slice("sub/".length)), root: join(root, "sub") }),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: `asks for the folder of ${name}, which ${path} names as ${rules}, in the index alone (D1)`,
    build: inIndexAlone(path, "deep", "sub/deep/key", name.replace("sub/key", "sub/deep/a")),
    ask: directory("sub/deep"),
    expect: "ask",
    reason: "ignored",
  },
]);

const ELSEWHERE: PathCase[] = [
  ...["/dev/null", "", "rules", "/nowhere"].flatMap((other): PathCase[] =>
    [file("key/secret"), directory("key")].map((ask) => ({
      title: `asks for a ${ask.kind} that the person ignores where the repository names "${other}" instead (D4)`,
      build: ({ root, home }) => {
        makeRepository(root, `\texcludesFile = ${other}\n`);
        write(join(root, "key/secret"), SECRET);
        write(join(home, ".config/git/ignore"), "key");
      },
      ask,
      environment: () => ({}),
      expect: "ask",
      reason: "ignored",
    })),
  ),
  {
    title: "lets a file be read that neither the person nor the repository's own excludes file ignores (D1)",
    build: ({ root, home, base }) => {
      makeRepository(root, `\texcludesFile = ${base}/rules\n`);
      write(join(root, "a.txt"));
      write(join(base, "rules"), "other");
      write(join(home, ".config/git/ignore"), "key");
    },
    ask: file("a.txt"),
    environment: () => ({}),
    expect: "allow",
  },
  {
    title: "asks for a file that the repository's exclude file names (D1)",
    build: ({ root }) => {
      ignored(root, [], "key");
      write(join(root, ".git/info/exclude"), "key");
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a folder that the repository's exclude file names (D1)",
    build: ({ root }) => {
      ignored(root, [], "d/key");
      write(join(root, ".git/info/exclude"), "d");
    },
    ask: directory("d"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a file that the excludes file of the repository's configuration names (D1)",
    build: ({ base, root }) => {
      makeRepository(root, `\texcludesFile = ${base}/rules\n`);
      write(join(base, "rules"), "key");
      write(join(root, "key"), SECRET);
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
  ...["file", "directory"].map(
    (kind): PathCase => ({
      title: `asks for a ${kind} that the person's own ignore file names (D1)`,
      build: ({ root, home }) => {
        ignored(root, [], "key/secret");
        write(join(home, ".config/git/ignore"), "key");
      },
      ask: kind === "file" ? file("key/secret") : directory("key"),
      environment: () => ({}),
      expect: "ask",
      reason: "ignored",
    }),
  ),
  {
    title: "asks for a file that the person's ignore file under XDG_CONFIG_HOME names (D1)",
    build: ({ root, base }) => {
      ignored(root, [], "key");
      write(join(base, "xdg/git/ignore"), "key");
    },
    ask: file("key"),
    environment: ({ base }) => ({ XDG_CONFIG_HOME: join(base, "xdg") }),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a file that the excludes file of the person's configuration names (D1)",
    build: ({ root, home }) => {
      ignored(root, [], "key");
      write(join(home, ".gitconfig"), "[core]\n\texcludesFile = ~/rules");
      write(join(home, "rules"), "key");
    },
    ask: file("key"),
    environment: () => ({}),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a file that the person's ignore file names whatever GIT_CONFIG_GLOBAL says (D1, D4)",
    build: ({ root, home }) => {
      ignored(root, [], "key");
      write(join(home, ".gitconfig"), "[core]\n\texcludesFile = ~/rules");
      write(join(home, "rules"), "key");
    },
    ask: file("key"),
    environment: () => ({ GIT_CONFIG_GLOBAL: "/dev/null" }),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "lets a file be read that nobody ignores where the person has a configuration (D1)",
    build: async ({ root, home }) => {
      await tracked(root, "a.txt");
      const color =
        "[color]\n\tui = always\n[core]\n\tpager = false\n\tquotePath = true\n\tfsmonitor = true\n";
      write(
        join(home, ".gitconfig"),
        `${color}[status]\n\tshowUntrackedFiles = no\n[alias]\n\tls-files = !false`,
      );
      write(join(home, ".config/git/ignore"), "*.log");
    },
    ask: file("a.txt"),
    environment: () => ({}),
    expect: "allow",
  },
  {
    title: "lets a file be read where the person has no folder of their own (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("a.txt"),
    environment: () => ({ HOME: undefined, XDG_CONFIG_HOME: undefined }),
    expect: "allow",
  },
];

/** Rules that git would silently not read. */
const UNREADABLE: PathCase[] = [
  {
    title: "asks where the ignore file is a link, which git doesn't follow (D4)",
    build: ({ base, root }) => {
      ignored(root, [], "key");
      rmSync(join(root, ".gitignore"));
      write(join(base, "rules"), "key");
      symlinkSync(join(base, "rules"), join(root, ".gitignore"));
    },
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks where an ignore file on the way is a link, which git doesn't follow (D4)",
    build: ({ root }) => {
      ignored(root, [], "a/b/key");
      write(join(root, "rules"), "key");
      symlinkSync("../rules", join(root, "a/.gitignore"));
    },
    ask: file("a/b/key"),
    expect: "ask",
  },
  {
    title: "asks for a folder where an ignore file on the way is a link (D4)",
    build: ({ root }) => {
      ignored(root, [], "a/b/key");
      write(join(root, "rules"), "b");
      symlinkSync("../rules", join(root, "a/.gitignore"));
    },
    ask: directory("a/b"),
    expect: "ask",
  },
  {
    title: "lets a file be read where the ignore file of another folder is a link (D4)",
    build: ({ root }) => {
      makeRepository(root);
      write(join(root, "rules"), "key");
      write(join(root, "a/b.txt"));
      write(join(root, "other/c.txt"));
      symlinkSync("../rules", join(root, "other/.gitignore"));
    },
    ask: file("a/b.txt"),
    expect: "allow",
  },
  {
    title: "asks where the ignore file is a folder (D4)",
    build: ({ root }) => {
      makeRepository(root);
      mkdirSync(join(root, ".gitignore"));
      write(join(root, "key"), SECRET);
    },
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks, and doesn't wait, where the ignore file is a pipe (D4)",
    build: async ({ root }) => {
      makeRepository(root);
      await run("mkfifo", join(root, ".gitignore"));
      write(join(root, "key"), SECRET);
    },
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks where the repository's exclude file can't be opened (D4)",
    build: ({ root }) => {
      ignored(root, [], "key");
      symlinkSync("exclude", join(root, ".git/info/exclude"));
    },
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "follows an exclude file that is a link, as git does (D1)",
    build: ({ root, base }) => {
      ignored(root, [], "key");
      write(join(base, "rules"), "key");
      symlinkSync(join(base, "rules"), join(root, ".git/info/exclude"));
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "reads rules with Windows line ends as git does (D1)",
    build: ({ root }) => {
      ignored(root, [], "key");
      writeFileSync(join(root, ".gitignore"), `key\r\n# ${OPEN}\r\n`);
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
];

export const IGNORE_SOURCES: readonly PathCase[] = [...NESTED, ...IN_INDEX, ...ELSEWHERE, ...UNREADABLE];
