/** No repository, a broken one; no git, a planted one, one that lies or hangs. In doubt a person is asked. */
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  committed,
  directory,
  file,
  GIT_ENVIRONMENT,
  git,
  OPEN,
  type PathCase,
  type Place,
  run,
  SECRET,
  tracked,
  write,
  writeProgram,
} from "./path-case.ts";

const KINDS = [file("sub/key"), directory("sub")];

/** A file and a folder that a healthy git would let pass. */
function healthy(then: (git: string, place: Place) => void | Promise<void>, key = SECRET): PathCase["build"] {
  return async (place) => {
    await committed(place.root, "a.txt", "sub/b.txt");
    write(join(place.root, "sub/key"), key);
    await then(join(place.root, ".git"), place);
  };
}

const NONE: PathCase[] = [...KINDS, directory("."), file("a.txt")].map((ask) => ({
  title: `asks for the ${ask.kind} ${ask.path} where there is no repository (D4)`,
  build: ({ root }) => {
    write(join(root, "sub/key"), SECRET);
    write(join(root, "a.txt"), SECRET);
  },
  ask,
  expect: "ask",
  reason: "not-a-repository",
}));

const BROKEN = (
  [
    ["an index that is no index", (path) => write(join(path, "index"), "no index")],
    ["an index that is cut", (path) => truncateSync(join(path, "index"), 20)],
    ["an empty index", (path) => writeFileSync(join(path, "index"), "")],
    [
      "an index that is a folder",
      (path) => {
        rmSync(join(path, "index"));
        mkdirSync(join(path, "index"));
      },
    ],
    ["a configuration that can't be read", (path) => write(join(path, "config"), "[core\n\tbare =")],
    [
      "a version that nobody knows",
      (path) => write(join(path, "config"), "[core]\n\trepositoryformatversion = 9"),
    ],
    [
      "an extension that nobody knows",
      (path) =>
        write(join(path, "config"), "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnobody = 1"),
    ],
    ["no HEAD", (path) => rmSync(join(path, "HEAD"))],
    ["a HEAD that says nothing", (path) => write(join(path, "HEAD"), "nothing")],
    ["no objects", (path) => rmSync(join(path, "objects"), { recursive: true })],
    ["no refs", (path) => rmSync(join(path, "refs"), { recursive: true })],
    [
      "nothing in its folder",
      (path) => {
        rmSync(path, { recursive: true });
        mkdirSync(path);
      },
    ],
    [
      "a file that leads nowhere",
      (path) => {
        rmSync(path, { recursive: true });
        write(path, "gitdir: ../nowhere");
      },
    ],
    [
      "a file that says nothing",
      (path) => {
        rmSync(path, { recursive: true });
        write(path, "");
      },
    ],
    [
      "a link to itself",
      (path) => {
        rmSync(path, { recursive: true });
        symlinkSync(".git", path);
      },
    ],
  ] as [string, (path: string, place: Place) => void][]
).flatMap(([what, breakIt]): PathCase[] => [
  ...KINDS.map(
    (ask): PathCase => ({
      title: `asks for a ${ask.kind} where the repository has ${what} (D4)`,
      build: healthy(breakIt),
      ask,
      expect: "ask",
    }),
  ),
  {
    title: `asks where the repository has ${what}, whatever one around it says (D4)`,
    build: async (place) => {
      await tracked(place.base, "base.txt");
      await healthy(breakIt)(place);
    },
    ask: file("sub/key"),
    expect: "ask",
  },
]);

const WAITING: PathCase[] = (
  [
    ["index", (path) => join(path, "index")],
    ["configuration", (path) => join(path, "config")],
    ["exclude file", (path) => join(path, "info/exclude")],
    ["HEAD", (path) => join(path, "HEAD")],
  ] as [string, (path: string) => string][]
).map(([what, where]) => ({
  title: `asks, and doesn't wait for ever, where the repository's ${what} is a pipe (D4)`,
  build: healthy(async (path) => {
    rmSync(where(path), { force: true });
    await run("mkfifo", where(path));
  }),
  ask: file("sub/key"),
  expect: "ask",
}));

const ENDLESS: PathCase[] = ["excludesFile", "include"].flatMap((what) =>
  ["pipe", "/dev/zero", "."].map((path) => ({
    title: `asks, and doesn't wait for ever, where the configuration names ${path} as ${what} (D4)`,
    build: healthy(async (git, { root, base }) => {
      await run("mkfifo", join(base, "pipe"));
      const named = path === "pipe" ? join(base, "pipe") : path;
      const lines = what === "include" ? `[include]\n\tpath = ${named}` : `\texcludesFile = ${named}`;
      write(join(git, "config"), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${lines}`);
      write(join(root, ".gitignore"), "sub/key");
    }),
    ask: file("sub/key"),
    expect: "ask",
  })),
);

const PLAIN = GIT_ENVIRONMENT.PATH;

/** Programs that say whatever they please under git's name, in a folder of the place. */
function planted(folder: (place: Place) => string, key = SECRET): PathCase["build"] {
  return healthy((_, place) => {
    const say = "printf 'sub/key\\0'; exit 0";
    const program = writeProgram(join(folder(place), "git"), `: >> '${place.marker}'`, say);
    if (folder(place).endsWith("linked")) symlinkSync(program, join(place.base, "git"));
  }, key);
}

const PLANTED: readonly (readonly [string, (place: Place) => string, (place: Place) => string])[] = [
  ["the folder of the process, by a dot", ({ root }) => root, () => "."],
  ["the folder of the process, by an empty entry", ({ root }) => root, () => ""],
  ["a folder that PATH names relative to the process", ({ root }) => join(root, "bin"), () => "bin"],
  [
    "a folder above, which PATH names relative to the process",
    ({ base }) => join(base, "bin"),
    () => "../bin",
  ],
  ["the root", ({ root }) => root, ({ root }) => root],
  ["a folder of the root", ({ root }) => join(root, "bin"), ({ root }) => join(root, "bin")],
  [
    "the root, by dots",
    ({ root }) => join(root, "bin"),
    ({ root, outside }) => `${outside}/../${root.slice(root.lastIndexOf("/") + 1)}/bin`,
  ],
  ["the root, by a link to the program", ({ root }) => join(root, "linked"), ({ base }) => base],
];

const PATHS: PathCase[] = [
  ...PLANTED.flatMap(([what, folder, entry]): PathCase[] => [
    {
      title: `doesn't run a git that lies in ${what}, and asks where there is no other (D4)`,
      build: planted(folder),
      ask: file("sub/key"),
      environment: (place) => ({ PATH: entry(place) }),
      expect: "ask",
      reason: "git-unavailable",
    },
    {
      title: `takes the next git instead of one that lies in ${what} (D4)`,
      build: planted(folder, OPEN),
      ask: file("a.txt"),
      environment: (place) => ({ PATH: [entry(place), PLAIN].join(delimiter) }),
      expect: "allow",
    },
  ]),
  {
    title: "doesn't run a git that lies in the root, by a link to its folder (D4)",
    build: async (place) => {
      await planted(({ root }) => join(root, "bin"))(place);
      symlinkSync(join(place.root, "bin"), join(place.base, "bin"));
    },
    ask: file("sub/key"),
    environment: ({ base }) => ({ PATH: join(base, "bin") }),
    expect: "ask",
    reason: "git-unavailable",
  },
  ...["file", "directory"].flatMap((kind): PathCase[] =>
    (
      [
        ["PATH names no folder with git", ({ base }) => join(base, "nowhere")],
        ["PATH is empty", () => ""],
        ["there is no PATH", () => undefined],
      ] as [string, (place: Place) => string | undefined][]
    ).map(([what, path]) => ({
      title: `asks for a ${kind} where ${what} (D4)`,
      build: healthy(() => {}),
      ask: kind === "file" ? file("a.txt") : directory("sub"),
      environment: (place) => ({ PATH: path(place) }),
      expect: "ask",
      reason: "git-unavailable",
    })),
  ),
  {
    title: "takes the next git where the first can't be run (D4)",
    build: healthy((_, { base }) => {
      write(join(base, "bin/git"), "no program");
      mkdirSync(join(base, "folder/git"), { recursive: true });
    }, OPEN),
    ask: file("a.txt"),
    environment: ({ base }) => ({ PATH: [join(base, "folder"), join(base, "bin"), PLAIN].join(delimiter) }),
    expect: "allow",
  },
];

/** A git of the person's own, first in PATH, that does something else for the questions that matter. */
function wrapped(...instead: string[]): PathCase["build"] {
  return async (place) => {
    await committed(place.root, "a.txt", "sub/b.txt");
    for (const name of ["sub/key", "key/a.txt"]) write(join(place.root, name));
    const which = PLAIN.split(delimiter).map(
      (folder) => `[ -z "$real" ] && [ -x '${folder}/git' ] && real='${folder}/git'`,
    );
    writeProgram(
      join(place.base, "bin/git"),
      ...which,
      `pids='${place.processes}'`,
      'case " $* " in *" ls-files "*|*" check-ignore "*) ;; *) exec "$real" "$@" ;; esac',
      ...instead,
    );
  };
}

/** What a healthy git answers, and how it ends. */
const HONEST = '"$real" "$@"; code=$?;';

const ODD_GITS: readonly (readonly [string, ...string[]])[] = [
  ["answers and fails", `${HONEST} exit 3`],
  ["answers nothing and fails with 2", "exit 2"],
  ["answers nothing and fails with 128", "exit 128"],
  ["answers nothing", "exit 0"],
  ["answers without an end", `${HONEST} exit $code`.replace('"$@"', `"$@" | tr -d '\\000'`)],
  ["answers with a line end", `${HONEST} exit $code`.replace('"$@"', `"$@" | tr '\\000' '\\n'`)],
  ["answers with one more name", `${HONEST} printf '? sub/other\\0'; exit $code`],
  ["answers with another name", "printf '? a.txt\\0'; exit 0"],
  ["answers with the start of the name", "printf '? sub/ke\\0'; exit 0"],
  ["answers with garbage", "printf '\\377\\376\\0\\0\\0garbage'; exit 0"],
  ["answers and is killed", `${HONEST} kill -9 $$`],
  ["answers without an end of answers", `${HONEST} yes; exit $code`],
  ["answers and complains", `${HONEST} echo 'warning: unable to access the rules' >&2; exit $code`],
  ["hangs", 'echo $$ >> "$pids"; exec sleep 600'],
  ["answers and hangs", `echo $$ >> "$pids"; ${HONEST} exec sleep 600`],
  [
    "can't be stopped with a gentle signal",
    "trap '' TERM INT HUP",
    'echo $$ >> "$pids"',
    'sleep 600 & echo $! >> "$pids"; wait; wait',
  ],
];

const ODD: PathCase[] = ODD_GITS.flatMap(([what, ...instead]): PathCase[] =>
  [file("sub/key"), directory("key")].map((ask) => ({
    title: `asks for a ${ask.kind} that nothing ignores where git ${what} (D4)`,
    build: wrapped(...instead),
    ask,
    environment: ({ base }) => ({ PATH: [join(base, "bin"), PLAIN].join(delimiter) }),
    expect: "ask",
  })),
);

const WRAPPED: PathCase[] = [
  {
    title: "takes the whole answer of a git that leaves a program behind, and ends that one (D4)",
    build: wrapped(`sleep 600 & echo $! >> "$pids"; ${HONEST} exit $code`),
    ask: file("a.txt"),
    environment: ({ base }) => ({ PATH: [join(base, "bin"), PLAIN].join(delimiter) }),
    expect: "allow",
  },
  {
    title: "works with a git that the person has wrapped (D4)",
    build: wrapped('exec "$real" "$@"'),
    ask: file("a.txt"),
    environment: ({ base }) => ({ PATH: [join(base, "bin"), PLAIN].join(delimiter) }),
    expect: "allow",
  },
  {
    title: "works with a git that is a link to one elsewhere (D4)",
    build: async (place) => {
      await wrapped('exec "$real" "$@"')(place);
      mkdirSync(join(place.base, "links"));
      symlinkSync(join(place.base, "bin/git"), join(place.base, "links/git"));
      await git(place.root, "status");
    },
    ask: file("a.txt"),
    environment: ({ base }) => ({ PATH: [join(base, "links"), PLAIN].join(delimiter) }),
    expect: "allow",
  },
];

export const BROKEN_GIT: readonly PathCase[] = [
  ...[NONE, BROKEN, WAITING, ENDLESS].flat(),
  ...[PATHS, ODD, WRAPPED].flat(),
];
