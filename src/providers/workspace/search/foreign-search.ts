/**
 * What a search program that somebody else runs would read: ripgrep itself is asked for the files, with the same
 * options and in the same environment, and each of them has to be one that may be read without asking.
 */
import { isUtf8 } from "node:buffer";
import { lstat } from "node:fs/promises";
import { SluicegateError } from "../../../errors/index.ts";
import { sharedRunner } from "../git/runner.ts";
import { MAX_FOREIGN_CHECKS, MAX_FOREIGN_LISTING_MS, MAX_LISTING_BYTES } from "../limits.ts";
import { fromFolder, inFolder, type Place } from "../paths/canonical-path.ts";
import { checkTarget } from "../paths/check-path.ts";
import { examineFolder, type Shown, toShown } from "../paths/examine-path.ts";
import { toAskCause } from "../paths/path-reason.ts";
import { relativeTo, shownName } from "../tools/results.ts";
import { filesBelow } from "./list-allowed.ts";
import { createLoopShare } from "./loop-share.ts";
import { ripgrepPath } from "./ripgrep.ts";

export interface ForeignSearch {
  /** A file or a folder as the other program is given it, absolute or as seen from the root. */
  readonly path: string;
  /** Options of ripgrep that decide which files it reads; null if the path alone counts. */
  readonly options: readonly string[] | null;
  /** The environment of the other program, as far as ripgrep reads it. */
  readonly env: Readonly<Record<string, string>>;
  /** What of the protected files holds no secret: a search may go through it, though no tool may name it. */
  readonly searchable: readonly string[];
}

/**
 * What asks of such a search: the path itself, and the first file that a call which names it would ask for.
 * @throws SluicegateError `forbidden` where it would read a secret that no agent may read.
 */
export async function examineForeignSearch(place: Place, search: ForeignSearch): Promise<Shown> {
  const { shown, problem, check } = await examineFolder(place, search.path, true);
  const { resolved } = check;
  // Whoever is asked anyway judges the search as a whole; where nothing lies, nothing is read.
  if (shown.asks.length > 0 || shown.isProtected || problem !== null || resolved === null) return shown;
  if (search.options === null || !(await isFolder(resolved))) return shown;
  const names = await listFiles(place, search, search.options);
  if (names === null) return { ...shown, asks: ["unclear-path"] };
  const list = await filesBelow(resolved, place.protect, (name) => names.has(name));
  if (typeof list === "string") return { ...shown, asks: [toAskCause(list)] };
  for (const { name } of list.files) names.delete(name);
  const beyond = await examineBeyond(
    place,
    search,
    [...names].map((name) => inFolder(resolved, name)),
  );
  return beyond === null ? shown : { ...beyond, targets: [...shown.targets, ...beyond.targets] };
}

/** The first file that asks, of those that git doesn't list or that aren't plain; null if none does. */
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

/** The files that ripgrep would read, as seen from the searched path; null if it doesn't say, or there are too many. */
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
  // 1: there are no files. What is no text can't be compared.
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
