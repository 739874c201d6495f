/**
 * The files that Claude Code's settings name: scripts of hooks, of the status line and of helpers, servers, and the
 * files of a plugin. The agent starts them without asking, so writing to them needs approval.
 * What such a program reads or runs in turn is the project's own code.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context, createContext, runInContext } from "node:vm";
import { parse } from "yaml";
import { measureJson } from "../../json/measure-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf } from "../../json/plain-data.ts";
import { type Command, findNamedPrograms, MAX_COMMAND_TEXT } from "../../providers/workspace/internal.ts";
import { type AgentEnvironment, mayNameFiles } from "./agent-environment.ts";
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
    "monitors/monitors.json",
  ],
  ...[".claude/agents/**", ".claude/commands/**", ".claude/skills/*/SKILL.md"],
];
const MANIFEST = /\/\.claude-plugin\/[^/]*$/i;

/** Beyond these limits a write needs approval. */
const MAX_FILES = 3000;
const MAX_BYTES = 1024 * 1024;
/** Of all files together, apart from the agent's state, of which little counts. */
const MAX_TOTAL_BYTES = 8 * MAX_BYTES;
const MAX_STATE_BYTES = 64 * MAX_BYTES;
/** Of all files together. */
const MAX_COMMANDS = 5000;
/** Of one file. */
const BOUNDS = { bytes: Number.POSITIVE_INFINITY, depth: 30, values: 20_000 };
/** Characters of the variables that all files set. */
const MAX_VARIABLES = 32 * 1024;
/** Names of variables in all sets of them that commands name. */
const MAX_NAMES = 100_000;

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
  const read = await readAll(files, question);
  if (read === null) return true;
  const { found, given } = read;
  if (given.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_VARIABLES) return true;
  const byName = Map.groupBy([...Object.entries(environment), ...given], ([name]) => name);
  if (await isNamedByEnvironment({ ...question, environment: toEnvironment(environment, byName) }))
    return true;
  let length = 0;
  for (const { texts } of found) for (const text of texts) length += text.length;
  if (length > MAX_COMMAND_TEXT) return true;
  const commands = withVariables(found, given, byName);
  if (commands === null) return true;
  const shared = toLines(given.filter(([name]) => SEARCHED.test(name)));
  const programs = await findNamedPrograms(commands, shared);
  return programs === null || question.written.some(programs.has);
}

/** What all of the files say; null if it is too much. */
async function readAll(
  files: ReadonlySet<string>,
  question: SettingsQuestion,
): Promise<{ readonly found: readonly Command[]; readonly given: readonly Variable[] } | null> {
  const left = { bytes: MAX_TOTAL_BYTES, files: MAX_FILES, commands: MAX_COMMANDS, yamlMs: MAX_ALL_YAML_MS };
  const found: Command[] = [];
  const given: Variable[] = [];
  const seen = new Set(files);
  const waiting = [...files].map((file) => ({ file, folders: foldersOf(file, question) }));
  for (const { file, folders } of waiting) {
    const read = await readSettings(file, left);
    if (read === null) return null;
    found.push(...read.groups.map((texts) => ({ texts, folders, isPlugin: MANIFEST.test(file) })));
    given.push(...read.variables);
    for (const name of read.files ?? []) {
      const named = join(file, "../..", name);
      if (seen.has(named)) continue;
      seen.add(named);
      waiting.push({ file: named, folders });
      left.files -= 1;
    }
    if (left.files < 0) return null;
  }
  return { found, given };
}

const MANAGED = ["managed-settings.json", "managed-mcp.json"].map((name) => `/etc/claude-code/${name}`);

/** The folders from which a settings file's commands may name files. */
function foldersOf(file: string, { root, cwd, environment }: SettingsQuestion): readonly string[] {
  const { HOME: home = homedir(), CLAUDE_PROJECT_DIR: begun = root } = environment;
  const project = file.replace(
    /\/(?:\.claude(?:-plugin)?\/(?!.*\/\.claude(?:-plugin)?\/).*|(?:hooks\/hooks|monitors\/monitors)\.json|[^/]*)$/is,
    "",
  );
  return [...new Set([project || "/", begun, cwd, root, home])];
}

type Variable = readonly [name: string, value: string];

/** The agent's environment and the settings' variables as one. If several set a variable, each value counts. */
function toEnvironment(
  environment: AgentEnvironment,
  byName: ReadonlyMap<string, Variable[]>,
): AgentEnvironment {
  const named = [...byName].flatMap(([name, each]) => {
    const values = each.map(([, value]) => value).filter((value) => mayNameFiles(name, value));
    return values.length > 0 ? [[name, values.join(":")]] : [];
  });
  return { ...environment, ...Object.fromEntries(named) };
}

/** The commands, each with the variables that it names, and those that these name; null if they are too long. */
function withVariables(
  commands: readonly Command[],
  given: readonly Variable[],
  byName: ReadonlyMap<string, readonly Variable[]>,
): readonly Command[] | null {
  const ofSettings = Map.groupBy(given, ([name]) => name);
  // Commands run in these folders of the agent's anyway, and settings may have others.
  const valuesOf = (name: string) => (IS_BASE.test(name) ? ofSettings : byName).get(name) ?? [];
  const isSet = (name: string): boolean => valuesOf(name).length > 0;
  const inner = new Map<string, readonly string[]>();
  const innerOf = (name: string): readonly string[] => {
    const names =
      inner.get(name) ??
      valuesOf(name)
        .flatMap(([, value]) => namesIn(value))
        .filter(isSet);
    inner.set(name, names);
    return names;
  };
  // Many commands with the same variables share one text.
  const known = new Map<string, string>();
  const left = { characters: MAX_COMMAND_TEXT, names: MAX_NAMES };
  const found: Command[] = [];
  for (const command of commands) {
    const names = new Set(command.texts.flatMap(namesIn).filter(isSet));
    const key = [...names].toSorted().join();
    let variables = known.get(key);
    if (variables === undefined) {
      for (const name of names) for (const one of innerOf(name)) names.add(one);
      variables = toLines([...names].flatMap(valuesOf));
      left.names -= names.size;
      left.characters -= variables.length;
      known.set(key, variables);
    }
    if (left.names < 0 || left.characters < 0) return null;
    found.push({ ...command, variables });
  }
  return found;
}

const namesIn = (text: string): readonly string[] => text.match(VARIABLE) ?? [];

const toText = ([name, value]: Variable): string => `${name}=${value}`;
const toLines = (variables: readonly Variable[]): string => variables.map(toText).join("\n");

const VARIABLE = /(?<=\$\{?)[a-z_]\w*/gi;
/** What the agent's environment says of these isn't a folder that a command names. */
const IS_BASE = /^(?:CLAUDE_PROJECT_DIR|PWD|HOME|PATH)$/;
/** Where programs and modules are found, whatever a command names. */
const SEARCHED = /^(?:PATH|PYTHONPATH|NODE_PATH|PERL5?LIB|RUBYLIB)$/;

/** The texts of each command or server in a file, and the variables that it sets for all of them. */
interface Settings {
  readonly groups: readonly (readonly string[])[];
  readonly variables: readonly Variable[];
  /** Of a plugin's manifest: other files with its hooks and servers, from the plugin's folder. */
  readonly files?: readonly string[];
}

/** What may still be read for one call. */
interface Left {
  bytes: number;
  files: number;
  commands: number;
  yamlMs: number;
}

/** Null if they are too many, too long or too deep. */
async function readSettings(file: string, left: Left): Promise<Settings | null> {
  const text = await readShort(file);
  if (text === null) return { groups: [], variables: [] };
  if (text === undefined) return null;
  if (!isState(file)) left.bytes -= text.length;
  left.files -= 1;
  if (left.bytes < 0 || left.files < 0) return null;
  // Parsing a long file takes milliseconds.
  if (text.length > LONG) await nextTurn();
  const settings = /\.md$/i.test(file) ? definitionIn(text, left) : settingsIn(text, file);
  left.commands -= settings?.groups.length ?? 0;
  return left.commands < 0 ? null : settings;
}

/** Null if nothing readable is there; undefined if it is too long. */
async function readShort(file: string): Promise<string | null | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return null;
    return found.size > (isState(file) ? MAX_STATE_BYTES : MAX_BYTES)
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

/** Characters of a front matter that is read as YAML. */
const MAX_YAML = 8 * 1024;
/** Of what it says: an alias may repeat a text often. */
const YAML_BOUNDS = { ...BOUNDS, bytes: 4 * MAX_YAML };
/** Milliseconds for the front matter of one file, and of all files. */
const MAX_YAML_MS = 50;
const MAX_ALL_YAML_MS = 200;

/**
 * The hooks and servers in the front matter of a skill, a command or a subagent. Its text counts as well, since the agent
 * may read it differently.
 */
function definitionIn(text: string, left: Left): Settings | null {
  const none = { groups: [], variables: [] };
  if (!/^---[ \t]*\r?\n/.test(text)) return none;
  const end = text.search(/\n---[ \t]*\r?(?:\n|$)/);
  const front = text.slice(0, end < 0 ? text.length : end);
  const start = front.search(/\b(?:hooks|mcpServers)["']?\s*:/);
  if (start < 0) return none;
  const programs = front.slice(start);
  // What people write in descriptions is often no YAML.
  const found = programsIn(front, left) ?? programsIn(programs, left);
  if (found !== null && measureJson(found, YAML_BOUNDS).startsWith("too-")) return null;
  return { groups: [[programs], ...collect(found)], variables: [] };
}

let stoppable: Context | undefined;

/** Null where it isn't YAML, has neither, or takes too long. */
function programsIn(yaml: string, left: Left): unknown {
  if (yaml.length > MAX_YAML || left.yamlMs <= 0) return null;
  const begun = performance.now();
  try {
    // THREAT: the parser takes seconds for a few kilobytes that are made for it. Only `vm` stops code that runs.
    const timeout = Math.ceil(Math.min(MAX_YAML_MS, left.yamlMs));
    stoppable ??= createContext({});
    stoppable.read = () => parse(yaml, { logLevel: "silent" });
    const { hooks, mcpServers } = Object(runInContext("read()", stoppable, { timeout }));
    return hooks === undefined && mcpServers === undefined ? null : { hooks, mcpServers };
  } catch {
    return null;
  } finally {
    left.yamlMs -= performance.now() - begun;
  }
}

function settingsIn(text: string, file: string): Settings | null {
  try {
    const value: unknown = parseJson(text);
    const settings = isState(file) ? serversIn(value) : value;
    if (measureJson(settings, BOUNDS).startsWith("too-")) return null;
    const variables = variablesOf(propertyOf(value, "env"));
    if (!MANIFEST.test(file)) return { groups: collect(settings), variables };
    const plugins = pluginsIn(value);
    return { groups: plugins.map(toOneGroup), variables, files: plugins.flatMap(filesNamedBy) };
  } catch {
    return { groups: [[text.replaceAll(":", ": ")]], variables: [] };
  }
}

/** A manifest is of one plugin, or of a marketplace with several, whose folders begin with its `pluginRoot`. */
function pluginsIn(manifest: unknown): readonly object[] {
  const plugins = propertyOf(manifest, "plugins");
  const pluginRoot = propertyOf(propertyOf(manifest, "metadata"), "pluginRoot");
  return [{ ...Object(manifest), plugins: null }, ...(Array.isArray(plugins) ? plugins : [])].map(
    (plugin) => ({
      ...Object(plugin),
      pluginRoot,
    }),
  );
}

/** A plugin's folder and what it starts may stand in different parts. */
const toOneGroup = (plugin: object): readonly string[] => collect(plugin).flatMap((texts) => [...texts, ";"]);

function filesNamedBy(plugin: object): readonly string[] {
  const source = propertyOf(plugin, "source");
  const named = ["hooks", "mcpServers", "lspServers", "monitors"].flatMap((key) => propertyOf(plugin, key));
  const names = named.filter((name) => typeof name === "string");
  return names.map((name) => (typeof source === "string" ? join(source, name) : name));
}

function serversIn(value: unknown): unknown {
  const projects = Object.values(propertyOf(value, "projects") ?? {});
  return [value, ...projects].map((one) => propertyOf(one, "mcpServers"));
}

/** Settings that name no program. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["$schema", "permissions", "claudeMdExcludes", "companyAnnouncements"],
  ...["matcher", "if", "description", "type", "model", "outputStyle", "onFailure", "statusMessage"],
  ...["name", "version", "author", "license", "homepage", "repository", "repo"],
  ...["keywords", "category", "tags"],
]);

/** A server may have such a name too, and starts a program. */
const isHarmless = (key: string, value: unknown): boolean =>
  HARMLESS.has(key) && !["command", "headersHelper"].some((name) => propertyOf(value, name) !== undefined);

/** A variable of the environment that passes on another one. */
const IS_VARIABLE = /^\$\{?\w+\}?$/;

/** The texts of each command or server. Depth and number of values are limited before. */
function collect(value: unknown, groups: (readonly string[])[] = [], isEnvironment = false) {
  if (typeof value !== "object" || value === null) return groups;
  const inner = Object.entries(value).filter(([key, each]) => !isHarmless(key, each));
  const texts = inner.flatMap(([key, each]) => {
    const found = textsOf(key, each).filter((text) => !(isEnvironment && IS_VARIABLE.test(text)));
    return found.length > 0 ? [[key, found] as const] : [];
  });
  const ofProgram = ["command", "args", "env"].flatMap((name) => texts.filter(([key]) => key === name));
  if (Array.isArray(value)) {
    if (texts.length > 0) groups.push(texts.flatMap(([, each]) => each));
  } else if (ofProgram[0]?.[0] === "command") {
    const others = texts.filter((each) => !ofProgram.includes(each));
    groups.push([...ofProgram.flatMap(([, each]) => each), ...others.flatMap(([, each]) => [";", ...each])]);
  } else if (texts.length > 0) {
    // Without a command, each setting may be one.
    groups.push([texts.map(([, each]) => each.join("\v")).join("\n")]);
  }
  for (const [key, each] of inner)
    collect(each, groups, key === "env" && propertyOf(each, "command") === undefined);
  return groups;
}

/** The texts of a setting itself, of a list, and of a server's variables. */
function textsOf(key: string, value: unknown): readonly string[] {
  if (typeof value === "string") return [key === "cwd" ? `cd ${value}` : value];
  if (Array.isArray(value)) return value.filter((each) => typeof each === "string");
  return key === "env" ? variablesOf(value).map(toText) : [];
}

const variablesOf = (value: unknown): readonly Variable[] =>
  Object.entries(typeof value === "object" && value !== null ? value : {}).flatMap(([name, each]) =>
    typeof each === "string" ? [[name, each] as const] : [],
  );
