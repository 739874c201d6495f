/** What an agent works with all day: it must not be asked about. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import {
  committed,
  directory,
  file,
  makeRepository,
  type PathCase,
  track,
  tracked,
  write,
} from "./path-case.ts";

const FILES: PathCase[] = [
  {
    title: "lets a committed file be read (D1)",
    build: ({ root }) => committed(root, "a.txt"),
    ask: file("a.txt"),
    expect: "allow",
    reason: "tracked",
  },
  {
    title: "lets a file be read that is only staged (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "lets a file be read that git doesn't know and nothing ignores (D1)",
    build: ({ root }) => {
      makeRepository(root);
      write(join(root, "a.txt"));
    },
    ask: file("a.txt"),
    expect: "allow",
    reason: "not-ignored",
  },
  {
    title: "lets a tracked file be read that was changed since (D1)",
    build: async ({ root }) => {
      await committed(root, "a.txt");
      write(join(root, "a.txt"), "other open-words-7f3a words");
    },
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "lets a tracked file deep in folders be read (D1)",
    build: ({ root }) => tracked(root, "a/b/c/d/e.txt"),
    ask: file("a/b/c/d/e.txt"),
    expect: "allow",
  },
  {
    title: "lets a file in new folders be read (D1)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      write(join(root, "new/folder/b.txt"));
    },
    ask: file("new/folder/b.txt"),
    expect: "allow",
  },
  {
    title: "lets an empty file be read (D1)",
    build: async ({ root }) => {
      makeRepository(root);
      write(join(root, "empty"), "");
      await track(root, "empty");
    },
    ask: file("empty"),
    expect: "allow",
  },
  {
    title: "lets a file be read that isn't text (D1)",
    build: ({ root }) => {
      makeRepository(root);
      writeFileSync(join(root, "a.bin"), Buffer.from(Array.from({ length: 512 }, (_, n) => n % 256)));
    },
    ask: file("a.bin"),
    expect: "allow",
  },
  {
    title: "lets a program be read (D1)",
    build: async ({ root }) => {
      makeRepository(root);
      write(join(root, "run.sh"));
      chmodSync(join(root, "run.sh"), 0o755);
      await track(root, "run.sh");
    },
    ask: file("run.sh"),
    expect: "allow",
  },
  {
    title: "lets a file be read in the folder that replaced a tracked file (D1)",
    build: async ({ root }) => {
      await tracked(root, "a");
      rmSync(join(root, "a"));
      write(join(root, "a/b"));
    },
    ask: file("a/b"),
    expect: "allow",
  },
  {
    title: "lets the file be read that took the place of a tracked folder (D1)",
    build: async ({ root }) => {
      await tracked(root, "a/b");
      rmSync(join(root, "a"), { recursive: true });
      write(join(root, "a"));
    },
    ask: file("a"),
    expect: "allow",
  },
  {
    title: "lets the ignore file itself be read (D1)",
    build: ({ root }) => {
      makeRepository(root);
      write(join(root, ".gitignore"), "secret\n# open-words-7f3a");
    },
    ask: file(".gitignore"),
    expect: "allow",
  },
  {
    title: "lets a hidden file be read that nothing ignores (D1)",
    build: ({ root }) => tracked(root, ".github/workflows/ci.yml"),
    ask: file(".github/workflows/ci.yml"),
    expect: "allow",
  },
];

const SPELLINGS: PathCase[] = [
  ...["./a/b.txt", "a//b.txt", "a/./b.txt", "a/../a/b.txt", "./././a/b.txt"].map(
    (path): PathCase => ({
      title: `lets a tracked file be read by the spelling ${path} (D1)`,
      build: ({ root }) => tracked(root, "a/b.txt"),
      ask: file(path),
      expect: "allow",
    }),
  ),
  {
    title: "lets a tracked file be read by its absolute path (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => file(join(root, "a.txt")),
    expect: "allow",
  },
  {
    title: "lets a tracked file be read by a way out of the root and back (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => file(`../${basename(root)}/a.txt`),
    expect: "allow",
  },
  {
    title: "takes a root with a slash at its end (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => ({ ...file("a.txt"), root: `${root}/` }),
    expect: "allow",
  },
  {
    title: "takes a root that is a link to a folder (D1)",
    build: async ({ base, root }) => {
      await tracked(root, "a.txt");
      symlinkSync(root, join(base, "link"));
    },
    ask: ({ base }) => ({ ...file("a.txt"), root: join(base, "link") }),
    expect: "allow",
  },
  {
    title: "takes the absolute path of a file through a root that is a link (D1)",
    build: async ({ base, root }) => {
      await tracked(root, "a.txt");
      symlinkSync(root, join(base, "link"));
    },
    ask: ({ base }) => ({ ...file(join(base, "link/a.txt")), root: join(base, "link") }),
    expect: "allow",
  },
  {
    title: "takes a root with dots in its path (D1)",
    build: async ({ base, root }) => {
      await tracked(root, "a.txt");
      mkdirSync(join(base, "other"));
    },
    ask: ({ base, root }) => ({ ...file("a.txt"), root: `${base}/other/../${basename(root)}` }),
    expect: "allow",
  },
  {
    title: "takes a root relative to the process (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => ({ ...file("a.txt"), root: relative(process.cwd(), root) }),
    expect: "allow",
  },
  {
    title: "takes a dot as the root of a process that stands in it (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: { ...file("a.txt"), root: "." },
    environment: () => ({}),
    expect: "allow",
  },
  {
    title: "takes a root whose own name is odd (D1)",
    build: ({ root }) => tracked(join(root, ":(top) [x] *\n'\"\\"), "a.txt"),
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, ":(top) [x] *\n'\"\\") }),
    expect: "allow",
  },
  {
    title: "takes a root whose own name begins with a dash (D1)",
    build: ({ root }) => tracked(join(root, "--help"), "a.txt"),
    ask: { ...file("a.txt"), root: "--help" },
    environment: () => ({}),
    expect: "allow",
  },
];

const FOLDERS: PathCase[] = [
  ...[".", "./", "a/.."].map(
    (path): PathCase => ({
      title: `lets the working directory itself be listed as ${path} (D1)`,
      build: ({ root }) => tracked(root, "a/b.txt"),
      ask: directory(path),
      expect: "allow",
      reason: "root",
    }),
  ),
  {
    title: "lets the working directory itself be listed by its absolute path (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => directory(root),
    expect: "allow",
    reason: "root",
  },
  {
    title: "lets the working directory be listed before anything is in its repository (D1)",
    build: ({ root }) => makeRepository(root),
    ask: directory("."),
    expect: "allow",
    reason: "root",
  },
  ...["a", "a/", "a/b", "./a/b/", "a//b"].map(
    (path): PathCase => ({
      title: `lets a folder of tracked files be listed as ${path} (D1)`,
      build: ({ root }) => tracked(root, "a/b/c.txt"),
      ask: directory(path),
      expect: "allow",
    }),
  ),
  {
    title: "lets a new folder be listed (D1)",
    build: ({ root }) => {
      makeRepository(root);
      write(join(root, "new/a.txt"));
    },
    ask: directory("new"),
    expect: "allow",
  },
  {
    title: "lets an empty folder be listed (D1)",
    build: ({ root }) => {
      makeRepository(root);
      mkdirSync(join(root, "empty"));
    },
    ask: directory("empty"),
    expect: "allow",
  },
];

const MISMATCHES: PathCase[] = [
  {
    title: "asks for a file where a folder is (D1)",
    build: ({ root }) => tracked(root, "a/b.txt"),
    ask: file("a"),
    expect: "ask",
    reason: "wrong-kind",
  },
  {
    title: "asks for a folder where a file is (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: directory("a.txt"),
    expect: "ask",
    reason: "wrong-kind",
  },
  {
    title: "asks for the root as a file (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("."),
    expect: "ask",
    reason: "wrong-kind",
  },
  {
    title: "asks for a file with a slash at its end (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("a.txt/"),
    expect: "ask",
  },
  {
    title: "asks for a way through a file (D1)",
    build: ({ root }) => tracked(root, "a.txt", "b.txt"),
    ask: file("a.txt/../b.txt"),
    expect: "ask",
  },
  {
    title: "asks for a way through a folder that isn't there (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("missing/../a.txt"),
    expect: "ask",
  },
  {
    title: "asks for what isn't there (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("b.txt"),
    expect: "ask",
    reason: "missing",
  },
  {
    title: "asks for a tracked file that was deleted (D1)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      rmSync(join(root, "a.txt"));
    },
    ask: file("a.txt"),
    expect: "ask",
    reason: "missing",
  },
  {
    title: "asks for a folder that isn't there (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: directory("b"),
    expect: "ask",
    reason: "missing",
  },
  {
    title: "asks for an empty path as a file (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file(""),
    expect: "ask",
  },
  {
    title: "asks where the root is a file (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => ({ ...file("."), root: join(root, "a.txt") }),
    expect: "ask",
  },
  {
    title: "asks where the root isn't there (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "gone") }),
    expect: "ask",
  },
  {
    title: "asks where the root is empty (D1)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => ({ ...file(join(root, "a.txt")), root: "" }),
    expect: "ask",
  },
];

export const ORDINARY: readonly PathCase[] = [...FILES, ...SPELLINGS, ...FOLDERS, ...MISMATCHES];
