/** What a repository's own configuration may say, in a copy that somebody else made. Nothing of it may run. */
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  committed,
  directory,
  file,
  git,
  makeRepository,
  type PathCase,
  type Place,
  SECRET,
  track,
  write,
  writeProgram,
  writeTrap,
} from "./path-case.ts";

/** A healthy repository whose configuration ends in these lines. */
function configured(config: (place: Place, trap: string) => string | Promise<string>): PathCase["build"] {
  return async (place) => {
    await committed(place.root, "a.txt", ".gitattributes");
    write(join(place.root, ".gitattributes"), "* filter=trap diff=trap merge=trap text");
    write(join(place.root, ".gitignore"), "key");
    write(join(place.root, "key"), SECRET);
    const more = await config(place, writeTrap(place));
    const path = join(place.root, ".git/config");
    write(path, `[core]\n\trepositoryformatversion = 1\n\tbare = false\n${more}`);
  };
}

const LS_FILES = ["ls-files", "-c", "-o", "--exclude-standard"];

const monitor = (trap: string): string => `[core]\n\tfsmonitor = ${trap}\n`;

const CONFIGURED: readonly (readonly [string, PathCase["build"], (readonly string[])?])[] = [
  ["names a file system monitor", configured((_, trap) => monitor(trap)), LS_FILES],
  [
    "names a file system monitor of version 1",
    configured((_, trap) => `${monitor(trap)}\tfsmonitorHookVersion = 1\n`),
    LS_FILES,
  ],
  [
    "names a file system monitor in a file that it includes",
    configured(({ root }, trap) => {
      write(join(root, "more"), monitor(trap));
      return "[include]\n\tpath = ../more\n";
    }),
    LS_FILES,
  ],
  [
    "names a file system monitor in a file that it includes for this folder",
    configured(({ base, root }, trap) => {
      write(join(root, "more"), monitor(trap));
      return `[includeIf "gitdir:${base}/**"]\n\tpath = ../more\n`;
    }),
    LS_FILES,
  ],
  [
    "names a file system monitor for this work tree",
    configured(({ root }, trap) => {
      write(join(root, ".git/config.worktree"), monitor(trap));
      return "[extensions]\n\tworktreeConfig = true\n";
    }),
    LS_FILES,
  ],
  [
    "names a file system monitor by a relative path",
    configured(({ root, marker }) => {
      writeProgram(join(root, "monitor"), `: >> '${marker}'`);
      return "[core]\n\tfsmonitor = ./monitor\n";
    }),
    LS_FILES,
  ],
  [
    "names a file system monitor as a line for a shell",
    configured(({ marker }) => `[core]\n\tfsmonitor = "touch '${marker}'; false"\n`),
    LS_FILES,
  ],
  [
    "has a monitor, an index that asks it, and a cache of what is untracked",
    configured(async ({ root }, trap) => {
      await git(root, "update-index", "--force-untracked-cache", "--fsmonitor");
      return `${monitor(trap)}\tuntrackedCache = true\n`;
    }),
    LS_FILES,
  ],
  [
    "names a folder of hooks",
    configured(({ root, marker }) => {
      for (const name of ["post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"]) {
        writeProgram(join(root, "hooks", name), `: >> '${marker}'`);
      }
      return "[core]\n\thooksPath = hooks\n";
    }),
    ["update-index", "--force-write-index"],
  ],
  [
    "has hooks in their usual folder",
    configured(({ root, marker }) => {
      for (const name of ["post-index-change", "query-watchman", "fsmonitor-watchman"]) {
        writeProgram(join(root, ".git/hooks", name), `: >> '${marker}'`);
      }
      return "";
    }),
    ["update-index", "--force-write-index"],
  ],
  [
    "names filters for its files",
    configured(
      ({ root }, trap) =>
        `[filter "trap"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\tprocess = ${trap}\n[core]\n\tworktree = ${root}\n`,
    ),
    ["hash-object", "--path=a.txt", "a.txt"],
  ],
  [
    "names programs that compare, merge and show",
    configured(
      (_, trap) =>
        `[diff]\n\texternal = ${trap}\n[diff "trap"]\n\ttextconv = ${trap}\n\tcommand = ${trap}\n[merge "trap"]\n\tdriver = ${trap}\n`,
    ),
    ["diff"],
  ],
  [
    "names pagers, editors and askers",
    configured(
      (_, trap) =>
        `[core]\n\tpager = ${trap}\n\teditor = ${trap}\n\taskPass = ${trap}\n\tsshCommand = ${trap}\n\tgitProxy = ${trap}\n[pager]\n\tls-files = ${trap}\n\tcheck-ignore = ${trap}\n\trev-parse = ${trap}\n[credential]\n\thelper = !${trap}\n[gpg]\n\tprogram = ${trap}\n[sequence]\n\teditor = ${trap}\n`,
    ),
  ],
  [
    "gives git's own commands other meanings",
    configured(
      (_, trap) =>
        `[alias]\n\tls-files = !${trap}\n\tcheck-ignore = !${trap}\n\trev-parse = !${trap}\n\ttrap = !${trap}\n`,
    ),
    ["trap"],
  ],
  [
    "names a file for git's own trace",
    configured(({ marker }) => `[trace2]\n\teventTarget = ${marker}\n\tnormalTarget = ${marker}\n`),
  ],
  [
    "turns the tree into a bare repository's",
    configured((_, trap) => `[safe]\n\tbareRepository = all\n\tdirectory = *\n${monitor(trap)}`),
    LS_FILES,
  ],
];

const FOR_EACH = CONFIGURED.flatMap(([what, build, springs]): PathCase[] => {
  const common = { build, ...(springs === undefined ? {} : { springs }) };
  return [
    {
      ...common,
      title: `runs nothing and lets a file be read where the configuration ${what} (D4)`,
      ask: file("a.txt"),
      expect: "allow",
    },
    {
      ...common,
      title: `runs nothing and asks for an ignored file where the configuration ${what} (D4)`,
      ask: file("key"),
      expect: "ask",
      reason: "ignored",
    },
    {
      ...common,
      title: `runs nothing and lets the root be listed where the configuration ${what} (D4)`,
      ask: directory("."),
      expect: "allow",
    },
  ];
});

/** A tree that a partial clone would fetch when git reads it; what fetches is the trap. */
function partial(origin: (place: Place, trap: string) => string): PathCase["build"] {
  return configured(async (place, trap) => {
    rmSync(join(place.root, ".gitignore"));
    await git(place.root, "update-index", "--add", "--cacheinfo", `100644,${"2".repeat(40)},.gitignore`);
    await git(place.root, "update-index", "--skip-worktree", ".gitignore");
    return `[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n${origin(place, trap)}`;
  });
}

const FETCHES: PathCase[] = [
  [
    "a program of the remote",
    (place: Place, trap: string) => `\turl = ${place.base}/nowhere\n\tuploadpack = ${trap}\n`,
  ] as const,
  [
    "a program for ssh",
    (_: Place, trap: string) => `\turl = ssh://host.invalid/x\n[core]\n\tsshCommand = ${trap}\n`,
  ] as const,
  [
    "an address that is a program",
    (_: Place, trap: string) => `\turl = ext::${trap}\n[protocol]\n\tallow = always\n`,
  ] as const,
].map(
  ([what, origin]): PathCase => ({
    title: `fetches nothing, by ${what}, and asks where an ignore file would have to be fetched (D4)`,
    build: partial(origin),
    ask: file("key"),
    expect: "ask",
    springs: LS_FILES,
  }),
);

/** A bare repository in the tree, with a monitor. */
async function withBare(place: Place): Promise<void> {
  await committed(place.root, "a.txt");
  const bare = join(place.root, "bare");
  makeRepository(bare, monitor(writeTrap(place)), ".");
  write(
    join(bare, "config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n${monitor(join(place.base, "trap"))}`,
  );
  write(join(bare, "sub/a.txt"));
  await track(place.root, "bare/HEAD", "bare/config", "bare/sub/a.txt");
}

const BARE: PathCase[] = [
  {
    title: "runs nothing of a repository without a work tree that lies in the tree as files (D4)",
    build: withBare,
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "runs nothing and asks where such a repository is the root (D4)",
    build: withBare,
    ask: ({ root }) => ({ ...file("HEAD"), root: join(root, "bare") }),
    expect: "ask",
  },
  {
    title: "runs nothing and asks where a folder of such a repository is the root (D4)",
    build: async (place) => {
      await withBare(place);
      write(join(place.root, "bare/sub/secret"), SECRET);
    },
    ask: ({ root }) => ({ ...file("secret"), root: join(root, "bare/sub") }),
    expect: "ask",
  },
];

/** A repository that says its files lie elsewhere. */
const elsewhere = (worktree: (place: Place) => string): PathCase["build"] => {
  return async (place) => {
    await committed(place.outside, "key");
    await committed(place.root, "a.txt");
    write(join(place.root, "key"), SECRET);
    write(join(place.root, "sub/key"), SECRET);
    const path = worktree(place);
    write(
      join(place.root, ".git/config"),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${path}`,
    );
  };
};

const OWN = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

/** What the root ignores, and a folder in it that has the same names and no rules. */
function withDecoy({ root }: Place): void {
  write(join(root, ".gitignore"), "key\nprivate");
  for (const name of ["key", "private/key"]) {
    write(join(root, name), SECRET);
    write(join(root, "decoy", name));
  }
}

/** Each of them makes git answer for the decoy, and something else say that it doesn't. */
const DECOYS: readonly (readonly [string, (place: Place) => Promise<void>])[] = [
  [
    "the configuration names another folder, and a file that it includes the right one",
    async ({ root }) => {
      await git(root, "init", "-q");
      write(join(root, ".git/more"), "[core]\n\tworktree = ..");
      write(join(root, ".git/config"), `${OWN}\tworktree = ../decoy\n[include]\n\tpath = more`);
    },
  ],
  [
    "the configuration of a repository apart does so",
    async ({ base, root }) => {
      await git(base, "init", "-q", "--separate-git-dir", join(base, "apart"), root);
      write(join(base, "apart/more"), `[core]\n\tworktree = ${root}`);
      write(join(base, "apart/config"), `${OWN}\tworktree = ${root}/decoy\n[include]\n\tpath = more`);
    },
  ],
  [
    "the configuration of a work tree names another folder",
    async ({ base, root }) => {
      const from = join(base, "from");
      await committed(from, "a.txt");
      await git(from, "worktree", "add", "-q", "-f", join(base, "tree"));
      await git(from, "config", "extensions.worktreeConfig", "true");
      write(join(from, ".git/worktrees/tree/config.worktree"), `[core]\n\tworktree = ${root}/decoy`);
      write(join(from, ".git/worktrees/tree/gitdir"), join(root, ".git"));
      write(join(root, ".git"), `gitdir: ${from}/.git/worktrees/tree`);
    },
  ],
];

const DECOYED = DECOYS.flatMap(([what, build]): PathCase[] =>
  [file("key"), directory("private")].map((ask) => ({
    title: `asks for an ignored ${ask.kind} where ${what} (D4)`,
    build: async (place) => {
      withDecoy(place);
      await build(place);
    },
    ask,
    expect: "ask",
  })),
);

const ELSEWHERE: PathCase[] = [
  {
    title: "asks where the configuration says that the files lie in another folder (D4)",
    build: elsewhere(({ outside }) => outside),
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks where the configuration says that the files begin further up (D4)",
    build: elsewhere(({ base }) => base),
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks for a folder where the configuration says that the files begin further up (D4)",
    build: elsewhere(() => "../.."),
    ask: directory("sub"),
    expect: "ask",
  },
  {
    title: "asks where the configuration says that the files are a folder of these (D4)",
    build: elsewhere(({ root }) => join(root, "sub")),
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks where the configuration says that there are no files (D4)",
    build: async ({ root }) => {
      await committed(root, "a.txt");
      write(join(root, "key"), SECRET);
      write(join(root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true");
    },
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "asks where `.git` leads to a repository that belongs to another folder (D4)",
    build: async (place) => {
      await committed(place.outside, "a.txt");
      write(join(place.root, ".git"), `gitdir: ${place.outside}/.git`);
      write(
        join(place.outside, ".git/config"),
        `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${place.outside}`,
      );
      write(join(place.root, "key"), SECRET);
    },
    ask: file("key"),
    expect: "ask",
  },
  {
    title: "runs nothing and asks where `.git` is a link to another folder's repository with a monitor (D4)",
    build: async (place) => {
      await committed(place.outside, "a.txt");
      write(
        join(place.outside, ".git/config"),
        `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${monitor(writeTrap(place))}`,
      );
      symlinkSync(join(place.outside, ".git"), join(place.root, ".git"));
      write(join(place.root, "a.txt"), SECRET);
    },
    ask: file("a.txt"),
    expect: "ask",
    springs: LS_FILES,
  },
];

export const HOSTILE_CONFIGURATION: readonly PathCase[] = [
  ...FOR_EACH,
  ...FETCHES,
  ...BARE,
  ...DECOYED,
  ...ELSEWHERE,
];
