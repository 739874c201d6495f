/** What the lines of an ignore file mean, for files, for folders, and for what is tracked all the same. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { directory, file, git, ignored, type PathCase, SECRET, track, tracked, write } from "./path-case.ts";

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
    title: "asks for the ignored file that took the place of a tracked folder (D1)",
    build: async ({ root }) => {
      await tracked(root, "key/b");
      rmSync(join(root, "key"), { recursive: true });
      write(join(root, ".gitignore"), "key");
      write(join(root, "key"), SECRET);
    },
    ask: file("key"),
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

export const IGNORE_RULES: readonly PathCase[] = [...RULES, ...FORCED, ...FOLDERS, ...LISTED];
