/**
 * The names of a path by links: links on the way to it, and links in the project with the name of a protected file or
 * folder. Agents and programs find their settings by such names, wherever the files are.
 */
import { lstat, readdir, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { askForNames } from "./git/git.ts";
import { findRepository } from "./git/repository.ts";
import { MAX_LINKED_NAMES, MAX_LINKS, MAX_NAMES_BY_LINKS } from "./limits.ts";
import { canonicalPath, fromFolder, inFolder, pathWithin, stepTo } from "./paths/canonical-path.ts";
import { homeSettings, markShownBy, marksAround } from "./paths/marked-folders.ts";
import {
  isProtectedName,
  LINK_PATTERNS,
  leadsToProtected,
  mayGiveProtectedName,
} from "./paths/protected-names.ts";

/** All names except the canonical path, which `path` is or will be; null if they can't be determined. */
export async function linkNamesOf(
  root: string,
  written: string,
  path: string,
): Promise<readonly string[] | null> {
  const [onTheWay, links] = await Promise.all([namesOnTheWay(written), linksWithProtectedNames(root)]);
  if (links === null) return null;
  const byTarget = Map.groupBy(links, ({ target }) => target);
  const names = new Set([path, ...onTheWay]);
  // A name through one link may lead through another.
  for (const known of names) {
    for (const name of namesBy(byTarget, known)) names.add(name);
    if (names.size > MAX_NAMES_BY_LINKS) return null;
  }
  names.delete(path);
  return [...names];
}

/**
 * Whether a link with the name of a protected file or folder leads into one of these folders; null if that can't be
 * determined.
 */
export async function isLinkedInto(root: string, folders: readonly string[]): Promise<boolean | null> {
  const links = await linksWithProtectedNames(root);
  if (links === null) return null;
  return links.some(({ target }) => folders.some((folder) => pathWithin(folder, target) !== null));
}

/** The names of a path through one link each, unless the path contains that link already. */
function namesBy(byTarget: ReadonlyMap<string, readonly Link[]>, path: string): readonly string[] {
  return [path, ...foldersAround(path)].flatMap((target) => {
    const within = pathWithin(target, path) ?? "";
    return (byTarget.get(target) ?? [])
      .filter(({ name }) => pathWithin(name, path) === null)
      .map(({ name }) => (within === "" ? name : inFolder(name, within)));
  });
}

function foldersAround(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAround(folder)];
}

/** The path by the name of each link on the way, with the rest of it. */
export async function namesOnTheWay(written: string): Promise<readonly string[]> {
  const names: string[] = [];
  const parts = written.split("/");
  for (let at = "/", part = parts.shift(); part !== undefined; part = parts.shift()) {
    const next = stepTo(at, part);
    const target = await readlink(next).catch(() => null);
    if (target === null) {
      at = next;
      continue;
    }
    names.push([next, ...parts.filter((each) => each !== "" && each !== ".")].join("/"));
    if (names.length > MAX_LINKS) return names;
    parts.unshift(...target.split("/"));
    if (target.startsWith("/")) at = "/";
  }
  return names;
}

interface Link {
  readonly name: string;
  /** Canonical. */
  readonly target: string;
}

/** Of a path that may be a link with a protected name. */
const MAX_DEPTH = 100;

/** Links that git lists, and links at the top or in a folder such as `.claude` there, which git may ignore. */
async function linksWithProtectedNames(root: string): Promise<readonly Link[] | null> {
  const repository = await findRepository(root);
  // Without a repository, everything needs approval.
  if (repository === null) return [];
  const listed = await askForNames(repository, LINK_PATTERNS);
  if (listed === null) return null;
  // THREAT: patterns with `**` take long on each of thousands of very deep paths.
  if (listed.some((name) => name.split("/").length > MAX_DEPTH)) return null;
  const atTop = (await Promise.all([repository.top, root].map(namesIn))).flat();
  const names = new Set([...listed.map((name) => join(repository.top, name)), ...atTop]);
  const shown = [...names].map(markShownBy).filter((found) => found !== null);
  const marks = new Set(shown.map(({ mark }) => mark));
  const isSetting = await homeSettings(root);
  const isNamed = (name: string): boolean => mayGiveProtectedName(name) || isSetting(name);
  const isMeant = (name: string): boolean =>
    isNamed(name) || marksAround(name).some((mark) => marks.has(mark));
  const parts = [...new Set(shown.flatMap((found) => found.parts))];
  const inParts = await Promise.all(parts.map((part) => linksBehind(part, LINK_DEPTH)));
  const meant = [...[...names].filter(isNamed), ...parts, ...inParts.flat()];
  if (meant.length > MAX_LINKED_NAMES) return null;
  return withLinksBehind(await toLinks(meant), isMeant);
}

const toLinks = async (names: readonly string[]): Promise<readonly Link[]> =>
  (await Promise.all(names.map(toLink))).filter((link) => link !== null);

/**
 * Links, those behind one of them, those behind these, and so on; null if they are too many. Each folder is read once
 * under a protected name, and once under each name that may contain protected ones.
 */
async function withLinksBehind(
  links: readonly Link[],
  isMeant: (name: string) => boolean,
): Promise<readonly Link[] | null> {
  const found = [...links];
  const seen = new Set<string>();
  for (const { name, target } of found) {
    const key = isProtectedName(name) ? target : `${target}\0${basename(name)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const behind = await linksBehind(name, LINK_DEPTH);
    found.push(...(await toLinks(behind.filter(isMeant))));
    if (found.length > MAX_LINKED_NAMES) return null;
  }
  return found;
}

/** Such as `skills/NAME` in the target of `.claude`, which may be a link too: git lists no such name. */
const LINK_DEPTH = 2;

/** The links in a link's target folder, by the link's name; none if it isn't a folder. */
async function linksBehind(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [path];
    return entry.isDirectory() && depth > 1 ? linksBehind(path, depth - 1) : [];
  });
  return (await Promise.all(found)).flat();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const found = (await readdir(folder, { withFileTypes: true })).map((entry) => ({
    path: join(folder, entry.name),
    isFolder: entry.isDirectory(),
  }));
  const inner = found
    .filter(({ path, isFolder }) => isFolder && leadsToProtected(path))
    .map(async ({ path }) => (await readdir(path)).map((name) => join(path, name)));
  return [...found.map(({ path }) => path), ...(await Promise.all(inner)).flat()];
}

async function toLink(name: string): Promise<Link | null> {
  const stats = await lstat(name).catch(() => null);
  if (stats?.isSymbolicLink() !== true) return null;
  const found = await canonicalPath(name);
  if (found.kind === "found") return { name, target: found.path };
  // Its target doesn't exist yet.
  const folder = await canonicalPath(dirname(name));
  const target = await readlink(name).catch(() => null);
  if (folder.kind !== "found" || target === null) return null;
  return { name, target: await leadsTo(fromFolder(folder.path, target)) };
}

async function leadsTo(path: string): Promise<string> {
  const plain = join(path);
  const parent = await canonicalPath(dirname(plain));
  return parent.kind === "found" ? join(parent.path, plain.slice(dirname(plain).length)) : plain;
}
