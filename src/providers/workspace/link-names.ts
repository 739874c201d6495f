/**
 * The names that a path has by links: those that lead to it as it is written, and those in the project that bear the
 * name of a protected file or folder. What decides over agents is read by such a name, wherever it lies.
 */
import { lstat, readdir, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { askForNames } from "./git/git.ts";
import { findRepository } from "./git/repository.ts";
import { MAX_LINKED_NAMES, MAX_LINKS } from "./limits.ts";
import { canonicalPath, fromFolder, inFolder, pathWithin, stepTo } from "./paths/canonical-path.ts";
import { homeSettings, markShownBy, marksAround } from "./paths/marked-folders.ts";
import {
  isProtectedName,
  LINK_PATTERNS,
  leadsToProtected,
  mayGiveProtectedName,
} from "./paths/protected-names.ts";

/** All of them but the canonical path itself, which `path` is or will be; null if they can't be determined. */
export async function linkNamesOf(
  root: string,
  written: string,
  path: string,
): Promise<readonly string[] | null> {
  const [onTheWay, links] = await Promise.all([namesOnTheWay(written), linksWithProtectedNames(root)]);
  if (links === null) return null;
  const names = new Set([path, ...onTheWay]);
  // A name that one link gives may lie behind another.
  for (const known of names) {
    for (const name of links.flatMap((link) => namesBy(link, known))) names.add(name);
    if (names.size > MAX_LINKED_NAMES) return null;
  }
  names.delete(path);
  return [...names];
}

/** The name that a link gives to a path, unless the path goes through it. */
function namesBy({ name, target }: Link, path: string): readonly string[] {
  const within = pathWithin(name, path) === null ? pathWithin(target, path) : null;
  if (within === null) return [];
  return [within === "" ? name : inFolder(name, within)];
}

/** The path by the name of each link on its way, with the rest of it. */
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

/** Those that git lists, and those at the top or in a folder such as `.claude` there, which it may ignore. */
async function linksWithProtectedNames(root: string): Promise<readonly Link[] | null> {
  const repository = await findRepository(root);
  // Everything asks there.
  if (repository === null) return [];
  const listed = await askForNames(repository, LINK_PATTERNS);
  if (listed === null) return null;
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
 * Links, those that lie behind one of them, those behind these, and so on; null if they are too many. Each place is
 * gone through once by a protected name, and once by each name in which protected ones may lie.
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

/** Such as `skills/NAME` in what `.claude` is a link to, which may be a link as well: known by no name that git lists. */
const LINK_DEPTH = 2;

/** The links in the folder that a link leads to, by the link's name; none if it leads to no folder. */
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
  // It leads to what isn't there yet.
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
