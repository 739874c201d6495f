/** What the process inherits: git sets some of it for its hooks, and anybody may set the rest. */
import { join } from "node:path";
import {
  committed,
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

/** The root's repository ignores `key` and `KEY`; another one tracks them, and has a monitor. */
async function build(place: Place): Promise<void> {
  const { root, outside } = place;
  await committed(root, "a.txt", "sub/a.txt");
  write(join(root, ".gitignore"), "[kK][eE][yY]");
  for (const name of ["key", "sub/KEY"]) write(join(root, name), SECRET);
  await committed(outside, "key", "a.txt", "sub/KEY");
  const trap = writeTrap(place);
  write(
    join(outside, ".git/config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ${trap}`,
  );
  write(join(place.base, "global"), `[core]\n\texcludesFile = /dev/null\n\tfsmonitor = ${trap}`);
  for (const name of ["git-ls-files", "git-check-ignore", "git-rev-parse", "git"]) {
    writeProgram(join(place.base, "programs", name), `: >> '${place.marker}'`);
  }
}

type Environment = (place: Place) => Record<string, string>;

const INHERITED: readonly (readonly [string, Environment])[] = [
  ["GIT_DIR", ({ outside }) => ({ GIT_DIR: join(outside, ".git") })],
  ["GIT_DIR that isn't there", ({ base }) => ({ GIT_DIR: join(base, "nowhere") })],
  [
    "GIT_DIR and GIT_WORK_TREE",
    ({ root, outside }) => ({ GIT_DIR: join(outside, ".git"), GIT_WORK_TREE: root }),
  ],
  ["GIT_WORK_TREE", ({ outside }) => ({ GIT_WORK_TREE: outside })],
  ["GIT_INDEX_FILE", ({ outside }) => ({ GIT_INDEX_FILE: join(outside, ".git/index") })],
  ["GIT_INDEX_FILE that isn't there", ({ base }) => ({ GIT_INDEX_FILE: join(base, "nowhere") })],
  ["GIT_OBJECT_DIRECTORY", ({ base }) => ({ GIT_OBJECT_DIRECTORY: join(base, "nowhere") })],
  ["GIT_COMMON_DIR", ({ outside }) => ({ GIT_COMMON_DIR: join(outside, ".git") })],
  ["GIT_CEILING_DIRECTORIES", ({ root, base }) => ({ GIT_CEILING_DIRECTORIES: `${base}:${root}` })],
  ["GIT_ICASE_PATHSPECS", () => ({ GIT_ICASE_PATHSPECS: "1" })],
  ["GIT_LITERAL_PATHSPECS", () => ({ GIT_LITERAL_PATHSPECS: "1" })],
  ["GIT_LITERAL_PATHSPECS turned off", () => ({ GIT_LITERAL_PATHSPECS: "0" })],
  [
    "GIT_GLOB_PATHSPECS and GIT_NOGLOB_PATHSPECS",
    () => ({ GIT_GLOB_PATHSPECS: "1", GIT_NOGLOB_PATHSPECS: "1" }),
  ],
  [
    "GIT_CONFIG_COUNT",
    ({ base }) => ({
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: join(base, "trap"),
      GIT_CONFIG_KEY_1: "core.worktree",
      GIT_CONFIG_VALUE_1: join(base, "outside"),
    }),
  ],
  ["GIT_CONFIG_COUNT without the rest", () => ({ GIT_CONFIG_COUNT: "3" })],
  [
    "GIT_CONFIG_PARAMETERS",
    ({ base }) => ({
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${base}/trap' 'core.excludesFile'='/dev/null' 'core.bare'='true'`,
    }),
  ],
  [
    "GIT_CONFIG_GLOBAL and GIT_CONFIG_SYSTEM",
    ({ base }) => ({ GIT_CONFIG_GLOBAL: join(base, "global"), GIT_CONFIG_SYSTEM: join(base, "global") }),
  ],
  ["GIT_EXEC_PATH", ({ base }) => ({ GIT_EXEC_PATH: join(base, "programs") })],
  [
    "programs for git to start",
    ({ base }) => {
      const trap = join(base, "trap");
      const names = [
        "GIT_PAGER",
        "PAGER",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_EXTERNAL_DIFF",
        "GIT_EDITOR",
      ];
      return Object.fromEntries(names.map((name) => [name, trap]));
    },
  ],
  [
    "files for git's traces",
    ({ marker }) => {
      const names = [
        "GIT_TRACE",
        "GIT_TRACE_SETUP",
        "GIT_TRACE_PERFORMANCE",
        "GIT_TRACE2",
        "GIT_TRACE2_EVENT",
      ];
      return Object.fromEntries([...names, "GIT_TRACE2_PERF"].map((name) => [name, marker]));
    },
  ],
  ["GIT_TRACE to the terminal", () => ({ GIT_TRACE: "1", GIT_TRACE2: "2", GIT_CURL_VERBOSE: "1" })],
  ["GIT_NAMESPACE and GIT_PREFIX", () => ({ GIT_NAMESPACE: "n", GIT_PREFIX: "sub/" })],
  ["GIT_DEFAULT_HASH and GIT_ATTR_SOURCE", () => ({ GIT_DEFAULT_HASH: "sha256", GIT_ATTR_SOURCE: "main" })],
  ["GIT_TEST_ASSUME_DIFFERENT_OWNER", () => ({ GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" })],
  ["GIT_OPTIONAL_LOCKS and GIT_FLUSH", () => ({ GIT_OPTIONAL_LOCKS: "1", GIT_FLUSH: "1" })],
  ["another language", () => ({ LC_ALL: "de_DE.UTF-8", LANGUAGE: "de", LANG: "C" })],
];

const FOR_EACH = INHERITED.flatMap(([what, environment]): PathCase[] => [
  {
    title: `asks for an ignored file whatever it inherits: ${what} (D4)`,
    build,
    ask: file("sub/KEY"),
    environment,
    expect: "ask",
    reason: "ignored",
  },
  {
    title: `lets a tracked file be read whatever it inherits: ${what} (D4)`,
    build,
    ask: file("sub/a.txt"),
    environment,
    expect: "allow",
  },
]);

const WITHOUT_REPOSITORY: PathCase[] = [
  {
    title: "asks without a repository though GIT_DIR and GIT_WORK_TREE name one (D4)",
    build: async ({ root, outside }) => {
      await committed(outside, "key");
      write(join(root, "key"), SECRET);
    },
    ask: file("key"),
    environment: ({ root, outside }) => ({ GIT_DIR: join(outside, ".git"), GIT_WORK_TREE: root }),
    expect: "ask",
    reason: "not-a-repository",
  },
  {
    title: "asks for somebody else's repository though the environment trusts it (D4)",
    build: async ({ root }) => {
      makeRepository(root);
      write(join(root, "key"), SECRET);
      await track(root, "key");
      await git(root, "config", "core.worktree", "/");
    },
    ask: file("key"),
    environment: ({ root }) => ({
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.worktree",
      GIT_CONFIG_VALUE_0: root,
    }),
    expect: "ask",
  },
];

const RIPGREP: PathCase[] = [
  ["--no-ignore", "--hidden", "--follow"],
  ["--pre=TRAP"],
  ["--search-zip", "--pre=TRAP", "--pre-glob=*"],
  ["--hostname-bin=TRAP", "--hyperlink-format=default"],
].map(
  (lines): PathCase => ({
    title: `searches as ever where the person's configuration of ripgrep has ${lines.join(" and ")} (D4)`,
    build: async (place) => {
      await build(place);
      const trap = join(place.base, "trap");
      write(join(place.base, "ripgreprc"), lines.join("\n").replaceAll("TRAP", trap));
    },
    ask: file("a.txt"),
    environment: ({ base }) => ({ RIPGREP_CONFIG_PATH: join(base, "ripgreprc") }),
    expect: "allow",
  }),
);

export const ENVIRONMENT: readonly PathCase[] = [...FOR_EACH, ...WITHOUT_REPOSITORY, ...RIPGREP];
