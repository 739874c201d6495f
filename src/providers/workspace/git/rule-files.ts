/**
 * The files from which git knows what to ignore and run, apart from those with fixed names: its settings files, the
 * ignore files and programs that they name, the folder of hooks, and what links in it lead to. Writing one can make an
 * ignored file visible, or run a program.
 */
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fromFolder, inFolder, isNothingThere, pathWithin } from "../paths/canonical-path.ts";
import { asRelative, readingsOf, withoutExtension, wordsOf } from "../paths/command-words.ts";
import { placesOnTheWay } from "../paths/protected-paths.ts";
import { askForSettings } from "./git.ts";
import { defaultIgnoreFile, type GitProgram } from "./git-program.ts";
import type { Repository } from "./repository.ts";

/** Whether a canonical path is one of these files, in a folder of hooks, or a folder that contains one. */
export interface RuleFiles {
  has(path: string): boolean;
  liesIn(folder: string): boolean;
}

/** Asks git. Null if it fails. */
export async function findRuleFiles(repository: Repository): Promise<RuleFiles | null> {
  const settings = await askForSettings(repository);
  const named = settings && readNamed(repository, settings.output, settings.program);
  if (settings === null || named === null) return null;
  const excluded = defaultIgnoreFile(settings.program);
  const common = await commonFolderOf(repository);
  const hookFolders = [...named.hooks, join(common, "hooks")];
  const linked = await linksIn(hookFolders);
  if (linked === null) return null;
  const files = [
    ...named.files,
    ...linked,
    ...(excluded === "" ? [] : [excluded, join(dirname(excluded), "config")]),
    join(common, "info/exclude"),
  ];
  const found = await Promise.all([...files.map(placesOnTheWay), placesOf(named.programs)]);
  const hooks = (await Promise.all(hookFolders.map(placesOnTheWay))).flat();
  const places = [...new Set([...found.flat(), ...hooks])];
  // Some systems ignore letter case.
  const folded = new Set(places.map((place) => place.toLowerCase()));
  return {
    has: (path) =>
      folded.has(path.toLowerCase()) ||
      // A program may be named without its extension.
      folded.has(withoutExtension(path.toLowerCase())) ||
      hooks.some((folder) => pathWithin(folder.toLowerCase(), path.toLowerCase()) !== null),
    liesIn: (folder) => places.some((place) => pathWithin(folder, place) !== null),
  };
}

/** The places of many paths, most of which lead nowhere: only where a link is on the way, all of these are found. */
async function placesOf(paths: readonly string[]): Promise<readonly string[]> {
  const known = new Map<string, Promise<string>>();
  const canonicalOf = (path: string): Promise<string> => {
    const found = known.get(path) ?? resolveAsFarAsThere(path, canonicalOf);
    known.set(path, found);
    return found;
  };
  const places = paths.map(async (path) => {
    const plain = join(path);
    // Through a link, `..` leads elsewhere than it seems.
    const isPlain = !path.includes("/../") && (await canonicalOf(plain)) === plain;
    return isPlain ? [plain] : placesOnTheWay(path);
  });
  return (await Promise.all(places)).flat();
}

const resolveAsFarAsThere = (
  path: string,
  canonicalOf: (folder: string) => Promise<string>,
): Promise<string> =>
  realpath(path).catch(async () => {
    // What a link leads to may be written later.
    const leadsTo = await readlink(path).catch(() => null);
    if (leadsTo !== null) return leadsTo;
    const folder = dirname(path);
    return folder === path ? path : inFolder(await canonicalOf(folder), basename(path));
  });

const MAX_HOOKS = 200;

/** The links in the folders of hooks; null if they can't be read. */
async function linksIn(folders: readonly string[]): Promise<readonly string[] | null> {
  const links: string[] = [];
  for (const folder of folders) {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      if (entries.length > MAX_HOOKS) return null;
      links.push(...entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name)));
    } catch (cause) {
      if (!isNothingThere(cause)) return null;
    }
  }
  return links;
}

/** Settings that name other files: included settings, ignore files, and the folder of hooks. */
const NAMES_FILE = /^(?:core\.excludesfile|core\.hookspath|include\.path|includeif\..*\.path)$/s;

/** Settings whose values are names of branches, or files that are read as text alone. */
const IS_DATA =
  /^(?:branch\..*|remote\..*\.(?:fetch|push)|submodule\..*\.(?:active|branch|path|update)|safe\.directory|maintenance\.repo|gui\.recentrepo|blame\.ignorerevsfile|commit\.template|mailmap\.file|gpg\.ssh\.(?:allowedsigners|revocation)file)$/s;
/** Addresses, unless git runs a command for them. */
const IS_ADDRESS = /^(?:remote|submodule)\..*url$/s;
const HAS_EXTENSION = /\.[a-z]\w{0,7}$/i;
const INTERPRETER = /(?:^|\/)(?:\w*sh|node|bun|deno|tsx|python[\d.]*|ruby|perl|php)$/;
const GOES_TO = /\bcd\s+(?:--\s+)?["']?([^\s"';&|()]+)/g;
/** All programs' paths together. */
const MAX_PROGRAMS = 500;

/**
 * The paths that the value of a setting may name, from the top, from the home folder, and from folders that its command
 * goes to. THREAT: new settings that name commands come with each version of git, so any word with a slash counts,
 * wherever it stands, and one with an extension; another one only if an interpreter may open it, since a command is
 * looked for on `PATH`.
 */
function programsIn(name: string, value: string, top: string, { env }: GitProgram): readonly string[] {
  if (IS_DATA.test(name) || (IS_ADDRESS.test(name) && !value.startsWith("ext::"))) return [];
  const words = wordsOf(value.replace(/^!/, ""));
  const paths = words.flatMap((word, at) => [...readingsOf(word, words[at - 1]), asRelative(word)]);
  const isScript = words.some((word) => INTERPRETER.test(word));
  const named = paths.filter(
    (path) => path !== "" && (isScript || path.includes("/") || HAS_EXTENSION.test(path)),
  );
  const home = value.includes("~/") && env.HOME !== undefined ? [env.HOME] : [];
  const within = [...value.matchAll(GOES_TO)].map(([, folder = ""]) => fromFolder(top, folder));
  return [top, ...home, ...within].flatMap((folder) => named.map((path) => fromFolder(folder, path)));
}

interface NamedFiles {
  readonly files: readonly string[];
  readonly programs: readonly string[];
  /** Folders. */
  readonly hooks: readonly string[];
}

/**
 * The files that contain settings and that settings name; null if one can't be determined, or if they are too many.
 */
function readNamed({ top }: Repository, output: string, program: GitProgram): NamedFiles | null {
  const settings = readEntries(output);
  if (settings === null) return null;
  const inFiles = settings.map((entry) => ({ ...entry, file: fromFolder(top, entry.origin) }));
  const isNaming = ({ name, value }: Entry): boolean => NAMES_FILE.test(name) && value !== "";
  const named = inFiles.filter(isNaming).map(({ file, name, value }) => ({
    isFolder: name === "core.hookspath",
    path: expand(value, name.startsWith("core.") ? top : dirname(file), program),
  }));
  const others = inFiles.filter((entry) => !isNaming(entry));
  const programs = new Set(others.flatMap(({ name, value }) => programsIn(name, value, top, program)));
  if (programs.size > MAX_PROGRAMS || named.some(({ path }) => path === null)) return null;
  const pathsOf = (isFolder: boolean) =>
    named.flatMap((one) => (one.isFolder === isFolder && one.path !== null ? [one.path] : []));
  const files = new Set([...inFiles.map(({ file }) => file), ...pathsOf(false)]);
  return { files: [...files], hooks: pathsOf(true), programs: [...programs] };
}

interface Entry {
  /** The file that contains it. */
  readonly origin: string;
  readonly name: string;
  /** Empty if it has none. */
  readonly value: string;
}

/** The settings in files, of pairs separated by NUL; null if they can't be read. */
function readEntries(output: string): readonly Entry[] | null {
  const parts = output.split("\0");
  if (parts.pop() !== "" || parts.length % 2 !== 0) return null;
  const entries: Entry[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [origin = "", entry = ""] = parts.slice(at, at + 2);
    // Settings passed by the gateway aren't in a file.
    if (!origin.startsWith("file:")) continue;
    const [, name = "", value = ""] = /^([^\n]*)(?:\n(.*))?$/s.exec(entry) ?? [];
    entries.push({ origin: origin.slice("file:".length), name, value });
  }
  return entries;
}

/** Expands a path as git does; null for another user's home folder and for git's build prefix. */
function expand(value: string, folder: string, { env }: GitProgram): string | null {
  if (value.startsWith("~/")) return env.HOME === undefined ? null : join(env.HOME, value.slice(2));
  if (value.startsWith("~") || value.startsWith("%(prefix)")) return null;
  return isAbsolute(value) ? value : fromFolder(folder, value);
}

/** The folder that a repository's worktrees share. */
async function commonFolderOf({ gitFolder }: Repository): Promise<string> {
  const named = await readFile(join(gitFolder, "commondir"), "utf8").catch(() => null);
  return named === null ? gitFolder : fromFolder(gitFolder, named.trim());
}
