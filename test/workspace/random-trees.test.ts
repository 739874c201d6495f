/** Random trees under random rules, each path held against one plain listing of the whole tree by git itself. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPath, searchChecked } from "../../src/providers/workspace/index.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";
import { GIT_ENVIRONMENT, git, makeRepository, track, write } from "./path-case.ts";

const temporary = temporaryFolder();
const NAMES = [
  "a",
  "b",
  "ab",
  "[a]",
  "*",
  "a b",
  "#a",
  "!b",
  "a.log",
  "\u00e9",
  "out",
  ":(top)a",
  "-a",
  "a\\b",
];
const RULES = [
  ...["a", "b", "*.log", "/a", "a/", "out/", "out/*", "**/a", "a/**", "a/**/b", "[ab]", "?", "*", "!*", "!a"],
  ...[
    "!a/",
    "!out/a",
    "\\#a",
    "\\!b",
    "a b",
    "/*/a",
    "!/b",
    "[!a]",
    "\u00e9",
    "a\\\\b",
    "# a",
    "",
    "out",
    "!*.log",
  ],
];

interface Tree {
  readonly root: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

async function grow(seed: number): Promise<Tree> {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const rules = (): string => Array.from({ length: random(4) + 1 }, () => pick(RULES)).join("\n");
  const root = temporary.path(`tree-${seed}`);
  makeRepository(root);
  const folders = new Set<string>();
  const files = new Set<string>();
  for (let n = 0; n < 30; n += 1) {
    const parts = Array.from({ length: random(4) + 1 }, () => pick(NAMES));
    const path = parts.join("/");
    const above = parts.map((_, index) => parts.slice(0, index).join("/")).slice(1);
    if (folders.has(path) || files.has(path) || above.some((folder) => files.has(folder))) continue;
    for (const folder of above) folders.add(folder);
    files.add(path);
    write(join(root, path), `word ${path}`);
  }
  for (const folder of ["", ...folders]) {
    if (folder === "" || random(4) === 0) write(join(root, folder, ".gitignore"), rules());
  }
  write(join(root, ".git/info/exclude"), random(2) === 0 ? rules() : "");
  const forced = [...files].filter(() => random(5) === 0);
  if (forced.length > 0) await track(root, ...forced);
  return { root, files: [...files], folders: [...folders] };
}

/** What plain git lists, and which folders it says are ignored. */
async function oracle({ root, folders }: Tree): Promise<{ listed: Set<string>; shut: Set<string> }> {
  const listed = await git(root, "ls-files", "-z", "-c", "-o", "--exclude-standard");
  const child = spawn("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
    cwd: root,
    env: GIT_ENVIRONMENT,
  });
  child.stdin.end(folders.map((folder) => `./${folder}\0`).join(""));
  let shut = "";
  for await (const part of child.stdout.setEncoding("utf8")) shut += part;
  return {
    listed: new Set(listed.split("\0")),
    shut: new Set(shut.split("\0").map((folder) => folder.replace("./", ""))),
  };
}

describe("the check of paths agrees with git's own listing", () => {
  it.concurrent.each(
    Array.from({ length: 16 }, (_, n) => n + 1),
  )("on all of random tree %d (D1, D4)", async (seed) => {
    const tree = await grow(seed);
    const { root, files, folders } = tree;
    const { listed, shut } = await oracle(tree);
    const wrong: string[] = [];
    for (const path of files) {
      const { effect } = await checkPath({ root, path, kind: "file" });
      if ((effect === "allow") !== listed.has(path)) wrong.push(`${path} is a file: ${effect}`);
    }
    for (const path of folders) {
      const { effect } = await checkPath({ root, path, kind: "directory" });
      if ((effect === "ask") !== shut.has(path)) wrong.push(`${path} is a folder: ${effect}`);
    }
    expect(wrong).toEqual([]);
    const found = await searchChecked({ root, pattern: "^word " });
    if (found.effect !== "allow") throw new Error(`The search asked: ${found.reason}`);
    const texts = found.matches.map(({ text }) => text.trimEnd().replace("word ", ""));
    expect(texts.sort()).toEqual(files.filter((path) => listed.has(path)).sort());
  });
});
