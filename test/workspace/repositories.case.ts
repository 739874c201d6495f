/** Repositories of every shape that git knows. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  committed,
  file,
  GIT_ENVIRONMENT,
  git,
  ignored,
  type PathCase,
  type Place,
  run,
  SECRET,
  track,
  tracked,
  write,
} from "./path-case.ts";

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
  ...shaped("with a sparse index and patterns that are none for it", async ({ root }) => {
    await committed(root, "d/a.txt", "e/f/b.txt");
    await git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "d");
    write(join(root, ".git/info/sparse-checkout"), "*.txt\n!/e/x*y\n/d/**/a?");
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
  ...shaped("that is a work tree of one without files of its own", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    await git(base, "clone", "-q", "--bare", join(base, "from"), join(base, "bare.git"));
    rmSync(root, { recursive: true });
    await git(join(base, "bare.git"), "worktree", "add", "-q", root);
  }),
  ...shaped("that is a work tree beside others in one folder", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    rmSync(root, { recursive: true });
    await git(base, "clone", "-q", "--bare", join(base, "from"), join(base, ".bare"));
    write(join(base, ".git"), "gitdir: ./.bare");
    await git(base, "worktree", "add", "-q", root);
  }),
  ...shaped("that is a clone without its older objects", async ({ base, root }) => {
    await committed(join(base, "from"), "d/a.txt");
    await git(join(base, "from"), "config", "uploadpack.allowFilter", "true");
    rmSync(root, { recursive: true });
    await git(base, "clone", "-q", "--filter=blob:none", `file://${join(base, "from")}`, root);
  }),
  ...shaped("with settings that git warns of as old", async ({ root }) => {
    await committed(root, "d/a.txt");
    await git(root, "config", "core.fsyncObjectFiles", "true");
    await git(root, "config", "core.useBuiltinFSMonitor", "true");
  }),
  ...shaped("with a broken reference and a stale lock", async ({ root }) => {
    await committed(root, "d/a.txt");
    write(join(root, ".git/refs/heads/broken"), "nothing");
    write(join(root, ".git/HEAD.lock"), "");
  }),
  ...shaped("whose branch was never born", async ({ root }) => {
    await tracked(root, "d/a.txt");
    write(join(root, ".git/HEAD"), "ref: refs/heads/never");
  }),
  ...shaped("with settings that change how git prints", async ({ root }) => {
    await committed(root, "d/a.txt");
    for (const name of ["color.ui", "column.ui", "core.quotePath", "core.sparseCheckout"]) {
      await git(root, "config", name, name.startsWith("co") && name.endsWith("ui") ? "always" : "true");
    }
    await git(root, "config", "core.symlinks", "false");
    await git(root, "config", "status.showUntrackedFiles", "no");
  }),
  ...shaped("with attributes that no file fits", async ({ root }) => {
    await committed(root, "d/a.txt");
    write(
      join(root, ".gitattributes"),
      "!x y\n[attr]a -text\n* filter=lfs export-ignore working-tree-encoding=x",
    );
    await git(root, "config", "filter.lfs.required", "true");
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
    title: "lets a file be read where the root is a work tree that lies in the main one (D1)",
    build: async ({ root }) => {
      await committed(root, "a.txt");
      await git(root, "worktree", "add", "-q", ".trees/one");
    },
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, ".trees/one") }),
    expect: "allow",
  },
  {
    title: "lets a file be read in another work tree that lies in this one (D4)",
    build: async ({ root }) => {
      await committed(root, "a.txt");
      await git(root, "worktree", "add", "-q", ".trees/one");
    },
    ask: file(".trees/one/a.txt"),
    expect: "allow",
    reason: "tracked",
  },
  {
    title: "asks for an ignored file in another work tree that lies in this one (D4)",
    build: async ({ root }) => {
      await committed(root, "a.txt");
      await git(root, "worktree", "add", "-q", ".trees/one");
      write(join(root, ".git/info/exclude"), "key");
      write(join(root, ".trees/one/key"), SECRET);
    },
    ask: file(".trees/one/key"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a file in a work tree of another repository that lies in this one (D4)",
    build: async ({ base, root }) => {
      await committed(root, "a.txt");
      await committed(join(base, "other"), "a.txt");
      await git(join(base, "other"), "worktree", "add", "-q", join(root, "trees"));
    },
    ask: file("trees/a.txt"),
    expect: "ask",
    reason: "nested-repository",
  },
  {
    title: "lets a file be read in a folder of a submodule that is the root (D1)",
    build: async (place) => {
      await committed(join(place.base, "library"), "sub/a.txt");
      await committed(place.root, "top.txt");
      await git(place.root, "submodule", "--quiet", "add", "../library", "lib");
    },
    ask: ({ root }) => ({ ...file("a.txt"), root: join(root, "lib/sub") }),
    expect: "allow",
  },
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

export const REPOSITORIES: readonly PathCase[] = [...SHAPES, ...REST];
