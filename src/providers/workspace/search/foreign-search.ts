/**
 * Which files a search by another program would read: ripgrep lists them with the same options and environment, and
 * each must be one that may be read without approval.
 */
import { isUtf8 } from "node:buffer";
import { lstat } from "node:fs/promises";
import { SluicegateError } from "../../../errors/index.ts";
import { sharedRunner } from "../git/runner.ts";
import { worktreesBelow } from "../git/worktrees.ts";
import { MAX_FOREIGN_CHECKS, MAX_FOREIGN_LISTING_MS, MAX_LISTING_BYTES } from "../limits.ts";
import { fromFolder, inFolder, type Place, pathWithin } from "../paths/canonical-path.ts";
import { checkTarget } from "../paths/check-path.ts";
import { examineFolder, type Shown, toShown } from "../paths/examine-path.ts";
import { toAskCause } from "../paths/path-reason.ts";
import { relativeTo, shownName } from "../tools/results.ts";
import { filesBelow } from "./list-allowed.ts";
import { createLoopShare } from "./loop-share.ts";
import { ripgrepPath } from "./ripgrep.ts";

export interface ForeignSearch {
  /** The other program's file or folder, absolute or relative to the root. */
  readonly path: string;
  /** Options of ripgrep that decide which files it reads; null if only the path counts. */
  readonly options: readonly string[] | null;
  /** The other program's environment, as far as ripgrep uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Protected files without secrets: a search may read them, but no tool may name them. */
  readonly searchable: readonly string[];
}

/**
 * Why such a search needs approval: the path itself, or the first file that would need it in a call of its own.
 * @throws SluicegateError `forbidden` if it would read a secret that no agent may read.
 */
export async function examineForeignSearch(place: Place, search: ForeignSearch): Promise<Shown> {
  const { shown, problem, check } = await examineFolder(place, search.path, true);
  const { resolved } = check;
  // If the path needs approval, the approver decides about the whole search; if it is missing, nothing is read.
  if (shown.asks.length > 0 || shown.isProtected || problem !== null || resolved === null) return shown;
  if (search.options === null || !(await isFolder(resolved))) return shown;
  const names = await listFiles(place, search, search.options);
  if (names === null) return { ...shown, asks: ["unclear-path"] };
  const list = await filesBelow(resolved, place.protect, (name) => names.has(name));
  if (typeof list === "string") return { ...shown, asks: [toAskCause(list)] };
  for (const { name } of list.files) names.delete(name);
  if (names.size > 0) await removeFreeInWorktrees(place, resolved, names);
  const beyond = await examineBeyond(
    place,
    search,
    [...names].map((name) => inFolder(resolved, name)),
  );
  return beyond === null ? shown : { ...beyond, targets: [...shown.targets, ...beyond.targets] };
}

/** Removes the names of files in worktrees below a folder that may be read there. */
async function removeFreeInWorktrees(place: Place, folder: string, names: Set<string>): Promise<void> {
  const tops = await worktreesBelow(place.root, folder);
  const free = await Promise.all(
    tops.map(async (top) => {
      const check = await checkTarget({ ...place, path: top, kind: "directory" });
      if (check.effect === "ask") return [];
      const start = `${pathWithin(folder, top)}/`;
      const list = await filesBelow(top, place.protect, (name) => names.has(start + name));
      return typeof list === "string" ? [] : list.files.map(({ name }) => start + name);
    }),
  );
  for (const name of free.flat()) names.delete(name);
}

/**
 * The first file that needs approval, among those that git doesn't list or that aren't ordinary; null if there is
 * none.
 */
async function examineBeyond(
  place: Place,
  { searchable }: ForeignSearch,
  paths: readonly string[],
): Promise<Shown | null> {
  const secrets = place.protect.filter((path) => !searchable.includes(path));
  for (const [at, path] of paths.entries()) {
    if (at === MAX_FOREIGN_CHECKS) return { asks: ["unclear-path"], targets: [] };
    const check = await checkTarget({ root: place.root, path, kind: "file", protect: secrets });
    if (check.isProtected) throw readsSecret(relativeTo(place.root, path));
    if (check.effect === "ask" && check.reason !== "missing") return toShown(check);
  }
  return null;
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isDirectory() === true;

/** The files that ripgrep would read, relative to the searched path; null if it fails or there are too many. */
async function listFiles(
  { root }: Place,
  { path: given, env }: ForeignSearch,
  options: readonly string[],
): Promise<Set<string> | null> {
  const path = fromFolder(root, given);
  const end = await sharedRunner().run({
    file: await ripgrepPath(),
    args: [...options, "--files", "--null", "--color=never", "--", path],
    cwd: root,
    env,
    lane: "search",
    timeoutMs: MAX_FOREIGN_LISTING_MS,
    maxBytes: MAX_LISTING_BYTES,
  });
  // Exit code 1: there are no files. Names that aren't text can't be compared.
  const isWhole = !end.timedOut && !end.truncated && (end.code === 0 || end.code === 1);
  if (!isWhole || !isUtf8(end.stdout)) return null;
  const start = path.endsWith("/") ? path : `${path}/`;
  const names = new Set<string>();
  const isDue = createLoopShare();
  for (let at = 0; at < end.stdout.length; ) {
    const turn = isDue();
    if (turn !== null) await turn;
    const stop = end.stdout.indexOf(0, at);
    const name = stop === -1 ? "" : end.stdout.toString("utf8", at, stop);
    if (!name.startsWith(start)) return null;
    names.add(name.slice(start.length));
    at = stop + 1;
  }
  return names;
}

const readsSecret = (name: string): SluicegateError =>
  new SluicegateError("forbidden", "The search would read a file that no agent may read.", {
    why: `\`${shownName(name)}\` lies in the folder, and ripgrep doesn't leave it out.`,
    fix: "Ask a person to add it to `.gitignore`, or search another folder.",
  });
