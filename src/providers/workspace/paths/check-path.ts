/**
 * Whether an agent may use a path without approval: it is in the working directory, is an ordinary file or folder,
 * and git tracks it or doesn't ignore it. In doubt it needs approval.
 */
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  askAboutFile,
  askAboutFolder,
  askAboutRoot,
  type FileAnswer,
  type FolderAnswer,
} from "../git/git.ts";
import { hasGitFolder } from "../git/git-folder-name.ts";
import { obstacleOnTheWay, type Repository } from "../git/repository.ts";
import type { RuleFiles } from "../git/rule-files.ts";
import { repositoryOf } from "../git/worktrees.ts";
import { namesOnTheWay } from "../link-names.ts";
import { canonicalNewPath, canonicalPath, fromFolder, isClearText, pathWithin } from "./canonical-path.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";
import { isAnyProtected } from "./marked-folders.ts";
import { type AllowReason, type AskReason, ask, type PathCheck } from "./path-reason.ts";
import { protectedPaths } from "./protected-paths.ts";
import { linkNamesIn, ruleFilesOf } from "./worktree-rules.ts";

/** A path that an agent wants to use. */
export interface PathQuestion {
  /** The working directory. */
  readonly root: string;
  /** Absolute, or relative to the root; left out, the root itself. */
  readonly path?: string | undefined;
  readonly kind: "file" | "directory";
}

export interface TargetQuestion extends PathQuestion {
  /** The path is to be changed: names that decide what is ignored, or that something runs later, need approval. */
  readonly forWriting?: boolean;
  /** It may not exist yet; implies `forWriting`. */
  readonly mayBeMissing?: boolean;
  /** What no agent may touch: files, or folders with their content. */
  readonly protect?: readonly string[];
}

/** A check with its basis. */
export type TargetCheck = PathCheck & {
  /** Null if nothing is there. */
  readonly identity: Identity | null;
  readonly exists: boolean;
  readonly isProtected: boolean;
};

/** Whether a path may be used without approval. Asks git each time; never throws, and returns `ask` in doubt. */
export async function checkPath(question: PathQuestion): Promise<PathCheck> {
  // A caller without types may pass anything.
  const { root, path, kind } = question ?? {};
  if (kind !== "file" && kind !== "directory") return ask("unclear-path");
  const { effect, reason, resolved } = await checkTarget({ root, path, kind });
  return { effect, reason, resolved } as PathCheck;
}

/** The same, with what a tool needs to use exactly what was checked. Never throws. */
export async function checkTarget(question: TargetQuestion): Promise<TargetCheck> {
  try {
    const place = await findPlace(question);
    if ("effect" in place)
      return (await isNamedProtected(question)) ? { ...place, isProtected: true } : place;
    const identity = place.stats && toIdentity(place.stats);
    const names = isWrite(question) ? await linkNamesIn(place.root, place.written, place.path) : [];
    const rule = await protectedPaths(question.protect ?? []);
    const isProtected = rule(place.path, identity) || names?.some((name) => rule(name, null)) === true;
    const check = isProtected ? ask("protected", place.path) : await judge(place, question, names);
    return { ...check, identity, exists: identity !== null, isProtected };
  } catch {
    return asking("unclear-path");
  }
}

/** Whether a missing path has a protected name by a link. */
async function isNamedProtected(question: TargetQuestion): Promise<boolean> {
  const { root, path, protect = [] } = question;
  if (!isWrite(question) || typeof root !== "string" || typeof path !== "string") return false;
  const rule = await protectedPaths(protect);
  return (await namesOnTheWay(fromFolder(root, path))).some((name) => rule(name, null));
}

interface Place {
  /** Canonical. */
  readonly root: string;
  readonly path: string;
  /** The path as given, absolute. */
  readonly written: string;
  /** Null if nothing is there yet. */
  readonly stats: BigIntStats | null;
}

const asking = (reason: AskReason): TargetCheck => ({
  ...ask(reason),
  identity: null,
  exists: false,
  isProtected: false,
});

async function findPlace({ root, path = ".", mayBeMissing }: TargetQuestion): Promise<Place | TargetCheck> {
  if (typeof root !== "string" || typeof path !== "string" || root === "") return asking("unclear-path");
  if (path === "" || !isClearText(path) || process.platform === "win32") return asking("unclear-path");
  const folder = await canonicalPath(root);
  if (folder.kind !== "found") return asking(folder.kind === "missing" ? "missing" : "unclear-path");
  const written = fromFolder(folder.path, path);
  const found = await canonicalPath(written);
  if (found.kind === "found")
    return { root: folder.path, path: found.path, written, stats: await lstat(found.path, { bigint: true }) };
  if (found.kind === "unclear") return asking("unclear-path");
  if (mayBeMissing !== true) return asking("missing");
  const created = await canonicalNewPath(written);
  if (created.kind !== "found") return asking(created.kind === "missing" ? "missing" : "unclear-path");
  return { root: folder.path, path: created.path, written, stats: null };
}

const isWrite = ({ forWriting, mayBeMissing }: TargetQuestion): boolean =>
  forWriting === true || mayBeMissing === true;

async function judge(
  place: Place,
  question: TargetQuestion,
  names: readonly string[] | null,
): Promise<PathCheck> {
  const { root, path, stats } = place;
  const reason =
    reasonOfPlace(place) ??
    reasonOfEntry(stats, question.kind) ??
    (await reasonOfName(place, question, names));
  if (reason !== null) return ask(reason, path);
  const repository = await repositoryOf(root, path);
  if (repository === null) return ask("not-a-repository", path);
  const isFolder = stats?.isDirectory() === true;
  const isTop = path === root || path === repository.top;
  // Moving or deleting a whole worktree isn't a change in it.
  if (isTop && path !== root && isWrite(question)) return ask("nested-repository", path);
  const [obstacle, answer, rules] = await Promise.all([
    obstacleOnTheWay(repository, isFolder ? path : dirname(path)),
    askGit(repository, place, isTop),
    isFolder ? NO_RULES : rulesFor(question, root, repository),
  ]);
  if (obstacle !== null) return ask(obstacle, path);
  if (!(await isStillThere(place))) return ask("unclear-path", path);
  const allowed = toReason(answer, isTop);
  if (allowed.effect === "allow" && rules?.has(path) !== false)
    return ask(rules === null ? "git-unavailable" : "protected-name", path);
  return allowed.effect === "allow" ? { ...allowed, resolved: path } : ask(allowed.reason, path);
}

const NO_RULES: Pick<RuleFiles, "has"> = { has: () => false };

const rulesFor = async (question: TargetQuestion, root: string, repository: Repository) =>
  isWrite(question) ? ruleFilesOf(root, repository) : NO_RULES;

function reasonOfPlace({ root, path }: Place): AskReason | null {
  const within = pathWithin(root, path);
  if (within === null) return "outside";
  if (hasGitFolder(path)) return "git-folder";
  return isClearText(within) ? null : "unclear-path";
}

function reasonOfEntry(stats: BigIntStats | null, kind: PathQuestion["kind"]): AskReason | null {
  if (stats === null) return null;
  if (!stats.isFile() && !stats.isDirectory()) return "special-file";
  if (stats.isDirectory() !== (kind === "directory")) return "wrong-kind";
  return stats.isFile() && stats.nlink > 1n ? "several-links" : null;
}

async function reasonOfName(
  { root, path }: Place,
  question: TargetQuestion,
  names: readonly string[] | null,
): Promise<AskReason | null> {
  if (!isWrite(question)) return null;
  if (names === null) return "git-unavailable";
  return (await isAnyProtected(root, [path, ...names])) ? "protected-name" : null;
}

async function askGit(
  repository: Repository,
  { path, stats }: Place,
  isTop: boolean,
): Promise<FileAnswer | FolderAnswer> {
  if (isTop) return askAboutRoot(repository);
  const within = pathWithin(repository.top, path);
  if (within === null) return { answer: "elsewhere" };
  if (stats?.isFile()) return askAboutFile(repository, within);
  return askAboutFolder(repository, within);
}

function toReason(
  { answer }: FileAnswer | FolderAnswer,
  isRoot: boolean,
):
  | { readonly effect: "allow"; readonly reason: AllowReason }
  | { readonly effect: "ask"; readonly reason: AskReason } {
  if (answer === "unclear") return { effect: "ask", reason: "git-unavailable" };
  if (answer === "elsewhere") return { effect: "ask", reason: "not-a-repository" };
  // The working directory itself is never ignored.
  if (isRoot) return { effect: "allow", reason: "root" };
  return answer === "ignored" ? { effect: "ask", reason: "ignored" } : { effect: "allow", reason: answer };
}

/** Whether the path is still what git was asked about. */
async function isStillThere({ path, stats }: Place): Promise<boolean> {
  if (stats === null) return (await canonicalPath(dirname(path))).kind === "found";
  const [now, found] = await Promise.all([lstat(path, { bigint: true }), canonicalPath(path)]);
  return found.kind === "found" && found.path === path && sameIdentity(toIdentity(now), toIdentity(stats));
}
