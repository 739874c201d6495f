/**
 * The repository that a folder lies in, found without asking git: so that git is asked there and nowhere else.
 * Owns that the repository is the folder's own, and that nothing on the way to a path has rules of its own.
 */
import type { BigIntStats } from "node:fs";
import { access, constants, lstat, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { canonicalPath, fromFolder, isNothingThere, pathWithin } from "../paths/canonical-path.ts";

export interface Repository {
  /** The top folder of its working tree, canonical. */
  readonly top: string;
  /** Where git keeps it: `top/.git`, or what that file names. */
  readonly gitFolder: string;
  /** Who says that this working tree is its own: its place, the repository, or its setting `core.worktree`, if any. */
  readonly bond: "place" | "worktree" | "setting";
}

/** The innermost repository around a canonical folder; null if there is none, or it isn't plainly this one's. */
export async function findRepository(folder: string): Promise<Repository | null> {
  const found = await typeAt(join(folder, ".git"));
  if (found === "nothing") return dirname(folder) === folder ? null : findRepository(dirname(folder));
  const gitFile = join(folder, ".git");
  if (found === "folder") {
    // What has a common folder elsewhere is somebody's worktree, whose `.git` is a file.
    const isWhole = (await typeAt(join(gitFile, "commondir"))) === "nothing";
    return isWhole ? { top: folder, gitFolder: gitFile, bond: "place" } : null;
  }
  return found === "file" ? readGitFile(folder, gitFile) : null;
}

// THREAT: such a file comes with an unpacked archive and may name any repository, whose list of files would then
// count here. So the repository must name this working tree, too.
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

// A name of a setting stands in one piece, in any case; an included file may hold any.
const SETTINGS = /excludesfile|ignorecase|worktree|include/i;

/** Whether the repository's own settings may hold one that changes git's answers; read off the text, in doubt yes. */
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
  // A pipe would keep whoever reads it waiting.
  if (!found.isFile() || found.size > 65_536) throw new Error("It is no short file.");
  return readFile(path, "utf8");
}

/** What keeps git's rules from counting for what lies in a folder. */
export type Obstacle = "nested-repository" | "unclear-path";

/**
 * Whether the rules of a repository count from its top down to a canonical folder within: `null` if so. Another
 * repository on the way has rules of its own; an ignore file that git can't or won't read has none.
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

/** Whether a folder is another repository's: with a `.git` of any type, or laid out as a bare one. */
async function isRepository(folder: string): Promise<boolean> {
  if ((await typeAt(join(folder, ".git"))) !== "nothing") return true;
  const parts = ["HEAD", "objects", "refs"];
  const types = await Promise.all(parts.map((name) => typeAt(join(folder, name))));
  return types.every((type) => type !== "nothing");
}

/** Git reads no ignore file that is a link, and goes on without one that it can't read. */
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

/** Whether a file system knows no case, seen by one name written otherwise. */
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
