/** The links by which commands may reach a file: those that lie where only names from the commands lead. */
import { readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fromFolder, inFolder, pathWithin } from "./canonical-path.ts";
import { withoutExtension } from "./command-words.ts";

export interface LinkedPlace {
  /** In lower case, as written in a command. */
  readonly name: string;
  /** Canonical as far as it exists, in lower case. */
  readonly target: string;
}

/** With more folders, links and entries of folders, a file may have any name. */
const MAX_FOLDERS = 10_000;
const MAX_LINKS = 20_000;
const MAX_ENTRIES = 200_000;
const MAX_LINKED_FOLDERS = 40;

interface Folder {
  /** As a command may write it. */
  readonly name: string;
  /** Its canonical path, and those of the folders with links on the way to it. */
  readonly reals: readonly [string, ...string[]];
}

/** The links below these canonical folders whose path has only names that stand somewhere; null if they are too many. */
export async function findLinkedPlaces(
  bases: readonly string[],
  stands: (name: string) => boolean,
): Promise<readonly LinkedPlace[] | null> {
  const found: LinkedPlace[] = [];
  const seen = new Set<string>();
  const left = { entries: MAX_ENTRIES, links: MAX_LINKS };
  // Many names may lead to one folder.
  const known = new Map<string, Inside>();
  const open: Folder[] = bases.map((base) => ({ name: base, reals: [base] }));
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    const { name, reals } = folder;
    if (seen.has(name)) continue;
    seen.add(name);
    const [real, ...others] = reals;
    const inside = known.get(real) ?? (await lookInto(real, stands, left));
    known.set(real, inside);
    left.links -= inside.links.length;
    if (left.links < 0 || left.entries < 0) return null;
    if (seen.size + open.length + inside.folders.length + inside.links.length > MAX_FOLDERS) return null;
    open.push(
      ...inside.folders.map(
        (each): Folder => ({
          name: inFolder(name, each),
          reals: [inFolder(real, each), ...others],
        }),
      ),
    );
    for (const [own, target] of inside.links) {
      const path = inFolder(name, own);
      found.push({ name: path.toLowerCase(), target: target.toLowerCase() });
      const isLoop =
        reals.some((each) => pathWithin(target, each) !== null) || reals.length > MAX_LINKED_FOLDERS;
      if (!isLoop) open.push({ name: path, reals: [target, ...reals] });
    }
  }
  return found;
}

/** What of a folder has names that stand somewhere: names of folders, and of links with what they lead to. */
interface Inside {
  readonly folders: readonly string[];
  readonly links: readonly (readonly [name: string, target: string])[];
}

async function lookInto(
  real: string,
  stands: (name: string) => boolean,
  left: { entries: number; readonly links: number },
): Promise<Inside> {
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  left.entries -= entries.length;
  const links: [string, string][] = [];
  for (const { name } of entries.filter((entry) => entry.isSymbolicLink())) {
    const plain = name.toLowerCase();
    if (!stands(plain) && !stands(withoutExtension(plain))) continue;
    links.push([name, await targetOf(inFolder(real, name))]);
    if (links.length > left.links) break;
  }
  const folders = entries.filter((entry) => entry.isDirectory() && stands(entry.name.toLowerCase()));
  return { folders: folders.map(({ name }) => name), links };
}

/** As far as it exists: what a link leads to may be written later. */
async function targetOf(path: string, depth = 0): Promise<string> {
  const found = await realpath(path).catch(() => null);
  if (found !== null || depth > MAX_LINKED_FOLDERS) return found ?? path;
  const leadsTo = await readlink(path).catch(() => null);
  const folder = dirname(path);
  if (leadsTo !== null) return targetOf(fromFolder(folder, leadsTo), depth + 1);
  return folder === path ? path : inFolder(await targetOf(folder, depth), basename(path));
}
