/**
 * What Claude Code attaches by itself, without an event of its own: instruction files in the folders down to a file that
 * it reads or writes, what they import by `@path`, and lists of the skills, commands and subagents of these folders, with
 * the beginning of each one's file.
 *
 * THREAT: they come with a clone. By an import or a link such a file hands the model what it may not read, and the call
 * that attaches it names another file. So whatever `Read` would ask about makes that call ask. What is imported is
 * followed in later conversations too, whose labels don't know who wrote it: writing to it asks.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Workspace } from "../../providers/workspace/index.ts";
import {
  type Canonical,
  canonicalPath,
  isNothingThere,
  pathWithin,
  placesOnTheWay,
} from "../../providers/workspace/internal.ts";
import type { Examination } from "../../runtime/index.ts";
import type { AgentEnvironment } from "./hook-settings.ts";
import { importsIn } from "./instruction-imports.ts";

/** What lies in a folder under these names is loaded. */
const NAMES = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];
const NAMES_IN_SETTINGS = [".claude/CLAUDE.md", ".claude/AGENTS.md"];

/** What goes beyond these asks. The agent itself follows fewer imports. */
const MAX_DEPTH = 8;
const MAX_FILES = 300;
const MAX_BYTES = 4 * 1024 * 1024;
/** Of the folders in `.claude` whose files are attached or listed. */
const MAX_ENTRIES = 1000;

export interface InstructionQuestion {
  readonly workspace: Workspace;
  readonly environment: AgentEnvironment;
  /** Absolute, as the agent was given them. */
  readonly paths: readonly string[];
  /** Canonical, in lower case: the files that the call writes. */
  readonly written?: readonly string[];
  /** The canonical folder to begin in; what lies above is left out. */
  readonly top: string;
}

/** What the agent would attach to these files, examined: empty where nothing of it asks. */
export async function examineInstructions(question: InstructionQuestion): Promise<readonly Examination[]> {
  const walk: Walk = {
    written: [],
    ...question,
    seen: new Set(),
    folders: new Map(),
    bytes: 0,
    entries: 0,
    found: [],
    isFollowed: false,
  };
  try {
    for (const folder of await foldersOf(question)) await walkFolder(walk, folder);
  } catch {
    walk.found.push(UNCLEAR);
  }
  const attached = walk.found.length === 0 ? [] : [LOADED, ...walk.found];
  return walk.isFollowed ? [FOLLOWED, ...attached] : attached;
}

interface Walk extends Required<InstructionQuestion> {
  readonly seen: Set<string>;
  /** Folders of what isn't there. */
  readonly folders: Map<string, Promise<Canonical>>;
  bytes: number;
  entries: number;
  readonly found: Examination[];
  /** Whether one of the files that the call writes is loaded, or will be. */
  isFollowed: boolean;
}

const UNCLEAR: Examination = { asks: ["unclear-path"], targets: [] };
const LOADED: Examination = { asks: ["instruction-file"], targets: [] };
const FOLLOWED: Examination = { asks: ["protected-name"], targets: [] };

/** The folders down to each file, as they are written and as they lie. */
async function foldersOf({ paths, top }: InstructionQuestion): Promise<readonly string[]> {
  const [folders, seen] = [new Set<string>(), new Set<string>()];
  const add = async (path: string): Promise<void> => {
    for (let at = path; at !== dirname(at) && !seen.has(at); at = dirname(at)) {
      seen.add(at);
      const found = await canonicalPath(at);
      // What is written may lead out by a link and begin within.
      if (found.kind !== "found" || pathWithin(top, found.path) === null) continue;
      if (found.path !== at) await add(found.path);
      folders.add(at);
    }
  };
  for (const path of paths) await add(dirname(path));
  return [...folders];
}

async function walkFolder(walk: Walk, folder: string): Promise<void> {
  for (const name of NAMES) await load(walk, join(folder, name), 0);
  if (!(await mayBeThere(walk, join(folder, ".claude")))) return;
  for (const name of NAMES_IN_SETTINGS) await load(walk, join(folder, name), 0);
  const settings = join(folder, ".claude");
  for (const path of await markdownIn(walk, join(settings, "rules"))) await load(walk, path, 0);
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

/** INVARIANT: each entry counts as often as it is come by, so that links that fan out come to an end. */
async function entriesOf(walk: Walk, folder: string): Promise<readonly Dirent[]> {
  const found = (await isFolderAt(folder)) ? await readdir(folder, { withFileTypes: true }) : [];
  walk.entries += found.length;
  if (walk.entries > MAX_ENTRIES) throw new Error("More is listed than is followed.");
  return found;
}

async function load(walk: Walk, path: string, depth: number): Promise<void> {
  if (walk.seen.has(path)) return;
  const isThere = await mayBeThere(walk, path);
  await noteWritten(walk, path, isThere);
  if (!isThere) return;
  count(walk, path);
  if (depth > MAX_DEPTH) throw new Error("Too deep.");
  const found = await examine(walk, path, RULE_PLACE);
  if (found === null) return;
  walk.bytes += found.size;
  if (walk.bytes > MAX_BYTES) throw new Error("More is loaded than is followed.");
  await loadImports(walk, path, found.path, depth);
}

async function noteWritten(walk: Walk, path: string, isThere: boolean): Promise<void> {
  const isMeant = (file: string): boolean => isThere || basename(file) === basename(path).toLowerCase();
  if (walk.isFollowed || !walk.written.some(isMeant)) return;
  const places = await placesOnTheWay(path);
  walk.isFollowed = places.some((place) => walk.written.includes(place.toLowerCase()));
}

/** Files that are read here, or that git is asked about. */
function count({ seen }: Walk, path: string): void {
  if (seen.add(path).size > MAX_FILES) throw new Error("More is loaded than is followed.");
}

/** A file that the model may get, by its canonical path; null where there is none, or one that asks. */
async function examine(
  walk: Walk,
  path: string,
  place: RegExp,
): Promise<{ readonly path: string; readonly size: number } | null> {
  const found = await canonicalPath(path);
  if (found.kind === "missing") return null;
  if (found.kind === "unclear") throw new Error("Where it leads can't be told.");
  const stats = await lstat(found.path);
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
  const named = importsIn(await readFile(resolved, "utf8"));
  if (named === null) throw new Error("It imports too much.");
  for (const folder of new Set([dirname(path), dirname(resolved)]))
    for (const name of named)
      for (const read of new Set([name, name.trim().normalize("NFC")]))
        for (const at of new Set([toPath(walk, folder, read), resolve(toPath(walk, folder, read))]))
          await load(walk, at, depth + 1);
}

/** By its name and place such a file is for the agent, and nothing that is kept from it, though git ignores it. */
const isForAgents = (top: string, path: string, place: RegExp): boolean =>
  pathWithin(top, path) !== null && (NAMES.includes(basename(path)) || place.test(path));

/** What the agent attaches whole. */
const RULE_PLACE = /\/\.claude\/rules\/.*\.md$/i;
/** What it lists by its beginning. */
const LISTED_PLACE = /\/\.claude\/(?:agents|commands|skills)\/.*\.md$/i;

/** What a person keeps in the agent's own folder for the agent to read, by the path that is written or its own. */
function isPersons({ environment }: Walk, path: string): boolean {
  const { HOME: home = homedir(), CLAUDE_CONFIG_DIR: config = join(home, ".claude") } = environment;
  // THREAT: what lies deeper is the agent's: what it remembers of other projects, and plugins out of foreign hands.
  return dirname(path) === config && path.endsWith(".md");
}

function toPath({ environment }: Walk, folder: string, name: string): string {
  if (name.startsWith("~/")) return join(environment.HOME ?? homedir(), name.slice(2));
  return name.startsWith("/") ? name : `${folder}/${name}`;
}

/** Whether something lies there, for this process or for the agent's. */
async function mayBeThere({ folders }: Walk, path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if (isTooLong(cause)) return false;
    if (!isNothingThere(cause)) throw cause;
  }
  const folder = dirname(path);
  const found = folders.get(folder) ?? canonicalPath(folder);
  folders.set(folder, found);
  return (await found).kind === "unclear";
}

/** What no file can be called. */
const isTooLong = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  (cause.code === "ENAMETOOLONG" || cause.code === "ERR_INVALID_ARG_VALUE");

async function isFolderAt(path: string): Promise<boolean> {
  const found = await canonicalPath(path);
  if (found.kind === "unclear") throw new Error("Where it leads can't be told.");
  return found.kind === "found" && (await lstat(found.path)).isDirectory();
}
