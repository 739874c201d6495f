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

/** With more, a file may have any name. */
const MAX_FOLDERS = 10_000;
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
  let open: readonly Folder[] = bases.map((base) => ({ name: base, reals: [base] }));
  while (open.length > 0) {
    const fresh = open.filter(({ name }) => !seen.has(name));
    for (const { name } of fresh) seen.add(name);
    if (seen.size > MAX_FOLDERS) return null;
    const below = await Promise.all(fresh.map((folder) => lookInto(folder, stands)));
    found.push(...below.flatMap(({ links }) => links));
    open = below.flatMap(({ folders }) => folders);
  }
  return found;
}

async function lookInto({ name, reals }: Folder, stands: (name: string) => boolean) {
  const [links, folders]: [LinkedPlace[], Folder[]] = [[], []];
  const [real, ...others] = reals;
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const plain = entry.name.toLowerCase();
    const path = inFolder(name, entry.name);
    if (entry.isDirectory() && stands(plain))
      folders.push({ name: path, reals: [inFolder(real, entry.name), ...others] });
    if (!entry.isSymbolicLink() || !(stands(plain) || stands(withoutExtension(plain)))) continue;
    const target = await targetOf(inFolder(real, entry.name));
    links.push({ name: path.toLowerCase(), target: target.toLowerCase() });
    const isLoop =
      reals.some((each) => pathWithin(target, each) !== null) || reals.length > MAX_LINKED_FOLDERS;
    if (!isLoop) folders.push({ name: path, reals: [target, ...reals] });
  }
  return { links, folders };
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
