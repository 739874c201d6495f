/**
 * The files from which git knows what to ignore and run, apart from those with fixed names: its settings files, the
 * ignore files and programs that they name, the folder of hooks, and what links in it lead to. Writing one can make an
 * ignored file visible, or run a program.
 */
import { readdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fromFolder, isNothingThere, pathWithin } from "../paths/canonical-path.ts";
import { findNamedPrograms } from "../paths/named-programs.ts";
import { placesOnTheWay } from "../paths/protected-paths.ts";
import { askForSettings } from "./git.ts";
import { defaultIgnoreFile, type GitProgram } from "./git-program.ts";
import { commonFolderOf, type Repository } from "./repository.ts";

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
  if (common === null) return null;
  const hookFolders = [...named.hooks, join(common, "hooks")];
  const linked = await linksIn(hookFolders);
  if (linked === null) return null;
  const files = [
    ...named.files,
    ...linked,
    ...(excluded === "" ? [] : [excluded, join(dirname(excluded), "config")]),
    join(common, "info/exclude"),
  ];
  const { HOME: home } = settings.program.env;
  const folders = [repository.top, ...(home === undefined ? [] : [home])];
  const commands = named.commands.map((value) => ({ texts: [value], folders }));
  const [programs, ...found] = await Promise.all([findNamedPrograms(commands), ...files.map(placesOnTheWay)]);
  if (programs === null) return null;
  const hooks = (await Promise.all(hookFolders.map(placesOnTheWay))).flat();
  const places = [...new Set([...found.flat(), ...hooks])];
  // Some systems ignore letter case.
  const folded = new Set(places.map((place) => place.toLowerCase()));
  return {
    has: (path) =>
      folded.has(path.toLowerCase()) ||
      programs.has(path) ||
      hooks.some((folder) => pathWithin(folder.toLowerCase(), path.toLowerCase()) !== null),
    liesIn: (folder) => places.some((place) => pathWithin(folder, place) !== null) || programs.liesIn(folder),
  };
}

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

/** Settings that name other files: included settings, ignore files, and folders of hooks. */
const NAMES_FILE =
  /^(?:core\.excludesfile|core\.hookspath|init\.templatedir|include\.path|includeif\..*\.path)$/s;
/** Folders of hooks, or with one that comes into each new repository. */
const IS_FOLDER = /^(?:core\.hookspath|init\.templatedir)$/;

/** Settings whose values are names of branches, or files that are read as text alone. */
const IS_DATA =
  /^(?:branch\..*|remote\..*\.(?:fetch|push)|submodule\..*\.(?:active|branch|path)|safe\.directory|maintenance\.repo|gui\.recentrepo|blame\.ignorerevsfile|commit\.template|mailmap\.file|gpg\.ssh\.(?:allowedsigners|revocation)file)$/s;
const IS_ADDRESS = /^(?:remote|submodule)\..*url$/s;
/** Such an address is a command, wherever it stands. */
const RUNS_COMMAND = /\bext::/;

/**
 * THREAT: new settings that name commands come with each version of git, so any other value may be one, in the top
 * folder or the home folder.
 */
const isCommand = ({ name, value }: Entry): boolean =>
  RUNS_COMMAND.test(`${name} ${value}`) || (value !== "" && !IS_DATA.test(name) && !IS_ADDRESS.test(name));

interface NamedFiles {
  readonly files: readonly string[];
  readonly commands: readonly string[];
  /** Folders. */
  readonly hooks: readonly string[];
}

/** The files that contain settings and that settings name; null if one can't be determined. */
function readNamed({ top }: Repository, output: string, program: GitProgram): NamedFiles | null {
  const settings = readEntries(output);
  if (settings === null) return null;
  const inFiles = settings.map((entry) => ({ ...entry, file: fromFolder(top, entry.origin) }));
  // Another user's folder is no part of the workspace, nor is git's own.
  const isElsewhere = ({ name, value }: Entry): boolean =>
    name === "init.templatedir" && /^(?:~[^/]|%)/.test(value);
  const isNaming = (entry: Entry): boolean =>
    NAMES_FILE.test(entry.name) && entry.value !== "" && !isElsewhere(entry);
  const named = inFiles.filter(isNaming).map(({ file, name, value }) => ({
    isFolder: IS_FOLDER.test(name),
    path: expand(value, name.startsWith("include") ? dirname(file) : top, program),
  }));
  if (named.some(({ path }) => path === null)) return null;
  const commands = settings.filter((entry) => !isNaming(entry) && isCommand(entry));
  const pathsOf = (isFolder: boolean) =>
    named.flatMap((one) => (one.isFolder === isFolder && one.path !== null ? [one.path] : []));
  const files = new Set([...inFiles.map(({ file }) => file), ...pathsOf(false)]);
  return {
    files: [...files],
    hooks: pathsOf(true),
    commands: [...new Set(commands.map(({ name, value }) => (RUNS_COMMAND.test(name) ? name : value)))],
  };
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
