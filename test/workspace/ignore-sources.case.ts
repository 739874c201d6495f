/** Every place that says what git ignores. */
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

const asked = (title: string, path: string, ...rules: string[]): PathCase => ({
  title,
  build: ({ root }) => ignored(root, rules, path),
  ask: file(path),
  expect: "ask",
  reason: "ignored",
});

const allowed = (title: string, path: string, ...rules: string[]): PathCase => ({
  title,
  build: ({ root }) => {
    ignored(root, rules);
    write(join(root, path));
  },
  ask: file(path),
  expect: "allow",
});

const RULES: PathCase[] = [
  asked("asks for a file that `.gitignore` names (D1)", ".env", ".env"),
  asked("asks for a file of an ignored folder (D1)", "build/out/a.js", "build/"),
  asked("asks for a file that a rule with a star names (D1)", "a.log", "*.log"),
  asked("asks for a file below a folder whose rule is `dir/*` (D1)", "out/a.js", "out/*"),
  asked("asks for a file that a rule with two stars before names (D1)", "a/b/logs/c", "**/logs"),
  asked("asks for a file that a rule with two stars behind names (D1)", "a/b/c", "a/**"),
  asked("asks for a file that a rule with two stars between names (D1)", "a/x/y/c", "a/**/c"),
  asked("asks for a file that a rule with a class names (D1)", "Secret", "[Ss]ecret"),
  asked("asks for a file that a rule with a question mark names (D1)", "key1", "key?"),
  asked("asks for a file that a rule with an escaped hash names (D1)", "#key", "\\#key"),
  asked("asks for a file that a rule with an escaped exclamation mark names (D1)", "!key", "\\!key"),
  asked("asks for a file whose rule has an escaped space at its end (D1)", "key ", "key\\ "),
  asked("asks for a file that is negated inside an ignored folder (D1)", "d/keep", "d/", "!d/keep"),
  asked("asks for a file whose negation is taken back (D1)", "a.log", "*.log", "!a.log", "a.log"),
  asked("asks for a file where everything is ignored (D1)", "a.txt", "*"),
  asked("asks for a file whose rule stands behind a mark of the byte order (D1)", "key", "\ufeffkey"),
  allowed("lets a file be read that is negated (D1)", "a.log", "*.log", "!a.log"),
  allowed("lets a file be read that is negated in a folder of `dir/*` (D1)", "d/keep", "d/*", "!d/keep"),
  allowed("lets a file be read whose rule is for folders (D1)", "logs", "logs/"),
  allowed("lets a file be read whose rule is for the top (D1)", "sub/key", "/key"),
  allowed("lets a file be read whose rule is a comment (D1)", "key", "#key", "# key"),
  allowed("lets a file be read whose rule has another case (D1)", "key", "KEY"),
  {
    title: "asks for a file that stands behind a hundred thousand rules (D1)",
    build: ({ root }) =>
      ignored(root, [...Array.from({ length: 100_000 }, (_, n) => `/x/${n}`), "key"], "key"),
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
];

const FORCED: PathCase[] = [
  {
    title: "lets a tracked file be read that a rule names (D1)",
    build: async ({ root }) => {
      ignored(root, ["*.log"]);
      write(join(root, "a.log"));
      await track(root, "a.log");
    },
    ask: file("a.log"),
    expect: "allow",
    reason: "tracked",
  },
  {
    title: "lets a tracked file be read in an ignored folder (D1)",
    build: async ({ root }) => {
      ignored(root, ["d/"], "d/secret");
      write(join(root, "d/a"));
      await track(root, "d/a");
    },
    ask: file("d/a"),
    expect: "allow",
  },
  {
    title: "asks for an ignored folder that holds one tracked file (D1, D4)",
    build: async ({ root }) => {
      ignored(root, ["d/"], "d/secret");
      write(join(root, "d/a"));
      await track(root, "d/a");
    },
    ask: directory("d"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for the file beside the tracked one of an ignored folder (D1)",
    build: async ({ root }) => {
      ignored(root, ["d/"], "d/secret");
      write(join(root, "d/a"));
      await track(root, "d/a");
    },
    ask: file("d/secret"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for an ignored file that is tracked no longer (D1)",
    build: async ({ root }) => {
      ignored(root, ["key"], "key");
      await track(root, "key");
      await git(root, "commit", "-q", "-m", "one");
      await git(root, "rm", "-q", "--cached", "key");
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
];

const FOLDERS: PathCase[] = [
  ["d", "d/"],
  ["d", "d"],
  ["d/", "d/"],
  ["d/e", "d/"],
  ["a/node_modules", "node_modules/"],
  ["a/b", "a/*/"],
  ["d", "*", "!.gitignore"],
].map(
  ([path = "", ...rules]): PathCase => ({
    title: `asks for the folder ${path} where the rules are ${rules.join(" and ")} (D1)`,
    build: ({ root }) => ignored(root, rules, `${path}/secret`),
    ask: directory(path),
    expect: "ask",
    reason: "ignored",
  }),
);

const LISTED: PathCase[] = [
  {
    title: "lets a folder be listed whose content alone is ignored, and shows none of it (D1, D4)",
    build: ({ root }) => ignored(root, ["out/*"], "out/secret"),
    ask: directory("out"),
    expect: "allow",
  },
  {
    title: "lets the root be searched, and shows nothing of what is ignored in it (D1, D4)",
    build: async ({ root }) => {
      ignored(root, ["*.log", "d/"], "a.log", "d/secret", "sub/b.log");
      write(join(root, "sub/c.txt"));
      await track(root, "sub/c.txt");
    },
    ask: directory("."),
    expect: "allow",
  },
  ...[".ignore", ".rgignore"].map(
    (name): PathCase => ({
      title: `searches nothing that is ignored where ${name} takes it in again (D4)`,
      build: ({ root }) => {
        ignored(root, ["*.log", "d/"], "a.log", "d/secret");
        for (const rules of [name, `d/${name}`]) write(join(root, rules), "!*.log\n!d/\n!secret\n!*");
      },
      ask: directory("."),
      expect: "allow",
    }),
  ),
  {
    title: "finds what git shows though `.ignore` and `.rgignore` leave it out (D4)",
    build: ({ root }) => {
      ignored(root, []);
      for (const name of [".ignore", ".rgignore"]) write(join(root, name), "*");
      write(join(root, "a.txt"));
    },
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "lets a root be listed that is itself ignored (D1)",
    build: async ({ root }) => {
      ignored(root, ["inner/"], "inner/secret");
    },
    ask: ({ root }) => ({ ...directory("."), root: join(root, "inner") }),
    expect: "allow",
    reason: "root",
  },
  {
    title: "asks for a file of a root that is itself ignored (D1)",
    build: ({ root }) => ignored(root, ["inner/"], "inner/secret"),
    ask: ({ root }) => ({ ...file("secret"), root: join(root, "inner") }),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a folder of a root that is itself ignored (D1)",
    build: ({ root }) => ignored(root, ["inner/"], "inner/d/secret"),
    ask: ({ root }) => ({ ...directory("d"), root: join(root, "inner") }),
    expect: "ask",
    reason: "ignored",
  },
];

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

const ELSEWHERE: PathCase[] = [
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

export const IGNORE_SOURCES: readonly PathCase[] = [
  ...[RULES, FORCED, FOLDERS, LISTED].flat(),
  ...[NESTED, ELSEWHERE, UNREADABLE].flat(),
];
