/** Repositories in others: nested ones, submodules, and a root that is a folder of one. */
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  committed,
  directory,
  file,
  git,
  ignored,
  makeRepository,
  type PathCase,
  type Place,
  SECRET,
  track,
  tracked,
  write,
} from "./path-case.ts";

/** A repository inside the root's, with rules of its own. */
async function nested({ root }: Place): Promise<void> {
  await tracked(root, "a.txt");
  makeRepository(join(root, "in"));
  write(join(root, "in/.git/info/exclude"), "key");
  for (const name of ["in/key", "in/a.txt", "in/sub/b.txt"]) write(join(root, name), SECRET);
  await track(join(root, "in"), "a.txt");
}

const asksInside = (what: string, build: PathCase["build"], path: string): PathCase[] =>
  [file(path), directory(path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : path)].map((ask) => ({
    title: `asks for the ${ask.kind} ${ask.path} in ${what} (D4)`,
    build,
    ask,
    expect: "ask",
    reason: "nested-repository",
  }));

async function withSubmodule({ base, root }: Place): Promise<void> {
  await committed(join(base, "library"), "a.txt");
  await committed(root, "top.txt");
  await git(root, "submodule", "--quiet", "add", "../library", "lib");
  write(join(root, "lib/sub/secret"), SECRET);
  write(join(root, "lib/secret"), SECRET);
}

/** A submodule that the index knows and that has no repository here. */
async function withBareLink({ root }: Place): Promise<void> {
  makeRepository(root);
  await git(root, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib`);
  for (const name of ["lib/secret", "lib/sub/secret"]) write(join(root, name), SECRET);
}

/** A file that is ignored, where the index has another repository's commit. */
async function withLinkOverFile({ root }: Place): Promise<void> {
  await tracked(root, "a.txt");
  await git(root, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},key`);
  write(join(root, ".gitignore"), "key\n");
  write(join(root, "key"), SECRET);
}

const NESTED: PathCase[] = [
  {
    title: "asks for a file where the index has a repository (D4)",
    build: withLinkOverFile,
    ask: { path: "key", kind: "file" },
    expect: "ask",
  },
  ...["in/key", "in/sub/b.txt"].flatMap((path) => asksInside("a nested repository", nested, path)),
  ...asksInside(
    "a nested repository whose files git tracked before",
    async ({ root }) => {
      makeRepository(root);
      write(join(root, "in/a.txt"), SECRET);
      await track(root, "in/a.txt");
      makeRepository(join(root, "in"));
    },
    "in/a.txt",
  ),
  ...asksInside(
    "a folder whose `.git` is a file that leads nowhere",
    async ({ root }) => {
      await tracked(root, "a.txt");
      write(join(root, "in/.git"), "gitdir: /nowhere");
      write(join(root, "in/b.txt"), SECRET);
    },
    "in/b.txt",
  ),
  ...asksInside(
    "a folder whose `.git` is a link that leads nowhere",
    async ({ root }) => {
      await tracked(root, "a.txt");
      write(join(root, "in/b.txt"), SECRET);
      symlinkSync("/nowhere", join(root, "in/.git"));
    },
    "in/b.txt",
  ),
  ...asksInside("a submodule", withSubmodule, "lib/a.txt"),
  ...asksInside("a submodule, deeper", withSubmodule, "lib/sub/secret"),
  {
    title: "asks for a file in a submodule that isn't here (D4)",
    build: withBareLink,
    ask: file("lib/secret"),
    expect: "ask",
  },
  {
    title: "asks for a folder in a submodule that isn't here (D4)",
    build: withBareLink,
    ask: directory("lib/sub"),
    expect: "ask",
  },
  {
    title: "lets a file be read beside a nested repository (D1)",
    build: nested,
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "lets a file be read beside a submodule (D1)",
    build: withSubmodule,
    ask: file("top.txt"),
    expect: "allow",
  },
  {
    title: "lets the file be read that names the submodules (D1)",
    build: async (place) => {
      await withSubmodule(place);
      write(join(place.root, ".gitmodules"), "# open-words-7f3a");
    },
    ask: file(".gitmodules"),
    expect: "allow",
  },
  {
    title: "lets a file be read where the root is a submodule (D1)",
    build: async (place) => {
      await withSubmodule(place);
      for (const name of ["secret", "sub/secret"]) rmSync(join(place.root, "lib", name));
    },
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "lib") }),
    expect: "allow",
  },
  {
    title: "asks for an ignored file where the root is a submodule (D1)",
    build: async (place) => {
      await withSubmodule(place);
      write(join(place.root, ".git/modules/lib/info/exclude"), "secret");
    },
    ask: ({ root }) => ({ ...file("secret"), root: join(root, "lib") }),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "lets a file be read where the root is a repository in another (D1)",
    build: async (place) => {
      await nested(place);
      for (const name of ["a.txt", "key", "sub/b.txt"]) write(join(place.root, "in", name));
    },
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "in") }),
    expect: "allow",
  },
  {
    title: "lets a file be read of a nested repository that the outer one ignores (D1)",
    build: async ({ root }) => {
      ignored(root, ["in/"]);
      await tracked(join(root, "in"), "a.txt");
    },
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "in") }),
    expect: "allow",
  },
  {
    title: "asks where a committed repository without a work tree is the root (D4)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      await git(root, "init", "-q", "--bare", "bare");
      write(join(root, "bare/secret"), SECRET);
    },
    ask: ({ root }) => ({ ...file("secret"), root: join(root, "bare") }),
    expect: "ask",
  },
];

const SUBFOLDERS: PathCase[] = [
  {
    title: "lets a tracked file be read where the root is a folder of a repository (D1)",
    build: ({ root }) => tracked(root, "sub/a.txt"),
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "sub") }),
    expect: "allow",
    reason: "tracked",
  },
  {
    title: "lets a new file be read where the root is a folder of a repository (D1)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      write(join(root, "sub/deep/b.txt"));
    },
    ask: ({ root }) => ({ ...file("deep/b.txt"), root: join(root, "sub") }),
    expect: "allow",
  },
  {
    title: "lets a folder be listed where the root is a folder of a repository (D1)",
    build: ({ root }) => tracked(root, "sub/deep/b.txt"),
    ask: ({ root }) => ({ ...directory("deep"), root: join(root, "sub") }),
    expect: "allow",
  },
  {
    title: "asks for a new file whose name is tracked at the top of the repository alone (D4)",
    build: async ({ root }) => {
      ignored(root, ["/sub/a.txt"], "sub/a.txt");
      write(join(root, "a.txt"));
      await track(root, "a.txt");
    },
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "sub") }),
    expect: "ask",
    reason: "ignored",
  },
];

export const NESTED_REPOSITORIES: readonly PathCase[] = [...NESTED, ...SUBFOLDERS];
