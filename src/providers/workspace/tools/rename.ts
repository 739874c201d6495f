/** Renames and moves files and folders. */

import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { AskCause } from "../../../core/index.ts";
import type { SluicegateError } from "../../../errors/index.ts";
import { repositoryOf } from "../git/worktrees.ts";
import { MAX_MOVE_WALKED, MAX_MOVED, MAX_PATH_NAMES } from "../limits.ts";
import { isLinkedInto } from "../link-names.ts";
import { inFolder, type Place } from "../paths/canonical-path.ts";
import { checkTarget } from "../paths/check-path.ts";
import { causeOf, toShown, unusable } from "../paths/examine-path.ts";
import {
  allAsks,
  examineEnd,
  folderAt,
  inFolderOf,
  isItsName,
  type WriteFound,
} from "../paths/examine-write.ts";
import type { Identity } from "../paths/file-identity.ts";
import { holdFolder } from "../paths/held-folder.ts";
import { checkNewPath } from "../paths/new-path.ts";
import { isProtectedName } from "../paths/protected-names.ts";
import { holdsProtected, protectedPaths } from "../paths/protected-paths.ts";
import { ruleFilesOf } from "../paths/worktree-rules.ts";
import { listAllowed } from "../search/list-allowed.ts";
import { type WalkedEntry, walkFolder } from "../search/walk-folder.ts";
import { type End, moveFile, moveFolder } from "../text/move-file.ts";
import { flag, path, type Values } from "./arguments.ts";
import { relativeTo, shownName, textResult } from "./results.ts";
import { type Found, toolOf } from "./workspace-tool.ts";

interface Moving {
  readonly from: WriteFound;
  readonly to: WriteFound;
  /** The folder that is moved; null if it is a file. */
  readonly folder: Identity | null;
  readonly problem: SluicegateError | null;
}

const MOVED = {
  from: path("What to rename, relative to the workspace or absolute.", "source", "old_path"),
  to: path("Its new path.", "destination", "new_path"),
  overwrite: flag("Whether a file at the new path is replaced."),
};

export const RENAME = toolOf({
  name: "rename",
  description:
    "Renames or moves a file or a folder of the workspace. It replaces nothing unless told to, and follows no link.",
  parameters: MOVED,
  examine: async (place, { from, to, overwrite }: Values<typeof MOVED>) => {
    const folder = await checkTarget({ ...place, path: from, kind: "directory", forWriting: true });
    const isFolder = folder.exists && folder.reason !== "wrong-kind" && (await isDirectory(folder.resolved));
    return isFolder ? examineFolder(place, from, to) : examineFile(place, from, to, overwrite);
  },
  execute: async (place, moving) => {
    await move(moving);
    const [from, to] = [moving.from, moving.to].map(({ path }) =>
      shownName(relativeTo(place.root, path ?? "")),
    );
    return textResult(`Renamed ${from} to ${to}.`);
  },
});

async function examineFile(
  place: Place,
  source: string,
  target: string,
  overwrite: boolean,
): Promise<Found<Moving>> {
  const [{ found: from }, { found: to }] = await Promise.all([
    examineEnd(place, source),
    examineEnd(place, target),
  ]);
  const missing = from.before === null ? unusable("Nothing lies at the old path.", "List its folder.") : null;
  const taken =
    to.before !== null && !overwrite
      ? unusable("Something lies at the new path.", "Choose another, or say that it is to be replaced.")
      : null;
  return toFound(from, to, null, from.problem ?? missing ?? to.problem ?? taken);
}

function toFound(
  from: WriteFound,
  to: WriteFound,
  folder: Identity | null,
  problem: SluicegateError | null,
): Found<Moving> {
  const isProtected = from.shown.isProtected || to.shown.isProtected;
  return {
    asks: allAsks(from.shown, to.shown),
    targets: [...from.shown.targets, ...to.shown.targets],
    ...(isProtected && { isProtected: true as const }),
    preview:
      problem === null
        ? `${shownName(from.path ?? "")} → ${shownName(to.path ?? "")}\n`
        : `${problem.message} ${problem.why}\n`,
    state: { from, to, folder, problem },
  };
}

async function examineFolder(place: Place, source: string, target: string): Promise<Found<Moving>> {
  const check = await checkTarget({ ...place, path: source, kind: "directory", forWriting: true });
  const { resolved, identity } = check;
  const shown = toShown(check);
  const parent = resolved === null ? null : await folderAt(dirname(resolved));
  const isOwn = resolved !== null && resolved !== place.root && (await isItsName(place, source, resolved));
  const problem =
    parent === null || identity === null || !isOwn
      ? unusable(
          "It is a link, the workspace itself, or can't be determined.",
          "Name a folder in the workspace plainly.",
        )
      : null;
  const to = await newFolder(place, target);
  const inside =
    resolved === null || problem !== null ? [] : await asksInside(place, resolved, identity, to.path);
  const isProtected =
    check.isProtected ||
    (resolved !== null && (await holdsProtected(resolved, place.protect))) ||
    (resolved !== null && problem === null && (await movesProtected(place, resolved, identity, to.path)));
  const from: WriteFound = {
    shown: { ...shown, asks: [...new Set([...shown.asks, ...inside])], ...(isProtected && { isProtected }) },
    path: resolved,
    folder: parent,
    names: resolved === null ? [] : [basename(resolved)],
    before: null,
    problem,
  };
  const own = to.path !== null && resolved !== null && to.path.startsWith(`${resolved}/`);
  const nested = own ? unusable("A folder can't be moved into itself.", "Choose another path.") : null;
  return toFound(from, to, identity, problem ?? to.problem ?? nested);
}

async function newFolder(place: Place, target: string): Promise<WriteFound> {
  const found = await checkNewPath(place, target, "directory");
  if (found === null) {
    const problem = unusable(
      "Something lies at the new path, or it can't be determined.",
      "Choose another path.",
    );
    return {
      shown: { asks: [await causeOf(place, target)], targets: [] },
      path: null,
      folder: null,
      names: [],
      before: null,
      problem,
    };
  }
  const { asks, path, isProtected, folder, names } = found;
  const shown = {
    asks,
    targets: [{ path, content: null }],
    ...(isProtected && { isProtected: true as const }),
  };
  return { shown, path, folder, names, before: null, problem: null };
}

/** Whether something in a folder is protected at its old or its new place. */
async function movesProtected(
  { protect }: Place,
  folder: string,
  identity: Identity | null,
  target: string | null,
): Promise<boolean> {
  if (identity === null || target === null) return false;
  const isProtected = await protectedPaths(protect);
  const held = await holdFolder(folder, identity);
  try {
    let left = MAX_MOVE_WALKED;
    for await (const { name } of walkFolder(held, { isDeep: true, takes: () => true })) {
      left -= 1;
      if (left < 0 || [folder, target].some((at) => isProtected(inFolder(at, name), null))) return true;
    }
    return false;
  } finally {
    await held.close();
  }
}

/**
 * Files that move along and need approval: at another place other rules apply, so an ignored file may no longer be
 * ignored.
 */
async function asksInside(
  place: Place,
  folder: string,
  identity: Identity | null,
  target: string | null,
): Promise<readonly AskCause[]> {
  const list = await listAllowed({ ...place, path: folder });
  if (list.effect === "ask" || identity === null) return [];
  const places = [folder, ...(target === null ? [] : [target])];
  const rules = await asksOfRules(place.root, places);
  if (rules.length > 0) return rules;
  const allowed = new Set(list.files.map(({ name }) => name));
  const held = await holdFolder(folder, identity);
  try {
    let left = MAX_MOVED;
    for await (const entry of walkFolder(held, { isDeep: true, takes: () => true })) {
      left -= 1;
      const isTooDeep = places.some((at) => inFolder(at, entry.name).split("/").length > MAX_PATH_NAMES);
      const cause = left < 0 || isTooDeep ? "unclear-path" : causeOfEntry(entry, places, allowed);
      if (cause !== null) return [cause];
    }
    return [];
  } finally {
    await held.close();
  }
}

/**
 * If a file that git's settings name is missing or replaced, git ignores or runs other files; if it is what a link with
 * a protected name leads to, an agent or a program follows another. The two places may lie in two worktrees.
 */
async function asksOfRules(root: string, places: readonly string[]): Promise<readonly AskCause[]> {
  for (const place of places) {
    const repository = await repositoryOf(root, dirname(place));
    const rules = repository && (await ruleFilesOf(root, repository));
    if (rules === null) return ["git-unavailable"];
    if (places.some((each) => rules.liesIn(each))) return ["protected-name"];
  }
  const isLinked = await isLinkedInto(root, places);
  if (isLinked === null) return ["git-unavailable"];
  return isLinked ? ["protected-name"] : [];
}

function causeOfEntry(
  { name, kind }: WalkedEntry,
  places: readonly string[],
  allowed: ReadonlySet<string>,
): AskCause | null {
  if (places.some((folder) => isProtectedName(inFolder(folder, name)))) return "protected-name";
  if (kind === "file" && !allowed.has(name)) return "ignored-path";
  return kind === "other" ? "special-file" : null;
}

async function move({ from, to, folder, problem }: Moving): Promise<void> {
  if (problem !== null) throw problem;
  await inFolderOf(from, (fromFolder, fromName) =>
    inFolderOf(to, async (toFolder, toName) => {
      const ends: readonly [End, End] = [
        { folder: fromFolder, name: fromName },
        { folder: toFolder, name: toName },
      ];
      if (folder !== null) await moveFolder(...ends, folder);
      else if (from.before !== null) await moveFile(...ends, from.before, to.before);
    }).catch(tellApart),
  );
}

/** Files can't be moved to another file system. */
function tellApart(cause: unknown): never {
  const isApart = cause instanceof Error && "code" in cause && cause.code === "EXDEV";
  throw isApart
    ? unusable("The two paths lie on different file systems.", "Write the file anew and delete the old one.")
    : cause;
}

async function isDirectory(path: string | null): Promise<boolean> {
  if (path === null) return false;
  const stats = await lstat(path).catch(() => null);
  return stats?.isDirectory() === true;
}
