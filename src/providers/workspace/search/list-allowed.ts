/**
 * The files below a folder that may be used without approval: the same as by `checkPath`, with one question to git.
 */
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SluicegateError } from "../../../errors/index.ts";
import { askForList } from "../git/git.ts";
import { hasGitFolder } from "../git/git-folder-name.ts";
import { findRepository, obstacleIn, type Repository } from "../git/repository.ts";
import { inFolder, isClearText, pathWithin } from "../paths/canonical-path.ts";
import { checkTarget } from "../paths/check-path.ts";
import { type Identity, toIdentity } from "../paths/file-identity.ts";
import { ask, type PathCheck } from "../paths/path-reason.ts";
import { protectedPaths } from "../paths/protected-paths.ts";
import { collectInShares } from "./loop-share.ts";

export interface ListQuestion {
  readonly root: string;
  /** A folder; left out, the root. */
  readonly path?: string | undefined;
  readonly protect?: readonly string[];
}

/** A file that may be used without approval. */
interface AllowedFile {
  /** Canonical. */
  readonly path: string;
  /** Relative to the folder. */
  readonly name: string;
  readonly identity: Identity;
  /** In bytes, at the time of the check. */
  readonly size: number;
}

export type AllowedList =
  | (Extract<PathCheck, { effect: "allow" }> & {
      /** Sorted by name. */
      readonly files: readonly AllowedFile[];
    })
  | Extract<PathCheck, { effect: "ask" }>;

const AT_ONCE = 128;

/** Never throws; asks if the folder itself needs approval, or git returns no list. */
export async function listAllowed({ root, path, protect = [] }: ListQuestion): Promise<AllowedList> {
  const check = await checkTarget({ root, path, kind: "directory", protect });
  if (check.effect === "ask") return ask(check.reason, check.resolved);
  const { effect, reason, resolved } = check;
  const list = await filesBelow(resolved, protect);
  return typeof list === "string" ? ask(list, resolved) : { effect, reason, resolved, files: list.files };
}

/** Git's list of a folder, and the wanted files that may be used. */
export interface FilesBelow {
  readonly files: readonly AllowedFile[];
  /** Everything that git lists, relative to the folder. */
  readonly listed: readonly string[];
}

/** The same for a checked folder, by its canonical path; or why there is no list. Rejects only as `wants` does. */
export async function filesBelow(
  folder: string,
  protect: readonly string[],
  wants: (name: string) => boolean = () => true,
): Promise<FilesBelow | "not-a-repository" | "git-unavailable"> {
  try {
    const repository = await findRepository(folder);
    const within = repository && pathWithin(repository.top, folder);
    if (repository === null || within === null) return "not-a-repository";
    const list = await askForList(repository, within);
    if (list.answer !== "listed") return "git-unavailable";
    const listed = (await namesIn(repository, folder, list.paths)).toSorted();
    await setImmediate();
    const wanted = await collectInShares(listed, (name) => (wants(name) ? name : undefined));
    return { listed, files: await allowedOf(folder, wanted, protect) };
  } catch (error) {
    // An error of the pattern, not of git.
    if (SluicegateError.isInstance(error) && error.code === "invalid-request") throw error;
    return "git-unavailable";
  }
}

/** Paths from the top of a repository, relative to a folder in it. */
function namesIn({ top }: Repository, folder: string, paths: readonly string[]): Promise<string[]> {
  const start = (pathWithin(top, folder) ?? "").length;
  return collectInShares(paths, (path) => (start === 0 ? path : path.slice(start + 1)) || undefined);
}

async function allowedOf(
  folder: string,
  names: readonly string[],
  protect: readonly string[],
): Promise<readonly AllowedFile[]> {
  const isPlainFolder = createFolderCheck(folder);
  const isProtected = await protectedPaths(protect);
  const allowed = async (name: string): Promise<AllowedFile | null> => {
    const path = inFolder(folder, name);
    if (!isClearText(name) || hasGitFolder(name) || !(await isPlainFolder(dirname(path)))) return null;
    const stats = await lstat(path, { bigint: true }).catch(() => null);
    if (stats === null || !stats.isFile() || stats.nlink !== 1n) return null;
    const identity = toIdentity(stats);
    return isProtected(path, identity) ? null : { path, name, identity, size: Number(stats.size) };
  };
  const files: AllowedFile[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const found = await Promise.all(names.slice(at, at + AT_ONCE).map(allowed));
    files.push(...found.filter((file) => file !== null));
  }
  return files;
}

/** Whether a folder is reached from the checked one without links, and with the same rules all the way. */
function createFolderCheck(checked: string): (folder: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>([[checked, Promise.resolve(true)]]);
  const look = async (folder: string): Promise<boolean> => {
    if (!(await isPlain(dirname(folder)))) return false;
    const stats = await lstat(folder).catch(() => null);
    return stats?.isDirectory() === true && (await obstacleIn(folder, false)) === null;
  };
  const isPlain = (folder: string): Promise<boolean> => {
    const found = known.get(folder) ?? look(folder);
    known.set(folder, found);
    return found;
  };
  return isPlain;
}
