/** Examines a file to be written: its present bytes, and its folder. */
import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { AskCause } from "../../../core/index.ts";
import type { SluicegateError } from "../../../errors/index.ts";
import { MAX_FILE_BYTES } from "../limits.ts";
import { type ReplacedFile, replaceFile } from "../text/replace-file.ts";
import { canonicalPath, fromFolder, inFolder, type Place } from "./canonical-path.ts";
import { checkTarget, type TargetCheck } from "./check-path.ts";
import { type Shown, shownOf, toShown, unusable } from "./examine-path.ts";
import { readUpTo } from "./examined-file.ts";
import { type Identity, toIdentity } from "./file-identity.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import { checkNewPath } from "./new-path.ts";
import { openExamined } from "./open-checked.ts";

export interface FolderFound {
  readonly path: string;
  readonly identity: Identity;
}

/** With the bytes of the existing file, which only the examination needs. */
export interface WriteExamined {
  readonly found: WriteFound;
  /** Null if nothing lies there. */
  readonly bytes: Buffer | null;
}

export interface WriteFound {
  readonly shown: Shown;
  /** Canonical; null if there is a problem. */
  readonly path: string | null;
  readonly folder: FolderFound | null;
  /** Folders to create in it, then the file's own name. */
  readonly names: readonly string[];
  /** The existing file; null if there is none. */
  readonly before: ReplacedFile | null;
  /** Why nothing can be written, even with an approval. */
  readonly problem: SluicegateError | null;
}

/** What exists at a path that is to be written, deleted or moved. */
export async function examineWrite(place: Place, path: string): Promise<WriteExamined> {
  const check = await checkTarget({ ...place, path, kind: "file", mayBeMissing: true, forWriting: true });
  if (check.isProtected)
    return withProblem(check, unusable("No agent may touch it.", "Leave it to a person."));
  if (!check.exists) return examineNew(place, path, check);
  const { resolved, identity } = check;
  if (
    resolved === null ||
    identity === null ||
    check.reason === "special-file" ||
    check.reason === "wrong-kind"
  ) {
    return withProblem(check, unusable("It isn't an ordinary file.", "Name a file."));
  }
  const [read, folder] = await Promise.all([readBefore(resolved, identity), folderAt(dirname(resolved))]);
  if (typeof read === "string") return withProblem(check, unusable(read, "Leave it to a person."));
  const { before, bytes } = read;
  const found = {
    shown: boundTo(toShown(check), resolved, before.sha256),
    path: resolved,
    folder,
    names: [basename(resolved)],
    before,
    problem: folder === null ? unusable("Its folder can't be determined.", "Call the tool again.") : null,
  };
  return { found, bytes };
}

async function examineNew(place: Place, path: string, check: TargetCheck): Promise<WriteExamined> {
  const found = await checkNewPath(place, path, "file");
  if (found === null) {
    const none = withProblem(check, unusable("Where it leads can't be determined.", "Name it plainly."));
    return { ...none, found: { ...none.found, shown: await shownOf(place, path, check) } };
  }
  const { asks, isProtected, folder, names } = found;
  const shown = { ...boundTo({ asks, targets: [] }, found.path, null), ...(isProtected && { isProtected }) };
  return { found: { shown, path: found.path, folder, names, before: null, problem: null }, bytes: null };
}

const withProblem = (check: TargetCheck, problem: SluicegateError): WriteExamined => ({
  found: { shown: toShown(check), path: null, folder: null, names: [], before: null, problem },
  bytes: null,
});

const boundTo = (shown: Shown, path: string, content: string | null): Shown => ({
  ...shown,
  targets: [{ path, content }],
});

export async function folderAt(path: string): Promise<FolderFound | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats?.isDirectory() === true ? { path, identity: toIdentity(stats) } : null;
}

/** The whole file, or why it can't be read. */
async function readBefore(
  path: string,
  identity: Identity,
): Promise<{ before: ReplacedFile; bytes: Buffer } | string> {
  const handle = await openExamined({ path, identity, linksApproved: true }).catch(() => null);
  if (handle === null) return "It can't be opened for reading, so nobody could see what is replaced.";
  try {
    const { mode, uid, gid } = await handle.stat();
    const hash = createHash("sha256");
    const bytes = await readUpTo(handle, MAX_FILE_BYTES + 1, hash);
    if (bytes.length > MAX_FILE_BYTES) return `It has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`;
    return { before: { identity, mode, uid, gid, sha256: hash.digest("hex") }, bytes };
  } finally {
    await handle.close();
  }
}

/** The causes of several ends of one call, each once. */
export const allAsks = (...ends: readonly Shown[]): readonly AskCause[] => [
  ...new Set(ends.flatMap(({ asks }) => asks)),
];

/** Writes what was examined. @throws SluicegateError `target-changed` if something else is there now. */
export async function writeFound(found: WriteFound, bytes: Buffer): Promise<void> {
  await inFolderOf(found, (folder, name) => replaceFile(folder, name, bytes, found.before));
}

/** Opens the examined folder, creates missing ones, and does something in the last one. */
export async function inFolderOf(
  { folder, names, problem }: Pick<WriteFound, "folder" | "names" | "problem">,
  act: (folder: HeldFolder, name: string) => Promise<void>,
): Promise<void> {
  if (problem !== null) throw problem;
  const name = names.at(-1);
  if (folder === null || name === undefined)
    throw unusable("Its folder can't be determined.", "Call the tool again.");
  const held = [await holdFolder(folder.path, folder.identity)];
  try {
    for (const missing of names.slice(0, -1)) held.push(await lastOf(held).makeFolder(missing));
    await act(lastOf(held), name);
  } finally {
    await Promise.all(held.map((each) => each.close()));
  }
}

function lastOf(held: readonly HeldFolder[]): HeldFolder {
  const last = held.at(-1);
  if (last === undefined) throw unusable("Its folder can't be determined.", "Call the tool again.");
  return last;
}

/** Like `examineWrite`, with a problem if the path's last name is a link, or no name. */
export async function examineEnd(place: Place, path: string): Promise<WriteExamined> {
  const examined = await examineWrite(place, path);
  const { found } = examined;
  if (found.problem !== null || found.path === null) return examined;
  if (await isItsName(place, path, found.path)) return examined;
  const problem = unusable("It is a link, which this tool leaves alone.", "Name what it leads to.");
  return { found: { ...found, problem }, bytes: null };
}

/** Whether the last name of a path is also its target's. */
export async function isItsName({ root }: Place, path: string, resolved: string): Promise<boolean> {
  const written = fromFolder(root, path).replace(/\/+$/, "");
  const folder = await canonicalPath(dirname(written));
  // A missing file isn't a link; its folders may be missing too.
  if (folder.kind !== "found") return folder.kind === "missing" && basename(written) === basename(resolved);
  return inFolder(folder.path, basename(written)) === resolved;
}
