/** Repositories of every shape, and those that lie in others. */
import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  committed,
  directory,
  file,
  GIT_ENVIRONMENT,
  git,
  ignored,
  makeRepository,
  type PathCase,
  type Place,
  run,
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

const NESTED: PathCase[] = [
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

const shaped = (what: string, build: (place: Place) => Promise<unknown>): PathCase[] => [
  {
    title: `lets a tracked file be read in a repository ${what} (D1)`,
    build: async (place) => void (await build(place)),
    ask: file("d/a.txt"),
    expect: "allow",
  },
  {
    title: `asks for an ignored file in a repository ${what} (D1)`,
    build: async (place) => {
      await build(place);
      write(join(place.root, ".gitignore"), "key");
      write(join(place.root, "d/key"), SECRET);
    },
    ask: file("d/key"),
    expect: "ask",
    reason: "ignored",
  },
];

/** A conflict between two branches in `d/a.txt`. */
async function conflict({ root }: Place): Promise<void> {
  await committed(root, "d/a.txt");
  for (const branch of ["two", "main"]) {
    if (branch === "two") await git(root, "checkout", "-q", "-b", "two");
    else await git(root, "checkout", "-q", "main");
    write(join(root, "d/a.txt"), `open-words-7f3a ${branch}`);
    await git(root, "commit", "-q", "-a", "-m", branch);
  }
  await git(root, "merge", "-q", "two").catch(() => {});
}

const SHAPES: PathCase[] = [
  ...shaped("in a merge conflict, whose index has a name three times", conflict),
  ...shaped("of SHA-256", async ({ root }) => {
    await git(root, "init", "-q", "--object-format=sha256");
    write(join(root, "d/a.txt"));
    await track(root, "d/a.txt");
  }),
  ...shaped("with a split index", async ({ root }) => {
    await committed(root, "d/a.txt");
    await git(root, "update-index", "--split-index");
  }),
  ...shaped("with an index of version 4", async ({ root }) => {
    await committed(root, "d/a.txt", "d/b.txt");
    await git(root, "update-index", "--index-version", "4");
  }),
  ...shaped("with a cache of what is untracked", async ({ root }) => {
    await committed(root, "d/a.txt");
    await git(root, "config", "core.untrackedCache", "true");
    await git(root, "update-index", "--force-untracked-cache");
    await git(root, "status", "--porcelain");
  }),
  ...shaped("with a sparse checkout", async ({ root }) => {
    await committed(root, "d/a.txt", "e/b.txt");
    await git(root, "sparse-checkout", "set", "d");
  }),
  ...shaped("with a sparse index", async ({ root }) => {
    await committed(root, "d/a.txt", "e/f/b.txt");
    await git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "d");
  }),
  ...shaped("whose file is assumed unchanged", async ({ root }) => {
    await committed(root, "d/a.txt");
    await git(root, "update-index", "--assume-unchanged", "d/a.txt");
  }),
  ...shaped("whose file is to be added", async ({ root }) => {
    await tracked(root);
    write(join(root, "d/a.txt"));
    await git(root, "add", "-N", "d/a.txt");
  }),
  ...shaped("with a detached head and packed objects", async ({ root }) => {
    await committed(root, "d/a.txt");
    await git(root, "checkout", "-q", "--detach");
    await git(root, "gc", "-q");
  }),
  ...shaped("that is shallow", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    rmSync(root, { recursive: true });
    await git(base, "clone", "-q", "--depth", "1", `file://${join(base, "from")}`, root);
  }),
  ...shaped("that borrows its objects from another", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    rmSync(root, { recursive: true });
    await git(base, "clone", "-q", "--shared", join(base, "from"), root);
  }),
  ...shaped("that is another work tree of one", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    rmSync(root, { recursive: true });
    await git(join(base, "from"), "worktree", "add", "-q", root);
  }),
  ...shaped("whose `.git` is a file that leads to it", async ({ base, root }) => {
    rmSync(root, { recursive: true });
    await git(base, "init", "-q", "--separate-git-dir", join(base, "apart"), root);
    write(join(root, "d/a.txt"));
    await track(root, "d/a.txt");
  }),
  ...shaped("whose configuration is read per work tree", async ({ root }) => {
    await committed(root, "d/a.txt");
    await git(root, "config", "extensions.worktreeConfig", "true");
    write(join(root, ".git/config.worktree"), "[core]\n\tfileMode = true");
  }),
  ...shaped("that was copied with all in it", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    cpSync(join(base, "from"), root, { recursive: true });
  }),
  ...shaped("whose index also has other stages of a file", async ({ root }) => {
    await committed(root, "d/a.txt", "d/b.txt");
    await git(root, "rm", "-q", "--cached", "d/b.txt");
  }),
];

const REST: PathCase[] = [
  {
    title: "asks for what an exclude file names that several work trees share (D1)",
    build: async ({ base, root }) => {
      await committed(join(base, "from"), "a.txt");
      rmSync(root, { recursive: true });
      await git(join(base, "from"), "worktree", "add", "-q", root);
      write(join(base, "from/.git/info/exclude"), "key");
      write(join(root, "key"), SECRET);
    },
    ask: file("key"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for the file that leads to the repository of a work tree (D4)",
    build: async ({ base, root }) => {
      await committed(join(base, "from"), "a.txt");
      rmSync(root, { recursive: true });
      await git(join(base, "from"), "worktree", "add", "-q", root);
    },
    ask: file(".git"),
    expect: "ask",
    reason: "git-folder",
  },
  {
    title: "asks for a tracked file that a sparse checkout left out (D1)",
    build: async ({ root }) => {
      await committed(root, "d/a.txt", "e/b.txt");
      await git(root, "sparse-checkout", "set", "d");
      mkdirSync(join(root, "e"), { recursive: true });
    },
    ask: file("e/b.txt"),
    expect: "ask",
    reason: "missing",
  },
  {
    title: "asks for a file whose name differs in case alone where git knows no case (D1)",
    build: ({ root }) => {
      ignored(root, ["key"], "KEY");
      write(join(root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tignoreCase = true");
    },
    ask: file("KEY"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a repository of somebody else (D4)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      await run("chown", "-R", "65533:65533", root);
    },
    ask: file("a.txt"),
    expect: "ask",
    needsRoot: true,
  },
  {
    title: "lets a file be read of a repository of somebody else that the person trusts (D4)",
    build: async ({ root, home }) => {
      await tracked(root, "a.txt");
      await run("chown", "-R", "65533:65533", root);
      write(join(home, ".gitconfig"), `[safe]\n\tdirectory = ${root}`);
    },
    ask: file("a.txt"),
    environment: () => ({ PATH: GIT_ENVIRONMENT.PATH }),
    expect: "allow",
    needsRoot: true,
  },
];

export const REPOSITORIES: readonly PathCase[] = [...NESTED, ...SUBFOLDERS, ...SHAPES, ...REST];
