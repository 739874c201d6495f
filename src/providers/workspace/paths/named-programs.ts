/**
 * Which files commands may run. THREAT: which file a command runs can't be determined. So a file counts if its own name
 * stands in the command, and so do the names of the folders that lead to it from a folder in which the command may
 * run, in whatever order.
 */
import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathWithin } from "./canonical-path.ts";
import {
  AFTER_SLASH,
  ALONE,
  AT_BASE,
  type CommandText,
  type Interpreter,
  isOdd,
  OPENED,
  readCommand,
} from "./command-text.ts";
import { withoutExtension } from "./command-words.ts";
import { findLinkedPlaces, type LinkedPlace } from "./linked-places.ts";
import { pluginsAround } from "./marked-folders.ts";

export interface Command {
  /** Its text, in one or more parts; the program first. */
  readonly texts: readonly string[];
  /** Where it may run. */
  readonly folders: readonly string[];
  /** It names plugins, which need no mark of their own. */
  readonly isPlugin?: boolean;
  /** Other text with folders that its variables may contain. */
  readonly variables?: string;
}

export interface NamedPrograms {
  /** Whether a command may run the file with this canonical path, existing or not. */
  has(path: string): boolean;
  /** Whether a command may run a file in this folder. */
  liesIn(folder: string): boolean;
}

/** Characters of all commands together. Splitting more into names would take too long. */
export const MAX_COMMAND_TEXT = 256 * 1024;
/** Splitting a longer text into names takes milliseconds. */
const LONG = 16 * 1024;

/** Characters and names that are searched for links. More would take too long. */
const MAX_SEARCHED = 100_000_000;
const SEARCHED_IN_COMMAND = 1000;

/**
 * Null if the commands are too long, or there are too many links to consider.
 * @param shared text with folders that variables of every command may contain
 */
export async function findNamedPrograms(
  commands: readonly Command[],
  shared = "",
): Promise<NamedPrograms | null> {
  const variables = new Set(commands.map((one) => one.variables ?? ""));
  const all = [...commands.flatMap(({ texts }) => texts), ...variables, shared];
  if (lengthOf(all) > MAX_COMMAND_TEXT) return null;
  const canonical = new Map<string, string>();
  for (const folder of new Set(commands.flatMap(({ folders }) => folders)))
    canonical.set(folder, await realpath(folder).catch(() => folder));
  const read: ReadCommand[] = [];
  const known = new Map<string, CommandText>();
  let [length, searched] = [0, 0];
  for (const { texts, variables = "", folders, isPlugin = false } of commands) {
    const bases = folders.map((folder) => (canonical.get(folder) ?? folder).toLowerCase());
    const others = [shared, variables].map((text) => {
      const other = known.get(text) ?? readCommand([text], []);
      known.set(text, other);
      return other;
    });
    read.push({ text: readCommand(texts, bases), others, bases, isPlugin });
    const ofCommand = lengthOf(texts);
    length += ofCommand;
    searched += ofCommand + SEARCHED_IN_COMMAND;
    if (length < LONG) continue;
    length = 0;
    await nextTurn();
  }
  const links = await findLinkedPlaces(["/", ...new Set(canonical.values())], standsInAny(read, searched));
  if (links === null || links.length * searched > MAX_SEARCHED) return null;
  const isAny = (path: string, test: (command: ReadCommand, place: string) => boolean): boolean => {
    const places = placesOf(path.toLowerCase(), links);
    return read.some((command) => places.some((place) => test(command, place)));
  };
  return { has: (path) => isAny(path, mayRun), liesIn: (folder) => isAny(folder, mayLeadInto) };
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

interface ReadCommand {
  readonly text: CommandText;
  /** Of its variables. */
  readonly others: readonly CommandText[];
  /** Canonical, in lower case. */
  readonly bases: readonly string[];
  readonly isPlugin: boolean;
}

/** The path itself, and by links, also where a command goes up from a link's target. */
function placesOf(path: string, links: readonly LinkedPlace[]): readonly string[] {
  const places = links.flatMap(({ name, target }) => {
    const within = pathWithin(target, path);
    if (within !== null) return [join(name, within)];
    const around = commonFolder(target, path);
    return around === "" ? [] : [`${name}/..${path.slice(around.length)}`];
  });
  return [path, ...new Set(places)];
}

/** Empty for the top of the file system. */
function commonFolder(one: string, other: string): string {
  const names = other.split("/");
  const end = one.split("/").findIndex((name, at) => names[at] !== name);
  return names.slice(0, end < 0 ? names.length : end).join("/");
}

/** Whether a name stands in a command, or runs where one names its folder. */
function standsInAny(commands: readonly ReadCommand[], searched: number): (name: string) => boolean {
  const texts = new Set(commands.flatMap(({ text, others }) => [text, ...others]));
  const all = new Set<string>();
  for (const { names } of texts) for (const name of names.keys()) all.add(name);
  let left = MAX_SEARCHED;
  return (name) => {
    if (RUN_BY_FOLDER.some(([, files]) => files.test(name)) || LOADED_FIRST.test(`/${name}`)) return true;
    if (!isOdd(name)) return all.has(name);
    left -= searched;
    return left < 0 || [...texts].some(({ includes }) => includes(name));
  };
}

/** The innermost folder in which the command may run, and the names from there. */
function fromBase({ bases }: ReadCommand, path: string): { readonly base: string; readonly names: string[] } {
  const around = bases.filter((folder) => pathWithin(folder, path) !== null);
  const base = around.reduce((one, other) => (other.length > one.length ? other : one), "/");
  return { base, names: (pathWithin(base, path) ?? "").split("/").filter((name) => name !== "") };
}

const hasName = ({ names, includes }: CommandText, name: string): boolean =>
  isOdd(name) ? includes(name) : names.has(name);

const standsIn = ({ text, others }: ReadCommand, name: string): boolean =>
  hasName(text, name) || others.some((other) => hasName(other, name));

function mayRun(command: ReadCommand, path: string): boolean {
  if (command.isPlugin && pluginsAround(path).some((folder) => isFolderNamed(command, folder))) return true;
  const { base, names } = fromBase(command, path);
  const folders = names.slice(0, -1);
  const { text, others } = command;
  // It looks for the folders itself.
  const finds = text.names.has("find") || text.names.has("fd");
  if (isLoadedFirst(command, `/${names.join("/")}`)) return true;
  if (!finds && !folders.every((folder) => standsIn(command, folder))) return false;
  const name = names.at(-1) ?? "";
  const setsPath = text.setsPath || others.some((other) => other.setsPath);
  if (standsAsFile({ ...text, setsPath }, name, folders.length === 0)) return true;
  const kind = RUN_BY_FOLDER.find(([, files]) => files.test(name))?.[0];
  if (kind === undefined || !text.interpreters.has(kind)) return false;
  const slash = folders.length === 1 ? AT_BASE : AFTER_SLASH;
  return text.opensBase || stands(text, folders.at(-1) ?? basename(base), (ALONE | slash) << OPENED);
}

/** Python runs these of a folder of modules. */
const LOADED_FIRST = /\/(?:(?:site|user)customize(?:\.[^/]*|\/__init__\.[^/]*)|encodings\/.*)$/;

function isLoadedFirst(command: ReadCommand, path: string): boolean {
  const start = path.search(LOADED_FIRST);
  if (start < 0 || !standsIn(command, "pythonpath")) return false;
  const folders = path.slice(0, start).split("/").slice(1);
  return folders.every((folder) => standsIn(command, folder));
}

/** Files that run where a command names only their folder. */
const RUN_BY_FOLDER: readonly (readonly [Interpreter, RegExp])[] = [
  ["node", /^(?:index\.[^.]+|package\.json)$/],
  ["python", /^__(?:main|init)__\.[^.]+$/],
  ["go", /\.go$/],
];

/**
 * A name without an extension is also a word, so a slash has to stand before it, or an interpreter opens it. Where only
 * this name is needed, a folder before the slash has to fit.
 */
function standsAsFile(text: CommandText, name: string, isAtBase: boolean): boolean {
  // Programs read it as data.
  if (name === "package.json") return false;
  const plain = withoutExtension(name);
  if (isOdd(name)) return text.includes(plain);
  const isFree = !isAtBase || text.namesBase;
  if (name.includes(".") && stands(text, name, ALONE | (isFree ? AFTER_SLASH : AT_BASE))) return true;
  if (name.includes(".") && plain === name) return false;
  const opened = (isFree ? ALONE | AFTER_SLASH : ALONE) << OPENED;
  const isProgram = text.setsPath && plain === name;
  return stands(text, plain, opened | (isAtBase ? AT_BASE : AFTER_SLASH) | (isProgram ? ALONE : 0));
}

const stands = ({ names }: CommandText, name: string, flags: number): boolean =>
  ((names.get(name) ?? 0) & flags) !== 0;

function mayLeadInto(command: ReadCommand, folder: string): boolean {
  const { names, interpreters, includes } = command.text;
  const last = basename(folder);
  const isPath = interpreters.size > 0 || names.has("cd") || includes(`${last}/`) || includes(`/${last}`);
  return isPath && isFolderNamed(command, folder);
}

function isFolderNamed(command: ReadCommand, folder: string): boolean {
  const { names } = fromBase(command, folder);
  return names.length > 0 && names.every((name) => standsIn(command, name));
}
