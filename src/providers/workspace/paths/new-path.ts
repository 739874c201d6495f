/** A path for something new: the existing folder, and the names to create. */
import { lstat } from "node:fs/promises";
import type { AskCause } from "../../../core/index.ts";
import { askAboutFolder } from "../git/git.ts";
import { isGitFolderName } from "../git/git-folder-name.ts";
import { repositoryOf } from "../git/worktrees.ts";
import {
  canonicalPath,
  fromFolder,
  inFolder,
  isClearText,
  isNothing,
  type Place,
  pathWithin,
} from "./canonical-path.ts";
import { checkTarget } from "./check-path.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";
import { isAnyProtected } from "./marked-folders.ts";
import { toAskCause } from "./path-reason.ts";
import { isProtectedName } from "./protected-names.ts";
import { protectedPaths } from "./protected-paths.ts";
import { linkNamesIn, ruleFilesOf } from "./worktree-rules.ts";

export interface NewPath {
  /** The canonical path, once it exists. */
  readonly path: string;
  readonly asks: readonly AskCause[];
  readonly isProtected: boolean;
  /** The innermost existing folder. */
  readonly folder: { readonly path: string; readonly identity: Identity };
  /** What must be created in it; the last one is the thing itself. */
  readonly names: readonly [string, ...string[]];
}

/** Null if something exists there, or if its place can't be determined. */
export async function checkNewPath(
  place: Place,
  path: string,
  kind: "file" | "directory",
): Promise<NewPath | null> {
  const split = await splitAtMissing(fromFolder(place.root, path));
  if (split === null) return null;
  const { folder, names } = split;
  const found = names.reduce(inFolder, folder.path);
  const check = await checkTarget({ ...place, path: folder.path, kind: "directory" });
  // The folder that was checked is the one that is opened later.
  if (check.resolved !== folder.path || check.identity === null) return null;
  if (!sameIdentity(check.identity, folder.identity)) return null;
  const links = await linkNamesIn(place.root, fromFolder(place.root, path), found);
  const rule = await protectedPaths(place.protect);
  const isProtected = check.isProtected || [found, ...(links ?? [])].some((name) => rule(name, null));
  const named = (await reasonOfNames(place, folder.path, names)) ?? (await reasonOfLinks(place, links));
  const asks = [
    ...(check.effect === "ask" ? [toAskCause(check.reason)] : []),
    ...(named === null ? [] : [named]),
  ];
  if (asks.length === 0) asks.push(...(await reasonOfGit(place, found, kind)));
  return { path: found, asks, isProtected, folder, names };
}

/** The innermost existing folder of a path, and the rest. */
async function splitAtMissing(written: string): Promise<Pick<NewPath, "folder" | "names"> | null> {
  const parts = written.replace(/\/+$/, "").split("/");
  for (let at = parts.length - 1; at > 0; at -= 1) {
    const found = await canonicalPath(parts.slice(0, at).join("/") || "/");
    if (found.kind === "unclear") return null;
    if (found.kind === "missing") continue;
    const [name, ...rest] = parts.slice(at).filter((part) => part !== "");
    // With `..` or a broken link, the new file would be elsewhere.
    if (name === undefined || [name, ...rest].some((each) => each === "." || each === "..")) return null;
    if (!(await isNothing(inFolder(found.path, name)))) return null;
    const stats = await lstat(found.path, { bigint: true }).catch(() => null);
    if (stats?.isDirectory() !== true) return null;
    return { folder: { path: found.path, identity: toIdentity(stats) }, names: [name, ...rest] };
  }
  return null;
}

async function reasonOfNames(
  { root }: Place,
  folder: string,
  names: readonly string[],
): Promise<AskCause | null> {
  if (names.some(isGitFolderName)) return "git-folder";
  if (names.some((name) => !isClearText(name))) return "unclear-path";
  const made = names.map((_, at) => names.slice(0, at + 1).reduce(inFolder, folder));
  // A new folder on the way isn't part of a marked folder by itself.
  const isProtected = made.some(isProtectedName) || (await isAnyProtected(root, made.slice(-1)));
  return isProtected ? "protected-name" : null;
}

async function reasonOfLinks({ root }: Place, links: readonly string[] | null): Promise<AskCause | null> {
  if (links === null) return "git-unavailable";
  return (await isAnyProtected(root, links)) ? "protected-name" : null;
}

async function reasonOfGit(
  place: Place,
  path: string,
  kind: "file" | "directory",
): Promise<readonly AskCause[]> {
  const repository = await repositoryOf(place.root, path);
  const within = repository === null ? null : pathWithin(repository.top, path);
  if (repository === null || within === null) return ["not-a-repository"];
  const [{ answer }, rules] = await Promise.all([
    askAboutFolder(repository, kind === "directory" ? `${within}/` : within),
    ruleFilesOf(place.root, repository),
  ]);
  if (answer === "not-ignored" && rules !== null) return rules.has(path) ? ["protected-name"] : [];
  return [
    answer === "ignored" ? "ignored-path" : answer === "elsewhere" ? "not-a-repository" : "git-unavailable",
  ];
}
