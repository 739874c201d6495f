/**
 * The files that Claude Code's settings name: scripts of hooks, of the status line and of helpers, servers, and what a
 * plugin consists of. The agent starts them without asking anybody, so writing to one asks.
 *
 * THREAT: nobody can tell which file a command runs. Each word of each setting counts that leads to the written file from
 * a folder in which the command may run. What such a program reads or runs in turn is the project's own code.
 */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { propertyOf } from "../../json/plain-data.ts";
import { placesOnTheWay, pluginsAround } from "../../providers/workspace/internal.ts";
import type { AgentEnvironment } from "./agent-environment.ts";
import { asRelative, readingsOf, withoutExtension, wordsOf } from "./command-words.ts";
import { isNamedByEnvironment } from "./environment-files.ts";

/** By these git lists the files, beside those of each project's folder. */
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

/** What goes beyond these asks. */
const MAX_FILES = 3000;
const MAX_BYTES = 1024 * 1024;
const MAX_WORDS = 2000;
const MAX_LOOKUPS = 10_000;
const MAX_DEPTH = 30;

export interface SettingsQuestion {
  /** Where the agent's tools work, and where it was started and works now. */
  readonly root: string;
  readonly cwd: string;
  readonly environment: AgentEnvironment;
  /** The settings that hold the hook. */
  readonly settings: string | null;
  /** Canonical, in lower case: the files that the call writes. */
  readonly written: readonly string[];
  /** What git lists by the patterns, absolute. */
  readonly listed: readonly string[];
  /** Folders of projects whose settings may lie there though git ignores them. */
  readonly projects: readonly string[];
}

/** Whether the agent's settings have one of these files run, as far as can be told, or it is one of them. */
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
    ...own,
    join(home, ".claude.json"),
    ...(settings === null ? [] : [settings]),
    ...MANAGED,
  ]);
  if (files.size > MAX_FILES) return true;
  const target = toTarget(question.written);
  const lookups: Lookups = new Map();
  for (const file of files) {
    const groups = await readGroups(file);
    if (groups === null || (await isNamed(question, target, groups, placeOf(file), lookups))) return true;
  }
  return false;
}

/** What was looked up for one call: whether something lies at a path. */
type Lookups = Map<string, boolean>;

const MANAGED = ["managed-settings.json", "managed-mcp.json"].map((name) => `/etc/claude-code/${name}`);

/** The folder that a settings file is for, and whether that is a plugin or a list of plugins. */
const placeOf = (file: string) => ({
  project: file.replace(/\/(?:\.claude(?:-plugin)?\/.*|hooks\/hooks\.json|[^/]*)$/is, "") || "/",
  isPlugin: /\/\.claude-plugin\/[^/]*$/i.test(file),
});

/** Words that belong to one command or one server. */
type Group = readonly string[];

/** Null where they are too many. */
async function readGroups(file: string): Promise<readonly Group[] | null> {
  const text = await readShort(file);
  if (text === null) return [];
  if (text === undefined) return null;
  const groups = /\.md$/i.test(file) ? [wordsOf(hooksIn(text))] : groupsIn(text, isState(file));
  return groups === null || groups.flat().length > MAX_WORDS ? null : groups;
}

/** Null where nothing lies there that could be read; undefined where it is too long. */
async function readShort(file: string): Promise<string | null | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return null;
    return found.size > (isState(file) ? 64 * MAX_BYTES : MAX_BYTES)
      ? undefined
      : await readFile(file, "utf8");
  } catch {
    return null;
  }
}

/** What the agent keeps of itself is long, and names servers among much else. */
const isState = (file: string): boolean => file.endsWith("/.claude.json");

/** The hooks in the front matter of a skill, a command or a subagent; empty where there are none. */
function hooksIn(text: string): string {
  const end = /^---\r?\n/.test(text) ? text.indexOf("\n---", 3) : -1;
  const front = text.slice(0, Math.max(end, 0));
  const start = front.search(/^["']?hooks["']?\s*:/m);
  return start < 0 ? "" : front.slice(start);
}

function groupsIn(text: string, isState: boolean): readonly Group[] | null {
  try {
    const groups: Group[] = [];
    const value: unknown = JSON.parse(text);
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

/** Settings that name files which nothing runs. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["$schema", "permissions", "sandbox", "claudeMdExcludes", "companyAnnouncements"],
  ...["matcher", "if", "description"],
]);

/** Whether it was no deeper than any settings are. */
function collect(value: unknown, groups: Group[], depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  const inner = Object.entries(value).flatMap(([key, each]) => (HARMLESS.has(key) ? [] : [each]));
  const texts = inner.flat().filter((each) => typeof each === "string");
  groups.push(texts.flatMap(wordsOf));
  return inner.every((each) => collect(each, groups, depth + 1));
}

/** How a written file may be named: with or without its extension, or by its folder where that runs it. */
interface Target {
  readonly names: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Folders of which it is a part if they are plugins. */
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

const INTERPRETERS = /^(?:node|bun|deno|tsx|ts-node|python[\d.]*)$/;

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
    const words = new Set(
      group.flatMap((word, at) =>
        [...readingsOf(word, group[at - 1]), asRelative(word)].filter((path) => path !== ""),
      ),
    );
    const names = group.some((word) => INTERPRETERS.test(word))
      ? new Set([...target.names, ...target.folders])
      : target.names;
    const inner = await foldersIn(folders, words, lookups);
    if (isPlugin && isPartOfPlugin(inner, target)) return true;
    if (await isAnyNamed([...folders, ...inner], words, names, lookups)) return true;
  }
  return false;
}

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

/** Folders that a command is told about, in which it may find what it is told about as well. */
async function foldersIn(
  folders: readonly string[],
  words: ReadonlySet<string>,
  lookups: Lookups,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of folders)
    for (const word of words) {
      const path = resolve(folder, word);
      if (found.has(path) || folders.includes(path) || !(await lookUp(path, lookups))) continue;
      if ((await stat(path).catch(() => null))?.isDirectory()) found.add(path);
    }
  return [...found];
}

/** A list of plugins names folders that need no mark of their own. */
const isPartOfPlugin = (folders: readonly string[], { plugins }: Target): boolean =>
  folders.some((folder) => plugins.has(folder.toLowerCase()));

async function leadsTo(path: string, isThere: boolean, names: ReadonlySet<string>): Promise<boolean> {
  if (names.has(path.toLowerCase())) return true;
  const name = basename(path).toLowerCase();
  if (!isThere && ![...names].some((each) => basename(each) === name)) return false;
  // It is its own name where no link leads to it.
  if (isThere && (await realpath(path).catch(() => null)) === path) return false;
  return (await placesOnTheWay(path)).some((place) => names.has(place.toLowerCase()));
}

/** Whether something lies there. Beyond the limit nothing more is looked up, and whoever asks counts that. */
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
