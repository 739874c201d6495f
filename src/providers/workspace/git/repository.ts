/**
 * Finds the repository of a folder without asking git, so that git is asked only there. It ensures that the
 * repository belongs to the folder, and that no other rules apply on the way to a path.
 */
import type { BigIntStats } from "node:fs";
import { access, constants, lstat, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { canonicalPath, fromFolder, isNothingThere, pathWithin } from "../paths/canonical-path.ts";

export interface Repository {
  /** The top folder of its working tree, canonical. */
  readonly top: string;
  /** The git folder: `top/.git`, or the one that this file names. */
  readonly gitFolder: string;
  /**
   * What shows that this working tree belongs to the repository: its place, the repository, or its setting
   * `core.worktree`, if any.
   */
  readonly bond: "place" | "worktree" | "setting";
}

/**
 * The innermost repository around a canonical folder; null if there is none, or if it isn't certainly the folder's
 * own.
 */
export async function findRepository(folder: string): Promise<Repository | null> {
  const found = await typeAt(join(folder, ".git"));
  if (found === "nothing") return dirname(folder) === folder ? null : findRepository(dirname(folder));
  const gitFile = join(folder, ".git");
  if (found === "folder") {
    // A git folder with a `commondir` is a worktree's, whose `.git` is a file.
    const isWhole = (await typeAt(join(gitFile, "commondir"))) === "nothing";
    return isWhole ? { top: folder, gitFolder: gitFile, bond: "place" } : null;
  }
  return found === "file" ? readGitFile(folder, gitFile) : null;
}

// THREAT: a `.git` file may come from an archive and name any repository, whose list of files would then count here.
// So the repository must name this working tree too.
async function readGitFile(top: string, gitFile: string): Promise<Repository | null> {
  try {
    const [, named] = /^gitdir: (.+?)[\r\n]*$/s.exec(await readShort(gitFile)) ?? [];
    if (named === undefined) return null;
    const found = await canonicalPath(fromFolder(top, named));
    if (found.kind !== "found") return null;
    const gitFolder = found.path;
    if ((await typeAt(join(gitFolder, "commondir"))) === "nothing")
      return { top, gitFolder, bond: "setting" };
    const told = (await readShort(join(gitFolder, "gitdir"))).replace(/[\r\n]+$/, "");
    const back = await canonicalPath(fromFolder(gitFolder, told));
    return back.kind === "found" && back.path === gitFile ? { top, gitFolder, bond: "worktree" } : null;
  } catch {
    return null;
  }
}

/** The canonical folder that a repository's worktrees share; null if it can't be determined. */
export async function commonFolderOf({ gitFolder }: Repository): Promise<string | null> {
  const named = await readFile(join(gitFolder, "commondir"), "utf8").catch(() => null);
  if (named === null) return gitFolder;
  const found = await canonicalPath(fromFolder(gitFolder, named.replace(/[\r\n]+$/, "")));
  return found.kind === "found" ? found.path : null;
}

// Names of settings are in one piece, in any letter case; an included file may contain any.
const SETTINGS = /excludesfile|ignorecase|worktree|include/i;

/** Whether the repository's settings may change git's answers; searched in their text, in doubt true. */
export async function mayHaveSettings({ gitFolder, bond }: Repository): Promise<boolean> {
  if (bond !== "place") return true;
  try {
    return SETTINGS.test(await readShort(join(gitFolder, "config")));
  } catch {
    return true;
  }
}

async function readShort(path: string): Promise<string> {
  const found = await stat(path);
  // Reading a pipe would block.
  if (!found.isFile() || found.size > 65_536) throw new Error("It is no short file.");
  return readFile(path, "utf8");
}

/** Why git's rules don't apply in a folder. */
export type Obstacle = "nested-repository" | "unclear-path";

/**
 * Whether a repository's rules apply from its top down to a canonical folder: `null` if so. Another repository on the
 * way has its own rules; an ignore file that git can't or won't read has none.
 */
export async function obstacleOnTheWay({ top }: Repository, folder: string): Promise<Obstacle | null> {
  const below = pathWithin(top, folder);
  if (below === null) return "unclear-path";
  const folders = [top];
  for (const name of below === "" ? [] : below.split("/")) folders.push(join(folders.at(-1) ?? top, name));
  const found = await Promise.all(folders.map((each) => obstacleIn(each, each === top)));
  return found.find((obstacle) => obstacle !== null) ?? null;
}

/** The same for one folder alone. */
export async function obstacleIn(folder: string, isTop: boolean): Promise<Obstacle | null> {
  const [rules, isOther] = await Promise.all([
    hasReadableRules(join(folder, ".gitignore")),
    isTop ? false : isRepository(folder),
  ]);
  if (isOther) return "nested-repository";
  return rules ? null : "unclear-path";
}

/** Whether a folder is another repository: with a `.git` of any type, or a bare one. */
async function isRepository(folder: string): Promise<boolean> {
  if ((await typeAt(join(folder, ".git"))) !== "nothing") return true;
  const parts = ["HEAD", "objects", "refs"];
  const types = await Promise.all(parts.map((name) => typeAt(join(folder, name))));
  return types.every((type) => type !== "nothing");
}

/** Git skips ignore files that are links or that it can't read. */
async function hasReadableRules(path: string): Promise<boolean> {
  const type = await typeAt(path);
  if (type !== "file") return type === "nothing";
  try {
    await access(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

type EntryType = "nothing" | "file" | "folder" | "other";

async function typeAt(path: string): Promise<EntryType> {
  try {
    const found = await lstat(path);
    if (found.isFile()) return "file";
    return found.isDirectory() ? "folder" : "other";
  } catch (error) {
    return isNothingThere(error) ? "nothing" : "other";
  }
}

/** Whether a file system ignores letter case, tested with another spelling of one name. */
export async function knowsNoCase(path: string, stats: Pick<BigIntStats, "dev" | "ino">): Promise<boolean> {
  const name = basename(path);
  const swapped = name.replace(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  if (swapped === name) return false;
  try {
    const { dev, ino } = await lstat(join(dirname(path), swapped), { bigint: true });
    return dev === stats.dev && ino === stats.ino;
  } catch {
    return false;
  }
}
