/**
 * Examines a folder for listing or searching: what may be shown in it without approval or, once the folder itself was
 * approved, what is in it.
 */
import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { SluicegateError } from "../../../errors/index.ts";
import { isGitFolderName } from "../git/git-folder-name.ts";
import { obstacleIn } from "../git/repository.ts";
import { MAX_FOLDER_CHECKS, MAX_WALKED } from "../limits.ts";
import { filesBelow } from "../search/list-allowed.ts";
import { collectInShares } from "../search/loop-share.ts";
import type { SearchedFile } from "../search/ripgrep.ts";
import { type WalkedEntry, walkFolder } from "../search/walk-folder.ts";
import { inFolder, isClearText, type Place } from "./canonical-path.ts";
import { checkTarget } from "./check-path.ts";
import { examineFolder, type PathFound, type Shown } from "./examine-path.ts";
import { toIdentity } from "./file-identity.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import { toAskCause } from "./path-reason.ts";
import { protectedPaths } from "./protected-paths.ts";

export interface FolderContent {
  readonly shown: Shown;
  readonly found: PathFound;
  /** Canonical: the folder, or the file's folder. */
  readonly folder: string;
  /** The wanted files that need no approval, relative to the folder; null if the whole folder needs one. */
  readonly allowed: readonly SearchedFile[] | null;
  /** All names that git lists below it. */
  readonly listed: readonly string[];
}

/** `takesFile`: the path may also be a single file. `wants`: which of git's files are used. */
export async function examineContent(
  place: Place,
  path: string,
  takesFile: boolean,
  wants?: (name: string) => boolean,
): Promise<FolderContent> {
  const found = await examineFolder(place, path, takesFile);
  const { shown, problem, check } = found;
  const { resolved, identity } = check;
  const nothing = { shown, found, folder: resolved ?? "", allowed: null, listed: [] };
  if (problem !== null || resolved === null || identity === null) return nothing;
  const stats = takesFile ? await lstat(resolved).catch(() => null) : null;
  if (stats?.isFile()) {
    const linksApproved = shown.asks.length > 0;
    const file = { path: resolved, name: basename(resolved), identity, linksApproved, size: stats.size };
    return { ...nothing, folder: dirname(resolved), allowed: [file] };
  }
  if (shown.asks.length > 0) return nothing;
  const list = await filesBelow(resolved, place.protect, wants);
  return typeof list === "string"
    ? { ...nothing, shown: { ...shown, asks: [toAskCause(list)] } }
    : { ...nothing, allowed: list.files, listed: list.listed };
}

/** The examined files; in an approved folder, all except protected ones. */
export async function filesOf(
  place: Place,
  content: FolderContent,
  signal?: AbortSignal,
): Promise<readonly SearchedFile[]> {
  if (content.found.problem !== null) throw content.found.problem;
  if (content.allowed !== null) return content.allowed;
  const files: SearchedFile[] = [];
  for await (const { name, kind } of approvedEntries(place, content, true, signal)) {
    if (kind !== "file") continue;
    const path = inFolder(content.folder, name);
    const stats = await lstat(path, { bigint: true }).catch(() => null);
    if (stats?.isFile() && stats.nlink === 1n)
      files.push({ path, name, identity: toIdentity(stats), size: Number(stats.size) });
  }
  return files;
}

/** What may be shown of the folder's entries: folders with a final `/`, sorted by name. */
export async function entriesOf(
  place: Place,
  content: FolderContent,
  isDeep: boolean,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (content.found.problem !== null) throw content.found.problem;
  const names: string[] = [];
  const entries =
    content.allowed === null
      ? approvedEntries(place, content, isDeep, signal)
      : allowedFolders(place, content, isDeep, signal);
  for await (const { name, kind } of entries) names.push(MARKS[kind](name));
  const files = await collectInShares(content.allowed ?? [], ({ name }) =>
    isDeep || !name.includes("/") ? name : undefined,
  );
  return [...names, ...files].toSorted();
}

const MARKS: Readonly<Record<WalkedEntry["kind"], (name: string) => string>> = {
  file: (name) => name,
  folder: (name) => `${name}/`,
  link: (name) => `${name} (link)`,
  other: (name) => `${name} (special file)`,
};

async function* approvedEntries(
  place: Place,
  content: FolderContent,
  isDeep: boolean,
  signal?: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  const isProtected = await protectedPaths(place.protect);
  const held = await hold(content);
  const takes = async ({ name }: WalkedEntry): Promise<boolean> => {
    if (isGitFolderName(basename(name)) || !isClearText(name)) return false;
    const path = inFolder(content.folder, name);
    const stats = await lstat(path, { bigint: true }).catch(() => null);
    return stats !== null && !isProtected(path, toIdentity(stats));
  };
  try {
    let walked = 0;
    for await (const entry of walkFolder(held, { isDeep, takes, signal })) {
      walked += 1;
      if (walked > MAX_WALKED) throw tooMuch();
      yield entry;
    }
  } finally {
    await held.close();
  }
}

/** The folders that contain listed files, and others that may be listed, such as empty ones. */
async function* allowedFolders(
  place: Place,
  content: FolderContent,
  isDeep: boolean,
  signal?: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  const known = await foldersOf(content.listed);
  const held = await hold(content);
  let checked = 0;
  const takes = async ({ name, kind }: WalkedEntry): Promise<boolean> => {
    if (kind !== "folder" || isGitFolderName(basename(name)) || !isClearText(name)) return false;
    const path = inFolder(content.folder, name);
    if (known.has(name)) return (await obstacleIn(path, false)) === null;
    checked += 1;
    if (checked > MAX_FOLDER_CHECKS) return false;
    return (await checkTarget({ ...place, path, kind: "directory" })).effect === "allow";
  };
  try {
    yield* walkFolder(held, { isDeep, takes, signal });
  } finally {
    await held.close();
  }
}

/** The parent folders: of `a/b/c`, these are `a` and `a/b`. */
async function foldersOf(names: readonly string[]): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  await collectInShares(names, (name) => {
    // The parents of a known folder are known.
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const folder = name.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  });
  return folders;
}

function hold({ folder, found }: FolderContent): Promise<HeldFolder> {
  const { identity } = found.check;
  if (identity === null) throw tooMuch();
  return holdFolder(folder, identity);
}

const tooMuch = (): SluicegateError =>
  new SluicegateError("result-too-large", "The folder holds too much to go through.", {
    why: `There are more than ${MAX_WALKED} entries below it.`,
    fix: "Name a folder further down.",
  });
