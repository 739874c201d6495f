/**
 * What Claude Code attaches by itself, without an event: instruction files in the folders down to a file that it
 * reads or writes, what they import by `@path`, and lists of skills, commands and subagents with the beginning of
 * each file.
 * THREAT: a cloned repository contains these files. By an import or a link, one could show the model a file that
 * `Read` needs approval for, in a call that names another file: such a call needs approval. Later conversations
 * follow imported files without having their label: writing them needs approval.
 */
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Workspace } from "../../providers/workspace/index.ts";
import {
  type Canonical,
  canonicalPath,
  isNothing,
  isNothingThere,
  pathWithin,
  placesOnTheWay,
} from "../../providers/workspace/internal.ts";
import type { Examination } from "../../runtime/index.ts";
import type { AgentEnvironment } from "./agent-environment.ts";
import { decodeText, importsIn } from "./instruction-imports.ts";

/** Files with these names are loaded from each folder. */
const NAMES = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];
const NAMES_IN_SETTINGS = [".claude/CLAUDE.md", ".claude/AGENTS.md"];
/** Patterns by which git lists them. */
export const INSTRUCTION_PATTERNS: readonly string[] = [
  ...NAMES,
  ".claude",
  ".claude/rules",
  ".claude/rules/**",
];

/** Beyond these limits a call needs approval. The agent itself follows fewer imports. */
const MAX_DEPTH = 8;
const MAX_IMPORTS = 5000;
const MAX_FOLDERS = 64;

interface Limits {
  readonly files: number;
  readonly bytes: number;
  /** Entries of the folders in `.claude` whose files are attached or listed. */
  readonly entries: number;
}

const LIMITS: Limits = { files: 300, bytes: 4 * 1024 * 1024, entries: 1000 };
/** For files that other conversations load. Git isn't asked about them. */
const LIMITS_ELSEWHERE: Limits = { files: 3000, bytes: 32 * 1024 * 1024, entries: 10_000 };

export interface InstructionQuestion {
  readonly workspace: Workspace;
  readonly environment: AgentEnvironment;
  /** Absolute, as the agent got them. */
  readonly paths: readonly string[];
  /** The files that the call writes: canonical, in lower case. */
  readonly written?: readonly string[];
  /** Other folders with instruction files, for conversations that start there; null if they can't be determined. */
  readonly elsewhere?: { readonly top: string; readonly folders: readonly string[] } | null;
  /** The canonical folder to start in; folders above it are left out. */
  readonly top: string;
}

/** Examines what the agent would attach to these files. Empty if none of it needs approval. */
export async function examineInstructions(question: InstructionQuestion): Promise<readonly Examination[]> {
  const walk = toWalk(question, LIMITS);
  try {
    for (const folder of await foldersOf(walk)) await walkFolder(walk, folder);
  } catch {
    walk.found.push(UNCLEAR);
  }
  const attached = walk.found.length === 0 ? [] : [LOADED, ...walk.found];
  const isFollowed = walk.isFollowed || (await isFollowedElsewhere(question));
  return isFollowed ? [FOLLOWED, ...attached] : attached;
}

/**
 * Whether the agent follows a written file in conversations that start elsewhere, or because the user's own files
 * import it.
 */
async function isFollowedElsewhere(question: InstructionQuestion): Promise<boolean> {
  const { written = [], elsewhere, environment } = question;
  if (written.length === 0) return false;
  if (elsewhere === null) return true;
  const walk = toWalk(question, LIMITS_ELSEWHERE);
  try {
    for (const folder of elsewhere?.folders ?? []) await walkFolder(walk, folder);
    const own = ownFolder(environment);
    const rules = await markdownIn(walk, join(own, "rules"));
    for (const path of [join(own, "CLAUDE.md"), ...rules]) await load(walk, path, 0);
  } catch {
    return true;
  }
  return walk.isFollowed;
}

const toWalk = (question: InstructionQuestion, limits: Limits): Walk => ({
  written: [],
  elsewhere: null,
  ...question,
  limits,
  seen: new Set(),
  lookedUp: new Set(),
  loaded: new Set(),
  imports: new Set(),
  folders: new Map(),
  bytes: 0,
  entries: 0,
  found: [],
  isFollowed: false,
});

interface Walk extends Required<InstructionQuestion> {
  readonly limits: Limits;
  readonly seen: Set<string>;
  /** Paths that were looked up, existing or not, and those of them that are imported. */
  readonly lookedUp: Set<string>;
  readonly imports: Set<string>;
  /** Files whose imports were followed, each with its folder as written and with links resolved. */
  readonly loaded: Set<string>;
  /** Folders, and whether each can't be determined. */
  readonly folders: Map<string, boolean>;
  bytes: number;
  entries: number;
  readonly found: Examination[];
  /** Whether an instruction file imports a file that the call writes. */
  isFollowed: boolean;
}

const UNCLEAR: Examination = { asks: ["unclear-path"], targets: [] };
const LOADED: Examination = { asks: ["instruction-file"], targets: [] };
const FOLLOWED: Examination = { asks: ["protected-name"], targets: [] };

/** The folders down to each file, as written and with links resolved. */
async function foldersOf({ paths, top, folders: unclear }: Walk): Promise<readonly string[]> {
  const [folders, seen] = [new Set<string>(), new Map<string, Canonical>()];
  const add = async (path: string): Promise<void> => {
    let added = 0;
    for await (const { at, found } of foldersDownTo(path, seen)) {
      // A path as written may lead out through a link although it begins inside.
      if (found.kind !== "found" || pathWithin(top, found.path) === null) continue;
      if (found.path !== at) await add(`${found.path}/`);
      folders.add(at);
      unclear.set(at, false);
      added += 1;
      if (added > MAX_FOLDERS) throw new Error("The path leads through too many folders.");
    }
  };
  for (const path of paths) await add(path);
  return [...folders];
}

/** Yields each new folder and where it leads, up to the first that is missing: nothing can be behind it. */
async function* foldersDownTo(
  path: string,
  seen: Map<string, Canonical>,
): AsyncGenerator<{ readonly at: string; readonly found: Canonical }> {
  let isParentClear = false;
  for (let end = path.indexOf("/", 1); end >= 0; end = path.indexOf("/", end + 1)) {
    const at = path.slice(0, end);
    const known = seen.get(at);
    const found: Canonical = known ?? (await whereItLeads(at, isParentClear));
    seen.set(at, found);
    isParentClear = found.kind === "found";
    if (found.kind === "missing") return;
    if (known === undefined) yield { at, found };
  }
}

/** Below a folder that is clear, one look shows that nothing is there. */
async function whereItLeads(path: string, isParentClear: boolean): Promise<Canonical> {
  const isMissing = isParentClear && (await isNothing(path));
  return isMissing ? { kind: "missing" } : canonicalPath(path);
}

async function walkFolder(walk: Walk, folder: string): Promise<void> {
  const names = [...NAMES, ".claude"].map((name) => join(folder, name));
  const areThere = await Promise.all(names.map((path) => mayBeThere(walk, path)));
  const mayMatter = (at: number): boolean => areThere[at] === true || walk.written.length > 0;
  for (const [at, path] of names.slice(0, -1).entries()) if (mayMatter(at)) await load(walk, path, 0);
  if (areThere.at(-1) !== true) return;
  for (const name of NAMES_IN_SETTINGS) await load(walk, join(folder, name), 0);
  const settings = join(folder, ".claude");
  for (const path of await markdownIn(walk, join(settings, "rules"))) await load(walk, path, 0);
  if (walk.limits === LIMITS_ELSEWHERE) return;
  const skills = await entriesOf(walk, join(settings, "skills"));
  const listed = [
    ...skills.map(({ name, parentPath }) => join(parentPath, name, "SKILL.md")),
    ...(await markdownIn(walk, join(settings, "agents"))),
    ...(await markdownIn(walk, join(settings, "commands"))),
  ];
  await Promise.all(listed.map((path) => examine(walk, path, LISTED_PLACE)));
}

/** The agent follows links to folders here. */
async function markdownIn(walk: Walk, folder: string, depth = 0): Promise<readonly string[]> {
  if (depth > MAX_DEPTH) throw new Error("Too deep.");
  const found: string[] = [];
  for (const entry of await entriesOf(walk, folder)) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isFolderAt(path)));
    if (isFolder) found.push(...(await markdownIn(walk, path, depth + 1)));
    else if (/\.md$/i.test(entry.name)) found.push(path);
  }
  return found;
}

/** INVARIANT: an entry counts each time it is reached, so that links that multiply paths reach the limit. */
async function entriesOf(walk: Walk, folder: string): Promise<readonly Dirent[]> {
  const found = (await isFolderAt(folder)) ? await readdir(folder, { withFileTypes: true }) : [];
  walk.entries += found.length;
  if (walk.entries > walk.limits.entries) throw new Error("More is listed than is followed.");
  return found;
}

async function load(walk: Walk, path: string, depth: number): Promise<void> {
  if (walk.lookedUp.has(path)) return;
  walk.lookedUp.add(path);
  const isThere = await mayBeThere(walk, path);
  await noteWritten(walk, path, isThere);
  if (!isThere) return;
  count(walk, path);
  if (depth > MAX_DEPTH) throw new Error("Too deep.");
  const found = await examine(walk, path, RULE_PLACE);
  if (found === null) return;
  walk.bytes += found.size;
  if (walk.bytes > walk.limits.bytes) throw new Error("More is loaded than is followed.");
  if (await isNewFrom(walk, path, found.path)) await loadImports(walk, path, found.path, depth);
}

/** Whether a file's imports may lead elsewhere than before: files that import each other have endless paths. */
async function isNewFrom({ loaded }: Walk, path: string, resolved: string): Promise<boolean> {
  const folder = await canonicalPath(dirname(path));
  if (folder.kind !== "found") return true;
  const key = [resolve(dirname(path)), folder.path, resolved].join("\0");
  const isNew = !loaded.has(key);
  loaded.add(key);
  return isNew;
}

async function noteWritten(walk: Walk, path: string, isThere: boolean): Promise<void> {
  const isMeant = (file: string): boolean => isThere || basename(file) === basename(path).toLowerCase();
  if (walk.isFollowed || !walk.written.some(isMeant)) return;
  const places = await placesOnTheWay(path);
  walk.isFollowed = places.some((place) => walk.written.includes(place.toLowerCase()));
}

/** Counts the files that are read here or passed to git. */
function count({ seen, limits }: Walk, path: string): void {
  if (seen.add(path).size > limits.files) throw new Error("More is loaded than is followed.");
}

/** The canonical path of a file that the model may get; null if it doesn't exist or needs approval. */
async function examine(
  walk: Walk,
  path: string,
  place: RegExp,
): Promise<{ readonly path: string; readonly size: number } | null> {
  const found = await canonicalPath(path);
  if (found.kind === "missing") return null;
  if (found.kind === "unclear") throw new Error("Where it leads can't be determined.");
  const stats = await lstat(found.path);
  if (walk.limits === LIMITS_ELSEWHERE)
    return isReadElsewhere(walk, found.path, stats) ? { path: found.path, size: stats.size } : null;
  if (stats.isDirectory() || isPersons(walk, path) || isPersons(walk, found.path)) return null;
  const { size } = stats;
  const isOwn = stats.isFile() && stats.nlink === 1 && isForAgents(walk.top, found.path, place);
  if (isOwn) return { path: found.path, size };
  count(walk, path);
  const examined = await walk.workspace.tools.get("Read")?.examine({ file_path: path });
  if (examined?.asks.length === 0 && !examined.isProtected) return { path: found.path, size };
  walk.found.push(examined ?? UNCLEAR);
  return null;
}

async function loadImports(walk: Walk, path: string, resolved: string, depth: number): Promise<void> {
  const named = await importsIn(decodeText(await readFile(resolved)));
  if (named === null) throw new Error("It imports too much.");
  for (const folder of new Set([dirname(path), dirname(resolved)]))
    for (const name of named)
      for (const read of new Set([name, name.trim().normalize("NFC")]))
        for (const at of new Set([toPath(walk, folder, read), resolve(toPath(walk, folder, read))]))
          await loadImport(walk, at, depth + 1);
}

async function loadImport(walk: Walk, path: string, depth: number): Promise<void> {
  if (walk.imports.add(path).size > MAX_IMPORTS) throw new Error("More is imported than is followed.");
  await load(walk, path, depth);
}

/** Whether name and folder show that a file is meant for the agent. It is then free even if git ignores it. */
const isForAgents = (top: string, path: string, place: RegExp): boolean =>
  pathWithin(top, path) !== null && (NAMES.includes(basename(path)) || place.test(path));

/** The agent attaches these as a whole. */
const RULE_PLACE = /\/\.claude\/rules\/.*\.md$/i;
/** The agent lists these with their beginning. */
const LISTED_PLACE = /\/\.claude\/(?:agents|commands|skills)\/.*\.md$/i;

/** Files outside the project are read for their imports only if they are the user's own. */
function isReadElsewhere({ elsewhere, environment }: Walk, path: string, stats: Stats): boolean {
  const places = [elsewhere?.top ?? "", dirname(ownFolder(environment))];
  return stats.isFile() && places.some((folder) => folder !== "" && pathWithin(folder, path) !== null);
}

/** Whether the user keeps this file in the agent's own folder for the agent to read. */
function isPersons({ environment }: Walk, path: string): boolean {
  // THREAT: files in deeper folders are the agent's: memory of other projects, and plugins by others.
  return dirname(path) === ownFolder(environment) && path.endsWith(".md");
}

function ownFolder({ HOME: home = homedir(), CLAUDE_CONFIG_DIR: config }: AgentEnvironment): string {
  return config ?? join(home, ".claude");
}

function toPath({ environment }: Walk, folder: string, name: string): string {
  if (name.startsWith("~/")) return join(environment.HOME ?? homedir(), name.slice(2));
  return name.startsWith("/") ? name : `${folder}/${name}`;
}

/** Whether a file may exist there, for this process or for the agent's. */
async function mayBeThere({ folders }: Walk, path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if (isTooLong(cause)) return false;
    if (!isNothingThere(cause)) throw cause;
  }
  return isUnclear(folders, dirname(path));
}

/** Whether a folder, or the last existing one on its path, can't be determined. */
async function isUnclear(folders: Map<string, boolean>, folder: string): Promise<boolean> {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const parent = dirname(folder);
  const isMissing = parent !== folder && (await isNothing(folder));
  const answer = isMissing
    ? await isUnclear(folders, parent)
    : (await canonicalPath(folder)).kind === "unclear";
  folders.set(folder, answer);
  return answer;
}

/** The system refuses such a name or path. */
const isTooLong = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  (cause.code === "ENAMETOOLONG" || cause.code === "ERR_INVALID_ARG_VALUE");

async function isFolderAt(path: string): Promise<boolean> {
  const found = await canonicalPath(path);
  if (found.kind === "unclear") throw new Error("Where it leads can't be determined.");
  return found.kind === "found" && (await lstat(found.path)).isDirectory();
}
