/** What lies outside of the working directory, and what the system offers as files. */
import { join } from "node:path";
import { buildLink, buildTree } from "./linked-tree.ts";
import {
  directory,
  file,
  git,
  makeRepository,
  type PathCase,
  SECRET,
  track,
  tracked,
  write,
} from "./path-case.ts";

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
  { title: `asks for ${path} (D1)`, build: buildTree, ask: file(path), expect: "ask" },
  {
    title: `asks for a tracked link to ${path} (D1)`,
    build: buildLink("link", path),
    ask: file("link"),
    expect: "ask",
  },
]);

const BESIDE: PathCase[] = [
  {
    title: "asks for a file outside by its absolute path (D1)",
    build: buildTree,
    ask: ({ outside }) => file(join(outside, "secret")),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file outside by dots (D1)",
    build: buildTree,
    ask: file("../outside/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file outside by dots behind a folder (D1)",
    build: buildTree,
    ask: file("sub/../../outside/secret"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for the folder above (D1)",
    build: buildTree,
    ask: directory(".."),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for the top of the file system (D1)",
    build: buildTree,
    ask: directory("/"),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a folder beside whose name begins as the root's does (D1)",
    build: async (place) => {
      await buildTree(place);
      await tracked(`${place.root}-evil`, "secret");
    },
    ask: ({ root }) => directory(`${root}-evil`),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for a file of a repository beside whose name begins as the root's does (D1)",
    build: async (place) => {
      await buildTree(place);
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
      await buildTree(place);
      write(join(place.root, "top"), SECRET);
      await git(place.root, "add", "top");
    },
    ask: ({ root }) => ({ ...file("../top"), root: join(root, "sub") }),
    expect: "ask",
    reason: "outside",
  },
  {
    title: "asks for what lies outside even where it isn't there (D1)",
    build: buildTree,
    ask: file("../outside/missing"),
    expect: "ask",
  },
];

export const OUTSIDE: readonly PathCase[] = [...SYSTEM, ...BESIDE];
