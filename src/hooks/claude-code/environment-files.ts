/**
 * The files that variables of the agent's environment name. A shell, git or an interpreter loads or runs them without
 * asking, so writing to them needs approval. A complete list of such variables isn't possible, so every variable
 * counts whose value has a path in the workspace.
 */
import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import {
  asRelative,
  homeSettings,
  pathWithin,
  placesOnTheWay,
  readingsOf,
  withoutExtension,
  wordsOf,
} from "../../providers/workspace/internal.ts";
import {
  type AgentEnvironment,
  FILES,
  FOLDERS,
  LOADED_FIRST,
  MODULES,
  mayNameFiles,
  SETTINGS,
  START_FILES,
} from "./agent-environment.ts";

/** With more paths, or more characters in them, a write needs approval. */
const MAX_PATHS = 10_000;
const MAX_CHARACTERS = 1_000_000;

interface Question {
  readonly root: string;
  readonly cwd: string;
  readonly environment: AgentEnvironment;
  /** The files that the call writes: canonical, in lower case. */
  readonly written: readonly string[];
}

/** Whether the environment names one of these files, or a folder from which it is loaded or run. */
export async function isNamedByEnvironment(question: Question): Promise<boolean> {
  const { root, environment, written } = question;
  const { HOME: home } = environment;
  if (home !== undefined && written.some(await homeSettings(root, home))) return true;
  const variables = Object.entries(environment).filter(([name, value]) => mayNameFiles(name, value));
  const left = { paths: MAX_PATHS, characters: MAX_CHARACTERS };
  const named = variables.map(([name, value]) => ({ name, paths: pathsOf(question, [name, value], left) }));
  if (left.paths < 0 || left.characters < 0) return true;
  const checks = named.map(({ name, paths }) => isNamedByOne(question, name, paths));
  if (await isProgramOfPath(question)) return true;
  return (await Promise.all(checks)).includes(true);
}

/** What may still be resolved for one call. */
interface Left {
  paths: number;
  characters: number;
}

/** Every path that a value may mean, from each folder in which a program may read it, as long as any are left. */
function pathsOf(
  { root, cwd, environment }: Question,
  [name, value]: readonly [string, string],
  left: Left,
): readonly string[] {
  const { HOME: home = homedir(), CLAUDE_PROJECT_DIR: begun = root } = environment;
  const bases = [cwd, root, begun, home];
  const parts = value.split(/[:;]/);
  const isBare = [FILES, SETTINGS, MODULES, /^(?:NODE_OPTIONS|PATH)$/].some((names) => names.test(name));
  const isMeant = (word: string): boolean =>
    (isBare || /[./~]/.test(word)) && !(name === "PATH" && /^\.?$/.test(word));
  const words = [value, ...parts, ...wordsOf(value)].filter(isMeant);
  // An empty part of a list means the folder that the program runs in.
  if (/.PATH$/.test(name) && parts.includes("")) words.push(".");
  if (/\$\(|`/.test(value)) words.push(...words.map(asRelative));
  // Node also looks for a module in `node_modules`, and for a bare name only there.
  const packages = name === "NODE_OPTIONS" ? bases.map((base) => join(base, "node_modules")) : [];
  const fromOf = (word: string): readonly string[] =>
    packages.length > 0 && !/[./]/.test(word) ? packages : [...bases, ...packages];
  const paths = new Set<string>();
  for (const word of new Set(words)) for (const path of resolved(word, fromOf(word), left)) paths.add(path);
  return [...paths];
}

/** What a word may mean, from each of these folders. */
function resolved(word: string, from: readonly string[], left: Left): readonly string[] {
  const readings = readingsOf(word);
  left.paths -= readings.length * from.length;
  for (const { length } of readings) left.characters -= length * from.length;
  if (left.paths < 0 || left.characters < 0) return [];
  return readings.flatMap((path) => from.map((base) => resolve(base, path)));
}

async function isNamedByOne(
  { root, written }: Question,
  name: string,
  paths: readonly string[],
): Promise<boolean> {
  const places = (await Promise.all(paths.map((path) => placesOf(path, written)))).flat();
  return places.some((place) => isLoadedFrom(place, name, root, written));
}

/** A path as written, and what links on it lead to; in lower case. */
async function placesOf(path: string, written: readonly string[]): Promise<readonly string[]> {
  const plain = path.toLowerCase();
  const real = await realpath(path).catch(() => null);
  const name = withoutExtension(basename(plain));
  // Nothing is there, and the call doesn't create a file of that name.
  const isElsewhere = real === null && !written.some((one) => withoutExtension(basename(one)) === name);
  if (real === path || isElsewhere) return [plain];
  return [plain, ...(await placesOnTheWay(path)).map((place) => place.toLowerCase())];
}

function isLoadedFrom(place: string, name: string, root: string, written: readonly string[]): boolean {
  const isExact = START_FILES.test(name);
  if (written.some((path) => path === place || (!isExact && withoutExtension(path) === place))) return true;
  const inside = written.flatMap((path) => pathWithin(place, path) ?? []);
  if (inside.length === 0) return false;
  if (MODULES.test(name)) return inside.some((path) => LOADED_FIRST.test(path));
  const workspace = pathWithin(place, root.toLowerCase());
  // In a project inside such a folder, files are ordinary ones.
  if (workspace !== null) return name === "CLAUDE_CONFIG_DIR" || (workspace === "" && SETTINGS.test(name));
  return FOLDERS.test(name);
}

/**
 * Whether a shell that looks for a program would find a written file in the place of one that lies elsewhere: an empty
 * part of `PATH` is the folder that it runs in.
 */
async function isProgramOfPath({ root, cwd, environment, written }: Question): Promise<boolean> {
  const parts = (environment.PATH ?? "").split(/[:;]/);
  if (environment.PATH === undefined) return false;
  const folders = new Set([cwd, root].flatMap((base) => parts.map((part) => resolve(base, part))));
  const reals = await Promise.all([...folders].map((folder) => realpath(folder).catch(() => folder)));
  const named = new Set([...folders, ...reals].map((folder) => folder.toLowerCase()));
  const names = written.filter((path) => named.has(dirname(path))).map((path) => basename(path));
  const others = names.flatMap((name) => [...folders].map((folder) => join(folder, name)));
  const elsewhere = others.filter((path) => !written.includes(path.toLowerCase()));
  const found = await Promise.all(elsewhere.map((path) => placeOf(path)));
  // Another folder of the list may lead to the same file.
  return found.some((place) => place !== null && !written.includes(place.toLowerCase()));
}

/** What is there, where its links lead; null if nothing is. */
async function placeOf(path: string): Promise<string | null> {
  const there = await lstat(path).catch(() => null);
  return there && realpath(path).catch(() => path);
}
