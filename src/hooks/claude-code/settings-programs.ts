/**
 * The files that Claude Code's settings name: scripts of hooks, of the status line and of helpers, servers, and the
 * files of a plugin. The agent starts them without asking, so writing to them needs approval.
 * THREAT: which file a command runs can't be determined. So each word of each setting counts if it leads to the
 * written file from a folder in which the command may run. What such a program reads or runs in turn is the project's
 * own code.
 */
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf } from "../../json/plain-data.ts";
import {
  asRelative,
  placesOnTheWay,
  pluginsAround,
  readingsOf,
  withoutExtension,
  wordsOf,
} from "../../providers/workspace/internal.ts";
import type { AgentEnvironment } from "./agent-environment.ts";
import { isNamedByEnvironment } from "./environment-files.ts";
import { decodeText } from "./instruction-imports.ts";

/** Patterns by which git lists the files, in addition to those of each project's folder. */
export const SETTINGS_PATTERNS: readonly string[] = [
  ...[
    ".claude",
    ".claude/settings*.json",
    ".mcp.json",
    ".lsp.json",
    ".claude-plugin/*.json",
    "hooks/hooks.json",
  ],
  ...[".claude/agents/**", ".claude/commands/**", ".claude/skills/*/SKILL.md"],
];

/** Beyond these limits a write needs approval. */
const MAX_FILES = 3000;
const MAX_BYTES = 1024 * 1024;
/** Of all files together, apart from the agent's state. */
const MAX_TOTAL_BYTES = 8 * MAX_BYTES;
const MAX_WORDS = 2000;
const MAX_LOOKUPS = 10_000;
const MAX_DEPTH = 30;

export interface SettingsQuestion {
  /** Where the agent's tools work, and where it was started and works now. */
  readonly root: string;
  readonly cwd: string;
  readonly environment: AgentEnvironment;
  /** The settings file with the hook. */
  readonly settings: string | null;
  /** The files that the call writes: canonical, in lower case. */
  readonly written: readonly string[];
  /** The files that git lists by the patterns, absolute. */
  readonly listed: readonly string[];
  /** Folders of projects whose settings count even if git ignores them. */
  readonly projects: readonly string[];
}

/** Whether the agent's settings may run one of these files, or one of them is such a settings file. */
export async function isNamedBySettings(question: SettingsQuestion): Promise<boolean> {
  if (await isNamedByEnvironment(question)) return true;
  const { environment, settings, listed, projects } = question;
  const { HOME: home = homedir(), CLAUDE_CONFIG_DIR: config = join(home, ".claude") } = environment;
  const own = ["settings.json", "settings.local.json", ".claude.json"].map((name) => join(config, name));
  const files = new Set([
    ...listed.filter((path) => /\.(?:json|md)$/i.test(path)),
    ...projects.flatMap((folder) =>
      [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"].map((name) => join(folder, name)),
    ),
    ...(await Promise.all(projects.map(definitionsIn))).flat(),
    ...own,
    join(home, ".claude.json"),
    ...(settings === null ? [] : [settings]),
    ...MANAGED,
  ]);
  if (files.size > MAX_FILES) return true;
  const target = toTarget(question.written);
  const lookups: Lookups = new Map();
  const left = { bytes: MAX_TOTAL_BYTES };
  for (const file of files) {
    const groups = await readGroups(file, left);
    if (groups === null || (await isNamed(question, target, groups, placeOf(file), lookups))) return true;
  }
  return false;
}

/** Paths that were looked up for one call, and whether something exists there. */
type Lookups = Map<string, boolean>;

const MANAGED = ["managed-settings.json", "managed-mcp.json"].map((name) => `/etc/claude-code/${name}`);

/** The folder that a settings file applies to, and whether that is a plugin or a list of plugins. */
const placeOf = (file: string) => ({
  project:
    file.replace(
      /\/(?:\.claude(?:-plugin)?\/(?!.*\/\.claude(?:-plugin)?\/).*|hooks\/hooks\.json|[^/]*)$/is,
      "",
    ) || "/",
  isPlugin: /\/\.claude-plugin\/[^/]*$/i.test(file),
});

/** Words of one command or one server. */
type Group = readonly string[];

/** What may still be read for one call. */
interface Left {
  bytes: number;
}

/** Null if they are too many. */
async function readGroups(file: string, left: Left): Promise<readonly Group[] | null> {
  const text = await readShort(file);
  if (text === null) return [];
  if (text === undefined) return null;
  if (!isState(file)) left.bytes -= text.length;
  if (left.bytes < 0) return null;
  // Parsing a long file takes milliseconds.
  if (text.length > LONG) await nextTurn();
  const groups = /\.md$/i.test(file) ? [wordsOf(programsIn(text))] : groupsIn(text, isState(file));
  return groups === null || groups.flat().length > MAX_WORDS ? null : groups;
}

/** Null if nothing readable is there; undefined if it is too long. */
async function readShort(file: string): Promise<string | null | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return null;
    return found.size > (isState(file) ? 64 * MAX_BYTES : MAX_BYTES)
      ? undefined
      : decodeText(await readFile(file));
  } catch {
    return null;
  }
}

const LONG = 64 * 1024;

/** Subagents, commands and skills of a project, which git may ignore. */
async function definitionsIn(folder: string): Promise<readonly string[]> {
  const found = ["agents", "commands", "skills"].map(async (kind) => {
    const inside = join(folder, ".claude", kind);
    const entries = await readdir(inside, { recursive: kind !== "skills" }).catch(() => []);
    return entries.map((name) => join(inside, kind === "skills" ? `${name}/SKILL.md` : name));
  });
  return (await Promise.all(found)).flat().filter((path) => /\.md$/i.test(path));
}

/** The agent's state is a long file, which names servers among much else. */
const isState = (file: string): boolean => file.endsWith("/.claude.json");

/** The hooks and servers in the front matter of a skill, a command or a subagent; empty where there are none. */
function programsIn(text: string): string {
  const end = /^---\r?\n/.test(text) ? text.indexOf("\n---", 3) : -1;
  const front = text.slice(0, Math.max(end, 0));
  const start = front.search(/\b(?:hooks|mcpServers)["']?\s*:/);
  if (start < 0) return "";
  // YAML's brackets part words too; those of a shell's variable don't.
  return front.slice(start).replaceAll(/(\$\{[^{}]{0,1000}\})|[[\]{}]/g, (_, variable) => variable ?? " ");
}

function groupsIn(text: string, isState: boolean): readonly Group[] | null {
  try {
    const groups: Group[] = [];
    const value: unknown = parseJson(text);
    const isWhole = collect(isState ? serversIn(value) : value, groups, 0);
    return isWhole ? groups : null;
  } catch {
    return [wordsOf(text)];
  }
}

function serversIn(value: unknown): unknown {
  const projects = Object.values(propertyOf(value, "projects") ?? {});
  return [value, ...projects].map((one) => propertyOf(one, "mcpServers"));
}

/** Settings that name no program. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["$schema", "permissions", "sandbox", "claudeMdExcludes", "companyAnnouncements"],
  ...["matcher", "if", "description", "type", "model", "outputStyle", "onFailure", "statusMessage"],
  ...["name", "version", "author", "license", "homepage", "repository", "keywords", "category", "tags"],
]);

/** A server may have such a name too, and starts a program. */
const isHarmless = (key: string, value: unknown): boolean =>
  HARMLESS.has(key) && !["command", "headersHelper"].some((name) => propertyOf(value, name) !== undefined);

/** Returns false if the value is nested too deep. */
function collect(value: unknown, groups: Group[], depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  const inner = Object.entries(value).flatMap(([key, each]) => (isHarmless(key, each) ? [] : [each]));
  const texts = inner.flat().filter((each) => typeof each === "string");
  groups.push(texts.flatMap(wordsOf));
  return inner.every((each) => collect(each, groups, depth + 1));
}

/** The ways to name a written file: with or without its extension, or by a folder whose content is run. */
interface Target {
  readonly names: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Folders that contain the file if they are plugins. */
  readonly plugins: ReadonlySet<string>;
}

function toTarget(written: readonly string[]): Target {
  const mains = written.filter((path) => /\/(?:index|package|__main__|__init__)\.[^/.]+$/.test(path));
  return {
    names: new Set(written.flatMap((path) => [path, withoutExtension(path)])),
    folders: new Set(mains.map((path) => dirname(path))),
    plugins: new Set(written.flatMap(pluginsAround)),
  };
}

const INTERPRETERS =
  /^(?:node|nodejs|nodemon|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|uv|uvx|uvicorn|gunicorn|php[\d.]*|ruby|perl|lua|source|(?:ba|da|fi|k|z)?sh)$/;
const isInterpreter = (word: string): boolean => INTERPRETERS.test(basename(word));
/** A word that is a path only where a program opens it: `exit` and `server` are mostly something else. */
const IS_PLAIN = /^[\w-]*$/;
/** Words of a shell, and those of the hook that `hook install` writes. */
const NO_FILES: ReadonlySet<string> = new Set([
  "exit",
  "echo",
  "true",
  "false",
  "cd",
  "test",
  "hook",
  "claude-code",
]);

async function isNamed(
  { root, cwd, environment }: SettingsQuestion,
  target: Target,
  groups: readonly Group[],
  { project, isPlugin }: { readonly project: string; readonly isPlugin: boolean },
  lookups: Lookups,
): Promise<boolean> {
  const { HOME: home = homedir(), CLAUDE_PROJECT_DIR: begun = root } = environment;
  const folders = [...new Set([project, begun, cwd, root, home])];
  for (const group of groups) {
    const words = readWords(group);
    const opensFiles = group.some(isInterpreter);
    const paths = readWords(group, (word) => !IS_PLAIN.test(word) || (opensFiles && !NO_FILES.has(word)));
    const names = opensFiles ? new Set([...target.names, ...target.folders]) : target.names;
    const inner = await foldersIn(folders, words, lookups);
    if (inner === null) return true;
    if (isPlugin && isPartOfPlugin(inner, target)) return true;
    if (await isAnyNamed([...folders, ...inner], paths, names, lookups)) return true;
  }
  return false;
}

/** The paths that the words of a group may mean. */
const readWords = (group: Group, counts: (word: string) => boolean = () => true): ReadonlySet<string> =>
  new Set(
    group.flatMap((word, at) =>
      counts(word)
        ? [...readingsOf(word, group[at - 1]), asRelative(word)].filter((path) => path !== "")
        : [],
    ),
  );

async function isAnyNamed(
  folders: readonly string[],
  words: ReadonlySet<string>,
  names: ReadonlySet<string>,
  lookups: Lookups,
): Promise<boolean> {
  for (const folder of folders)
    for (const word of words) {
      const path = resolve(folder, word);
      const isThere = await lookUp(path, lookups);
      if (lookups.size > MAX_LOOKUPS || (await leadsTo(path, isThere, names))) return true;
    }
  return false;
}

/**
 * Folders that a command names. Other words of the command may be relative to them. Null if there would be too many
 * paths then.
 */
async function foldersIn(
  folders: readonly string[],
  words: ReadonlySet<string>,
  lookups: Lookups,
): Promise<readonly string[] | null> {
  const found = new Set<string>();
  const relative = [...words].filter((word) => !word.startsWith("/")).length;
  for (const folder of folders)
    for (const word of words) {
      if ((folders.length + found.size) * relative > MAX_LOOKUPS) return null;
      const path = resolve(folder, word);
      if (found.has(path) || folders.includes(path) || !(await lookUp(path, lookups))) continue;
      if ((await stat(path).catch(() => null))?.isDirectory()) found.add(path);
    }
  return [...found];
}

/** Folders that a list of plugins names need no `.claude-plugin` of their own. */
const isPartOfPlugin = (folders: readonly string[], { plugins }: Target): boolean =>
  folders.some((folder) => plugins.has(folder.toLowerCase()));

async function leadsTo(path: string, isThere: boolean, names: ReadonlySet<string>): Promise<boolean> {
  if (names.has(path.toLowerCase())) return true;
  const name = basename(path).toLowerCase();
  if (!isThere && ![...names].some((each) => basename(each) === name)) return false;
  // Without links the path is its own name.
  if (isThere && (await realpath(path).catch(() => null)) === path) return false;
  return (await placesOnTheWay(path)).some((place) => names.has(place.toLowerCase()));
}

/** Whether something exists there. Beyond the limit nothing is looked up, and the caller counts that. */
async function lookUp(path: string, lookups: Lookups): Promise<boolean> {
  const known = lookups.get(path);
  if (known !== undefined) return known;
  const isThere =
    lookups.size <= MAX_LOOKUPS &&
    (await lstat(path).then(
      () => true,
      () => false,
    ));
  lookups.set(path, isThere);
  return isThere;
}
