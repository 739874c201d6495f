/** The files of a folder that may be read without asking: what git lists, each held against the rule for files. */
import { lstatSync } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inFolder, isClearText } from "./canonical-path.ts";
import { type Identity, toIdentity } from "./file-identity.ts";
import { isGitFolderName } from "./git-folder-name.ts";
import { openExamined } from "./open-checked.ts";
import type { Place } from "./place.ts";
import { protectedPaths } from "./protected-paths.ts";
import { obstacleIn } from "./repository.ts";

export interface ListedFile {
  /** As seen from the folder that is listed. */
  readonly name: string;
  /** Canonical. */
  readonly path: string;
  readonly identity: Identity;
  readonly size: number;
  readonly modified: number;
}

/** How many files are looked at before others get their turn. */
const SLICE = 400;

/**
 * Of these names below a canonical folder, those that may be read: ordinary files with one name, reached through
 * ordinary folders of this repository. The folder itself was checked.
 */
export async function allowedFiles(
  place: Place,
  folder: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly ListedFile[]> {
  const isProtected = await protectedPaths(place.protect);
  const passes = folderRule(folder);
  const found: ListedFile[] = [];
  for (let at = 0; at < names.length; at += SLICE) {
    signal?.throwIfAborted();
    const slice = names.slice(at, at + SLICE);
    const passing = await Promise.all(slice.map((name) => passes(parentOf(name))));
    for (const name of slice.filter((_, index) => passing[index])) {
      const file = plainFile(folder, name);
      if (file !== null && !isProtected(file.path, file.identity)) found.push(file);
    }
    await nextTurn();
  }
  return found;
}

/** The file that was listed, opened; null where another one lies there by now. */
export const openListed = (file: ListedFile): Promise<FileHandle | null> =>
  openExamined({ path: file.path, identity: file.identity }).catch(() => null);

/** An ordinary file with one name; null for anything else. */
export function plainFile(folder: string, name: string): ListedFile | null {
  if (!isClearText(name) || isGitFolderName(name.slice(name.lastIndexOf("/") + 1))) return null;
  const path = inFolder(folder, name);
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.nlink !== 1n) return null;
    return { name, path, identity: toIdentity(stats), size: Number(stats.size), modified: Number(stats.mtimeMs) };
  } catch {
    return null; // a folder on the way that is none by now
  }
}

/** Whether what lies in a folder below is this repository's: no link, no other repository on the way to it. */
export function folderRule(folder: string): (name: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>([["", Promise.resolve(true)]]);
  const passes = (name: string): Promise<boolean> => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const answer = judge(name);
    known.set(name, answer);
    return answer;
  };
  const judge = async (name: string): Promise<boolean> => {
    if (!(await passes(parentOf(name)))) return false;
    if (isGitFolderName(name.slice(name.lastIndexOf("/") + 1)) || !isClearText(name)) return false;
    const path = inFolder(folder, name);
    const stats = await lstat(path).catch(() => null);
    return stats?.isDirectory() === true && (await obstacleIn(path, false)) === null;
  };
  return passes;
}

export const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("/")));
