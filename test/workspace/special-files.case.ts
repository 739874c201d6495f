/** What isn't a plain file, and the repository's own folder. */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  directory,
  file,
  makeRepository,
  type PathCase,
  type Place,
  run,
  SECRET,
  tracked,
  write,
} from "./path-case.ts";

/** Puts something else where the tracked `a` was. */
const replaced = (put: (path: string, place: Place) => void | Promise<void>): PathCase["build"] => {
  return async (place) => {
    await tracked(place.root, "a", "b.txt");
    rmSync(join(place.root, "a"));
    await put(join(place.root, "a"), place);
  };
};

/** A socket that its listener left behind. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(`${path}.old`, listening));
  renameSync(`${path}.old`, path);
  await new Promise((closed) => server.close(closed));
}

const REPLACED: PathCase[] = [
  {
    title: "asks for a tracked file that a pipe replaced, and doesn't wait for it (D4)",
    build: replaced((path) => run("mkfifo", path)),
    ask: file("a"),
    expect: "ask",
    reason: "special-file",
  },
  {
    title: "asks for a new pipe (D4)",
    build: async ({ root }) => {
      makeRepository(root);
      await run("mkfifo", join(root, "pipe"));
    },
    ask: file("pipe"),
    expect: "ask",
    reason: "special-file",
  },
  {
    title: "asks for a pipe as a folder (D4)",
    build: replaced((path) => run("mkfifo", path)),
    ask: directory("a"),
    expect: "ask",
  },
  {
    title: "asks for a link to a pipe (D4)",
    build: replaced(async (path) => {
      await run("mkfifo", `${path}-pipe`);
      symlinkSync("a-pipe", path);
    }),
    ask: file("a"),
    expect: "ask",
    reason: "special-file",
  },
  {
    title: "asks for a tracked file that a socket replaced (D4)",
    build: replaced((path) => leaveSocket(path)),
    ask: file("a"),
    expect: "ask",
    reason: "special-file",
  },
  {
    title: "asks for a tracked file that a device replaced (D4)",
    build: replaced((path) => run("mknod", path, "c", "1", "5")),
    ask: file("a"),
    expect: "ask",
    reason: "special-file",
    needsRoot: true,
  },
  {
    title: "asks for a tracked file that a folder replaced (D4)",
    build: replaced((path) => write(join(path, "secret"), SECRET.slice(0, 6))),
    ask: file("a"),
    expect: "ask",
    reason: "wrong-kind",
  },
  {
    title: "searches past pipes, sockets and links, and waits for none (D4)",
    build: replaced(async (path, { root }) => {
      await run("mkfifo", path);
      await run("mkfifo", join(root, "new"));
      await leaveSocket(join(root, "socket"));
      symlinkSync("/dev/zero", join(root, "zero"));
    }),
    ask: directory("."),
    expect: "allow",
  },
  {
    title: "lets a file be read beside pipes (D1)",
    build: replaced(async (path, { root }) => {
      await run("mkfifo", path);
      await run("mkfifo", join(root, "new"));
    }),
    ask: file("b.txt"),
    expect: "allow",
  },
];

const withSecret = async ({ root }: Place): Promise<void> => {
  await tracked(root, "a.txt", "n/a.txt");
  write(
    join(root, ".git/config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "o"]\n\turl = ${SECRET}\n`,
  );
};

const GIT_FOLDERS: PathCase[] = [
  ...[".git/config", ".git/HEAD", "n/../.git/config", "./.git//config", ".git/info/../config"].map(
    (path): PathCase => ({
      title: `asks for ${path} (D4)`,
      build: withSecret,
      ask: file(path),
      expect: "ask",
      reason: "git-folder",
    }),
  ),
  ...[".git", ".git/", ".git/refs", ".git/objects"].map(
    (path): PathCase => ({
      title: `asks for the folder ${path} (D4)`,
      build: withSecret,
      ask: directory(path),
      expect: "ask",
      reason: "git-folder",
    }),
  ),
  ...[".GIT", ".Git", "n/.gIT", "n/.git"].flatMap((name): PathCase[] => [
    {
      title: `asks for a file in ${name}, whatever the case (D4)`,
      build: async (place) => {
        await withSecret(place);
        write(join(place.root, name, "config"), SECRET);
      },
      ask: file(`${name}/config`),
      expect: "ask",
      reason: "git-folder",
    },
    {
      title: `asks for the folder ${name}, whatever the case (D4)`,
      build: async (place) => {
        await withSecret(place);
        write(join(place.root, name, "config"), SECRET);
      },
      ask: directory(name),
      expect: "ask",
      reason: "git-folder",
    },
    {
      title: `asks for the file ${name} (D4)`,
      build: async (place) => {
        await withSecret(place);
        write(join(place.root, name), SECRET);
      },
      ask: file(name),
      expect: "ask",
      reason: "git-folder",
    },
  ]),
  {
    title: "asks where the root itself lies in a repository's own folder (D4)",
    build: withSecret,
    ask: ({ root }) => ({ ...file("config"), root: join(root, ".git") }),
    expect: "ask",
  },
  {
    title: "asks where the root is the folder of hooks (D4)",
    build: async (place) => {
      await withSecret(place);
      write(join(place.root, ".git/hooks/pre-commit"), SECRET);
    },
    ask: ({ root }) => ({ ...directory("."), root: join(root, ".git/hooks") }),
    expect: "ask",
  },
  {
    title: "asks for the folder of a root that is a repository's own (D4)",
    build: withSecret,
    ask: ({ root }) => ({ ...directory("refs"), root: join(root, ".git") }),
    expect: "ask",
  },
  ...[".gitignore", ".gitattributes", ".github/a", "a.git", "git", ".gitx", "x.git/a"].map(
    (name): PathCase => ({
      title: `lets ${name} be read, which is no folder of git's (D1)`,
      build: ({ root }) => tracked(root, name),
      ask: file(name),
      expect: "allow",
    }),
  ),
];

const CLOSED: PathCase[] = [
  {
    title: "lets a tracked file be read in a folder that can't be written (D1)",
    build: async ({ root }) => {
      await tracked(root, "d/a.txt");
      chmodSync(join(root, "d"), 0o555);
    },
    ask: file("d/a.txt"),
    expect: "allow",
  },
  {
    title: "lets a file be read of a repository that can't be written (D1)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      for (const name of ["objects", "refs", "."]) chmodSync(join(root, ".git", name), 0o555);
    },
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "lets a file be read while another git holds the index (D1)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      write(join(root, ".git/index.lock"), "");
    },
    ask: file("a.txt"),
    expect: "allow",
  },
  {
    title: "asks for a folder with an empty `.git` in it (D4)",
    build: async ({ root }) => {
      await tracked(root, "a.txt");
      mkdirSync(join(root, "n/.git"), { recursive: true });
      write(join(root, "n/secret"), SECRET);
    },
    ask: directory("n"),
    expect: "ask",
    reason: "nested-repository",
  },
];

export const SPECIAL_FILES: readonly PathCase[] = [...REPLACED, ...GIT_FOLDERS, ...CLOSED];
