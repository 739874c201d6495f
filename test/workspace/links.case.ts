/** Links: what counts is what the kernel would open. */
import { linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
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

/** A repository with a tracked file, an ignored one, and a secret outside. */
async function build({ root, outside }: Place): Promise<void> {
  ignored(root, ["shut/", ".env"], ".env", "shut/secret", "shut/a.txt");
  for (const name of ["a.txt", "sub/a.txt", "sub/deep/b.txt"]) write(join(root, name));
  await track(root, "a.txt", "sub/a.txt", "sub/deep/b.txt");
  for (const name of ["secret", "a.txt", "sub/secret"]) write(join(outside, name), SECRET);
}

/** A link in that repository, tracked itself. */
function link(name: string, to: string | ((place: Place) => string)): PathCase["build"] {
  return async (place) => {
    await build(place);
    symlinkSync(typeof to === "string" ? to : to(place), join(place.root, name));
    await track(place.root, name);
  };
}

const ESCAPES: PathCase[] = [
  {
    title: "asks for a tracked link to a file outside (D1, D4)",
    build: link("link", ({ outside }) => join(outside, "secret")),
    ask: file("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked link that goes up and out (D1, D4)",
    build: link("link", "../outside/secret"),
    ask: file("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file below a tracked link to a folder outside (D1, D4)",
    build: link("link", "../outside"),
    ask: file("link/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked link to a folder outside as a folder (D1, D4)",
    build: link("link", "../outside"),
    ask: directory("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a link to the folder above (D1, D4)",
    build: link("link", ".."),
    ask: directory("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked link to an ignored file (D1, D4)",
    build: link("link", ".env"),
    ask: file("link"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a file below a tracked link to an ignored folder (D1, D4)",
    build: link("link", "shut"),
    ask: file("link/a.txt"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a tracked link to an ignored folder as a folder (D1, D4)",
    build: link("link", "shut"),
    ask: directory("link"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a tracked link into the repository's own folder (D4)",
    build: link("link", ".git/config"),
    ask: file("link"),
    expect: "ask",
    reason: "git-folder",
  },
  {
    title: "asks for a tracked link to the repository's own folder (D4)",
    build: link("link", ".git"),
    ask: directory("link"),
    expect: "ask",
    reason: "git-folder",
  },
  {
    title: "asks for a chain of links that ends outside (D4)",
    build: async (place) => {
      await link("one", "two")(place);
      symlinkSync("sub/three", join(place.root, "two"));
      symlinkSync("../../outside/secret", join(place.root, "sub/three"));
    },
    ask: file("one"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a chain of links that ends at an ignored file (D4)",
    build: async (place) => {
      await link("one", "sub/two")(place);
      symlinkSync("../.env", join(place.root, "sub/two"));
    },
    ask: file("one"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a link to itself (D4)",
    build: link("link", "link"),
    ask: file("link"),
    expect: "ask",
  },
  {
    title: "asks for a circle of links (D4)",
    build: async (place) => {
      await link("one", "two")(place);
      symlinkSync("one", join(place.root, "two"));
    },
    ask: file("one"),
    expect: "ask",
  },
  {
    title: "asks for a link to nothing (D4)",
    build: link("link", "nothing"),
    ask: file("link"),
    expect: "ask",
  },
];

const REPLACED: PathCase[] = [
  {
    title: "asks for a tracked file that a link to an ignored one replaced (D4)",
    build: async (place) => {
      await build(place);
      rmSync(join(place.root, "a.txt"));
      symlinkSync(".env", join(place.root, "a.txt"));
    },
    ask: file("a.txt"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a tracked file that a link to the outside replaced (D4)",
    build: async (place) => {
      await build(place);
      rmSync(join(place.root, "a.txt"));
      symlinkSync("../outside/secret", join(place.root, "a.txt"));
    },
    ask: file("a.txt"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked file whose folder a link to an ignored one replaced (D4)",
    build: async (place) => {
      await build(place);
      rmSync(join(place.root, "sub"), { recursive: true });
      symlinkSync("shut", join(place.root, "sub"));
    },
    ask: file("sub/a.txt"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a tracked file whose folder a link to the outside replaced (D4)",
    build: async (place) => {
      await build(place);
      rmSync(join(place.root, "sub"), { recursive: true });
      symlinkSync("../outside", join(place.root, "sub"));
    },
    ask: file("sub/a.txt"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked file that a second name of an ignored one replaced (D4)",
    build: async (place) => {
      await build(place);
      rmSync(join(place.root, "a.txt"));
      linkSync(join(place.root, ".env"), join(place.root, "a.txt"));
    },
    ask: file("a.txt"),
    expect: "ask",
    reason: "several-links",
  },
  {
    title: "asks for a new file that is a second name of one outside (D4)",
    build: async (place) => {
      await build(place);
      linkSync(join(place.outside, "secret"), join(place.root, "new"));
    },
    ask: file("new"),
    expect: "ask",
    reason: "several-links",
  },
  {
    title: "asks for a tracked file with a second name, wherever that is (D4)",
    build: async (place) => {
      await build(place);
      linkSync(join(place.root, "a.txt"), join(place.root, "same.txt"));
    },
    ask: file("a.txt"),
    expect: "ask",
    reason: "several-links",
  },
];

const DOTS: PathCase[] = [
  {
    title: "asks for a way up from a linked folder, which isn't the way back (D4)",
    build: async (place) => {
      await link("dl", "../outside/sub")(place);
      write(join(place.root, "secret"), "open-words-7f3a");
    },
    ask: file("dl/../secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for an absolute way up from a linked folder (D4)",
    build: async (place) => {
      await link("dl", "../outside/sub")(place);
      write(join(place.root, "secret"), "open-words-7f3a");
    },
    ask: ({ root }) => file(`${root}/dl/../secret`),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "follows a way up from a linked folder inside to where the kernel goes (D4)",
    build: link("dl", "sub/deep"),
    ask: file("dl/../a.txt"),
    expect: "allow",
  },
  {
    title: "asks for a way up from a linked folder that ends in an ignored one (D4)",
    build: async (place) => {
      await build(place);
      mkdirSync(join(place.root, "shut/in"));
      symlinkSync("shut/in", join(place.root, "dl"));
    },
    ask: file("dl/../a.txt"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks where dots lead out of a root that is a link (D4)",
    build: async (place) => {
      await tracked(join(place.base, "real/work"), "a.txt");
      write(join(place.base, "real/secret"), SECRET);
      write(join(place.base, "secret"));
      symlinkSync("real/work", join(place.base, "linked"));
    },
    ask: ({ base }) => ({ ...file("../secret"), root: join(base, "linked") }),
    expect: "ask",
    reason: "outside",
  },
];

const INSIDE: PathCase[] = [
  {
    title: "lets a link to a tracked file be read (D4)",
    build: link("link", "sub/a.txt"),
    ask: file("link"),
    expect: "allow",
  },
  {
    title: "lets a file be read below a link to a folder (D4)",
    build: link("link", "sub"),
    ask: file("link/deep/b.txt"),
    expect: "allow",
  },
  {
    title: "lets a link to a folder be listed (D4)",
    build: link("link", "sub"),
    ask: directory("link"),
    expect: "allow",
  },
  {
    title: "lets an absolute link to a tracked file be read (D4)",
    build: link("link", ({ root }) => join(root, "a.txt")),
    ask: file("link"),
    expect: "allow",
  },
  {
    title: "lets a tracked file be read by an ignored link (D4)",
    build: async (place) => {
      await build(place);
      symlinkSync("../a.txt", join(place.root, "shut/link"));
    },
    ask: file("shut/link"),
    expect: "allow",
  },
  {
    title: "lets the root be listed by a link to it (D4)",
    build: link("sub/up", ".."),
    ask: directory("sub/up"),
    expect: "allow",
  },
  {
    title: "finds nothing by links when it searches (D4)",
    build: async (place) => {
      await link("out", "../outside")(place);
      symlinkSync(".env", join(place.root, "env"));
      symlinkSync("../outside/secret", join(place.root, "sub/secret"));
      await track(place.root, "env", "sub/secret");
    },
    ask: directory("."),
    expect: "allow",
  },
];

const SYSTEM = [
  "/proc/self/environ",
  "/proc/self/cmdline",
  "/proc/self/mem",
  "/proc/self/cwd/package.json",
  "/dev/stdin",
  "/dev/fd/0",
  "/dev/zero",
  "/dev/null",
  "/etc/passwd",
].flatMap((path): PathCase[] => [
  { title: `asks for ${path} (D1)`, build, ask: file(path), expect: "ask" },
  {
    title: `asks for a tracked link to ${path} (D1)`,
    build: link("link", path),
    ask: file("link"),
    expect: "ask",
  },
]);

const OUTSIDE: PathCase[] = [
  {
    title: "asks for a file outside by its absolute path (D1)",
    build,
    ask: ({ outside }) => file(join(outside, "secret")),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file outside by dots (D1)",
    build,
    ask: file("../outside/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file outside by dots behind a folder (D1)",
    build,
    ask: file("sub/../../outside/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for the folder above (D1)",
    build,
    ask: directory(".."),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for the top of the file system (D1)",
    build,
    ask: directory("/"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a folder beside whose name begins as the root's does (D1)",
    build: async (place) => {
      await build(place);
      await tracked(`${place.root}-evil`, "secret");
    },
    ask: ({ root }) => directory(`${root}-evil`),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file of a repository beside whose name begins as the root's does (D1)",
    build: async (place) => {
      await build(place);
      makeRepository(`${place.root}-evil`);
      write(`${place.root}-evil/secret`, SECRET);
      await track(`${place.root}-evil`, "secret");
    },
    ask: file("../work-evil/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked file of the same repository above the root (D1)",
    build: async (place) => {
      await build(place);
      write(join(place.root, "top"), SECRET);
      await git(place.root, "add", "top");
    },
    ask: ({ root }) => ({ ...file("../top"), root: join(root, "sub") }),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for what lies outside even where it isn't there (D1)",
    build,
    ask: file("../outside/missing"),
    expect: "ask",
  },
];

export const LINKS: readonly PathCase[] = [
  ...[ESCAPES, REPLACED, DOTS].flat(),
  ...[INSIDE, SYSTEM, OUTSIDE].flat(),
];
