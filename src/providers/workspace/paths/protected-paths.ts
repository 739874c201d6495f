/** What no agent may touch, even with an approval. Looked up as it is now. */
import { lstat, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { canonicalPath, fromFolder, inFolder, pathWithin } from "./canonical-path.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";

/** Files that SQLite and the store keep beside a database. */
const COMPANIONS = ["", "-wal", "-shm", "-journal", "-mark", "-runners"];

/** Among protected paths: the settings of a coding agent in any folder, which may contain its hook. */
export const AGENT_SETTINGS = "**/.claude/settings*.json";
const NAMED_LIKE_SETTINGS = /\/\.claude\/settings[^/]*\.json$/i;

/** Whether a canonical path is protected, is in a protected folder, or is the same file under another name. */
export type ProtectionRule = (path: string, identity: Identity | null) => boolean;

/** The rule for these files, and folders with their content, each with the files that SQLite keeps beside it. */
export async function protectedPaths(protect: readonly string[]): Promise<ProtectionRule> {
  const hasSettings = protect.includes(AGENT_SETTINGS);
  const given = pathsOf(protect).flatMap((path) => COMPANIONS.map((companion) => `${path}${companion}`));
  const found = await Promise.all(given.map(whereItLies));
  const identities = (await Promise.all(found.map(identityOf))).filter((identity) => identity !== null);
  return (path, identity) =>
    (hasSettings && NAMED_LIKE_SETTINGS.test(path)) ||
    found.some((each) => pathWithin(each, path) !== null) ||
    (identity !== null && identities.some((each) => sameIdentity(each, identity)));
}

/** Whether a canonical folder that is to be moved or deleted contains something protected. */
export async function holdsProtected(folder: string, protect: readonly string[]): Promise<boolean> {
  if (protect.includes(AGENT_SETTINGS) && /\/\.claude$/i.test(folder)) return true;
  const found = await Promise.all(pathsOf(protect).map(placesOnTheWay));
  return found.flat().some((each) => pathWithin(folder, each) !== null);
}

const pathsOf = (protect: readonly string[]): readonly string[] =>
  protect.filter((path) => path !== AGENT_SETTINGS);

/** Its place, and that of each link on the way: without one of these it isn't found any more. */
export async function placesOnTheWay(path: string): Promise<readonly string[]> {
  const [places, links] = [new Set<string>(), new Set<string>()];
  const open = [fromFolder(process.cwd(), path)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    places.add(await whereItLies(next));
    for (let at = next; at !== dirname(at); at = dirname(at)) {
      const leadsTo = await readlink(at).catch(() => null);
      if (leadsTo === null) continue;
      const folder = await whereItLies(dirname(at));
      const place = inFolder(folder, basename(at));
      places.add(place);
      if (!links.has(place)) open.push(fromFolder(folder, leadsTo));
      links.add(place);
    }
  }
  return [...places];
}

/** Canonical, as far as the path exists. */
async function whereItLies(path: string): Promise<string> {
  const written = fromFolder(process.cwd(), path);
  const found = await canonicalPath(written);
  if (found.kind === "found") return found.path;
  const parent = dirname(written);
  return parent === written ? written : join(await whereItLies(parent), written.slice(parent.length));
}

async function identityOf(path: string): Promise<Identity | null> {
  try {
    return toIdentity(await lstat(path, { bigint: true }));
  } catch {
    return null;
  }
}
