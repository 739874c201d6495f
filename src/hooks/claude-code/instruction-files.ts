/**
 * The instruction files that Claude Code attaches by itself, without an event of their own: those in the folders down to
 * a file that it reads or writes, and what they import by `@path`.
 *
 * THREAT: they come with a clone. By an import or a link such a file hands the model what it may not read, and the call
 * that attaches it names another file. So whatever `Read` would ask about makes that call ask.
 */
import { lstat, readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Workspace } from "../../providers/workspace/index.ts";
import { canonicalPath, isNothingThere, pathWithin } from "../../providers/workspace/internal.ts";
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

export interface InstructionQuestion {
  readonly workspace: Workspace;
  readonly environment: AgentEnvironment;
  /** Absolute, as the agent was given them. */
  readonly paths: readonly string[];
  /** The canonical folder to begin in; what lies above is left out. */
  readonly top: string;
}

/** What the agent would attach to these files, examined: empty where nothing of it asks. */
export async function examineInstructions(question: InstructionQuestion): Promise<readonly Examination[]> {
  const walk: Walk = { ...question, seen: new Set(), bytes: 0, found: [] };
  try {
    for (const folder of await foldersOf(question)) await walkFolder(walk, folder);
  } catch {
    walk.found.push(UNCLEAR);
  }
  return walk.found.length === 0 ? [] : [LOADED, ...walk.found];
}

interface Walk extends InstructionQuestion {
  readonly seen: Set<string>;
  bytes: number;
  readonly found: Examination[];
}

const UNCLEAR: Examination = { asks: ["unclear-path"], targets: [] };
const FREE: Examination = { asks: [], targets: [] };
const LOADED: Examination = { asks: ["instruction-file"], targets: [] };

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
  if (!(await isThere(join(folder, ".claude")))) return;
  for (const name of NAMES_IN_SETTINGS) await load(walk, join(folder, name), 0);
  await walkRules(walk, join(folder, ".claude/rules"), 0);
}

/** The agent follows links to folders here. */
async function walkRules(walk: Walk, folder: string, depth: number): Promise<void> {
  if (!(await isThere(folder))) return;
  if (depth > MAX_DEPTH) throw new Error("Too deep.");
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isFolderAt(path)));
    if (isFolder) await walkRules(walk, path, depth + 1);
    else if (/\.md$/i.test(entry.name)) await load(walk, path, 0);
  }
}

async function load(walk: Walk, path: string, depth: number): Promise<void> {
  if (walk.seen.has(path) || !(await isThere(path))) return;
  walk.seen.add(path);
  const found = await canonicalPath(path);
  if (found.kind === "missing") return;
  if (found.kind === "unclear") throw new Error("Where it leads can't be told.");
  const stats = await lstat(found.path);
  if (stats.isDirectory() || isPersons(walk, path) || isPersons(walk, found.path)) return;
  walk.bytes += stats.size;
  if (depth > MAX_DEPTH || walk.seen.size > MAX_FILES || walk.bytes > MAX_BYTES)
    throw new Error("More is loaded than is followed.");
  const isFree = stats.isFile() && stats.nlink === 1 && isForAgents(walk.top, found.path);
  const examined = isFree ? FREE : await walk.workspace.tools.get("Read")?.examine({ file_path: path });
  if (examined?.asks.length === 0 && !examined.isProtected) return loadImports(walk, path, found.path, depth);
  walk.found.push(examined ?? UNCLEAR);
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
const isForAgents = (top: string, path: string): boolean =>
  pathWithin(top, path) !== null &&
  (NAMES.includes(basename(path)) || /\/\.claude\/rules\/.*\.md$/i.test(path));

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

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if (isNothingThere(cause) || isTooLong(cause)) return false;
    throw cause;
  }
}

/** What no file can be called. */
const isTooLong = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  (cause.code === "ENAMETOOLONG" || cause.code === "ERR_INVALID_ARG_VALUE");

async function isFolderAt(path: string): Promise<boolean> {
  const found = await canonicalPath(path);
  return found.kind === "found" && (await lstat(found.path)).isDirectory();
}
