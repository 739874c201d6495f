/** Links: what counts is what the kernel would open. */
import { linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { buildLink, buildTree } from "./linked-tree.ts";
import { directory, file, type PathCase, SECRET, track, tracked, write } from "./path-case.ts";

const ESCAPES: PathCase[] = [
  {
    title: "asks for a tracked link to a file outside (D1, D4)",
    build: buildLink("link", ({ outside }) => join(outside, "secret")),
    ask: file("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked link that goes up and out (D1, D4)",
    build: buildLink("link", "../outside/secret"),
    ask: file("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file below a tracked link to a folder outside (D1, D4)",
    build: buildLink("link", "../outside"),
    ask: file("link/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked link to a folder outside as a folder (D1, D4)",
    build: buildLink("link", "../outside"),
    ask: directory("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a link to the folder above (D1, D4)",
    build: buildLink("link", ".."),
    ask: directory("link"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a tracked link to an ignored file (D1, D4)",
    build: buildLink("link", ".env"),
    ask: file("link"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a file below a tracked link to an ignored folder (D1, D4)",
    build: buildLink("link", "shut"),
    ask: file("link/a.txt"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a tracked link to an ignored folder as a folder (D1, D4)",
    build: buildLink("link", "shut"),
    ask: directory("link"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a tracked link into the repository's own folder (D4)",
    build: buildLink("link", ".git/config"),
    ask: file("link"),
    expect: "ask",
    reason: "git-folder",
  },
  {
    title: "asks for a tracked link to the repository's own folder (D4)",
    build: buildLink("link", ".git"),
    ask: directory("link"),
    expect: "ask",
    reason: "git-folder",
  },
  {
    title: "asks for a chain of links that ends outside (D4)",
    build: async (place) => {
      await buildLink("one", "two")(place);
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
      await buildLink("one", "sub/two")(place);
      symlinkSync("../.env", join(place.root, "sub/two"));
    },
    ask: file("one"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a link to itself (D4)",
    build: buildLink("link", "link"),
    ask: file("link"),
    expect: "ask",
  },
  {
    title: "asks for a circle of links (D4)",
    build: async (place) => {
      await buildLink("one", "two")(place);
      symlinkSync("one", join(place.root, "two"));
    },
    ask: file("one"),
    expect: "ask",
  },
  {
    title: "asks for a link to nothing (D4)",
    build: buildLink("link", "nothing"),
    ask: file("link"),
    expect: "ask",
  },
];

const REPLACED: PathCase[] = [
  {
    title: "asks for a tracked file that a link to an ignored one replaced (D4)",
    build: async (place) => {
      await buildTree(place);
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
      await buildTree(place);
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
      await buildTree(place);
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
      await buildTree(place);
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
      await buildTree(place);
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
      await buildTree(place);
      linkSync(join(place.outside, "secret"), join(place.root, "new"));
    },
    ask: file("new"),
    expect: "ask",
    reason: "several-links",
  },
  {
    title: "asks for a tracked file with a second name, wherever that is (D4)",
    build: async (place) => {
      await buildTree(place);
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
      await buildLink("dl", "../outside/sub")(place);
      write(join(place.root, "secret"), "open-words-7f3a");
    },
    ask: file("dl/../secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for an absolute way up from a linked folder (D4)",
    build: async (place) => {
      await buildLink("dl", "../outside/sub")(place);
      write(join(place.root, "secret"), "open-words-7f3a");
    },
    ask: ({ root }) => file(`${root}/dl/../secret`),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "follows a way up from a linked folder inside to where the kernel goes (D4)",
    build: buildLink("dl", "sub/deep"),
    ask: file("dl/../a.txt"),
    expect: "allow",
  },
  {
    title: "asks for a way up from a linked folder that ends in an ignored one (D4)",
    build: async (place) => {
      await buildTree(place);
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
    build: buildLink("link", "sub/a.txt"),
    ask: file("link"),
    expect: "allow",
  },
  {
    title: "lets a file be read below a link to a folder (D4)",
    build: buildLink("link", "sub"),
    ask: file("link/deep/b.txt"),
    expect: "allow",
  },
  {
    title: "lets a link to a folder be listed (D4)",
    build: buildLink("link", "sub"),
    ask: directory("link"),
    expect: "allow",
  },
  {
    title: "lets an absolute link to a tracked file be read (D4)",
    build: buildLink("link", ({ root }) => join(root, "a.txt")),
    ask: file("link"),
    expect: "allow",
  },
  {
    title: "lets a tracked file be read by an ignored link (D4)",
    build: async (place) => {
      await buildTree(place);
      symlinkSync("../a.txt", join(place.root, "shut/link"));
    },
    ask: file("shut/link"),
    expect: "allow",
  },
  {
    title: "lets the root be listed by a link to it (D4)",
    build: buildLink("sub/up", ".."),
    ask: directory("sub/up"),
    expect: "allow",
  },
  {
    title: "finds nothing by links when it searches (D4)",
    build: async (place) => {
      await buildLink("out", "../outside")(place);
      symlinkSync(".env", join(place.root, "env"));
      symlinkSync("../outside/secret", join(place.root, "sub/secret"));
      await track(place.root, "env", "sub/secret");
    },
    ask: directory("."),
    expect: "allow",
  },
];

export const LINKS: readonly PathCase[] = [...ESCAPES, ...REPLACED, ...DOTS, ...INSIDE];
