/**
 * Finds the definitions of subagents where Claude Code looks for them. Such a file names skills, servers and hooks,
 * which start programs when they load, without an event of their own.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HookEvent } from "../../adapters/claude-code/hook-event.ts";
import { normalize } from "../../core/index.ts";
import { isNothingThere } from "../../providers/workspace/internal.ts";
import type { AgentEnvironment } from "./agent-environment.ts";
import { decodeText } from "./instruction-imports.ts";

/** If there are more files, any of them may be the definition. */
const MAX_DEFINITIONS = 200;
/** Of all files together, and of the front matter of one. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FRONT_MATTER = 64 * 1024;
/** A longer name isn't compared: any file may define it. */
const MAX_NAME = 64;

/** The subagent that a call without a name starts. */
const DEFAULT_AGENT = "general-purpose";

/**
 * The folders or files that may define the subagent of a call. Empty only if the call certainly means a built-in one.
 */
export async function findDefinitions(
  { arguments: args, cwd }: Pick<HookEvent, "arguments" | "cwd">,
  environment: AgentEnvironment,
): Promise<readonly string[]> {
  const given = Object.hasOwn(args, "subagent_type") ? args.subagent_type : undefined;
  const name = toName(typeof given === "string" ? given : DEFAULT_AGENT);
  const left = { bytes: MAX_BYTES };
  const found: string[] = [];
  for (const folder of foldersOf(cwd, environment)) found.push(...(await definitionsIn(folder, name, left)));
  return found;
}

/** A name as it is compared; null for one that any file may define. */
function toName(given: string): string | null {
  const name = given.length > MAX_NAME ? "" : plain(given);
  return name === "" || name.length > MAX_NAME ? null : name;
}

/** The folder where the agent works, the one where it was started, the folders above both, and its own folder. */
function foldersOf(cwd: string, environment: AgentEnvironment): readonly string[] {
  const { CLAUDE_PROJECT_DIR: project, CLAUDE_CONFIG_DIR: config, HOME: home = homedir() } = environment;
  const begun = [cwd, ...(project?.startsWith("/") ? [project] : [])];
  const own = [join(home, ".claude"), ...(config === undefined ? [] : [config])];
  const around = begun.flatMap(withParents).map((folder) => join(folder, ".claude"));
  return [...new Set([...around, ...own])].map((folder) => join(folder, "agents"));
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** What may still be read for one call. */
interface Left {
  bytes: number;
}

async function definitionsIn(folder: string, name: string | null, left: Left): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isSymbolicLink() || /\.md$/i.test(entry.name));
    if (files.length > (name === null ? 0 : MAX_DEFINITIONS)) return [folder];
    const found: string[] = [];
    for (const entry of files) {
      const path = join(entry.parentPath, entry.name);
      if (await mayDefine(path, name ?? "", left)) found.push(path);
      await nextTurn();
    }
    return found;
  } catch (cause) {
    return isNothingThere(cause) ? [] : [folder];
  }
}

/** Whether a file may define the subagent of this name. Where it is too long to be searched, it may. */
async function mayDefine(path: string, name: string, left: Left): Promise<boolean> {
  try {
    const found = await stat(path);
    left.bytes -= found.size;
    if (!found.isFile() || left.bytes < 0) return true;
    return mayBeNamed(decodeText(await readFile(path)), basename(path), name);
  } catch (cause) {
    return !isNothingThere(cause);
  }
}

/**
 * Whether a definition may have this name, of letters and digits. THREAT: a project's definition replaces the built-in
 * subagent of the same name, and YAML can write a name in many ways. So only a front matter of plain lines, with a
 * plain name, certainly has another one.
 */
export function mayBeNamed(text: string, file: string, name: string): boolean {
  const [first = "", ...lines] = text.trimStart().split(/\r?\n/);
  // Without a front matter it defines nothing, unless somebody looks for one further below.
  if (!first.startsWith("---"))
    return /^[^\n]?---/m.test(text) && (text.length > MAX_FRONT_MATTER || plain(text).includes(name));
  const end = lines.indexOf("---");
  const front = end < 0 ? lines : lines.slice(0, end);
  const whole = front.join("\n");
  if (!/^---[ \t]*$/.test(first) || whole.length > MAX_FRONT_MATTER || OTHER_BREAK.test(whole)) return true;
  const used = front.filter((line) => !/^[ \t]*(?:#.*)?$/.test(line));
  if (!KEY.test(used[0] ?? "") || !areUsual(used)) return true;
  const given = used.flatMap((line, at) => {
    const [, key, value = ""] = KEY.exec(line) ?? [];
    return key?.toLowerCase() !== "name" ? [] : /^[ \t]/.test(used[at + 1] ?? "") ? [""] : [value];
  });
  const names = given.length === 0 ? [file.replace(/\.md$/i, "")] : given.map(toPlainValue);
  return names.some((each) => each === null || plain(each) === name);
}

/** Only keys, items of lists, and lines that are indented at least as far as the first one below their key. */
function areUsual(lines: readonly string[]): boolean {
  let least = 0;
  return lines.every((line) => {
    const indent = line.search(/[^ ]/);
    const isOuter = KEY.test(line) || line.startsWith("- ");
    const isFirst = least === 0;
    least = isOuter ? 0 : isFirst ? indent : least;
    return isOuter || (indent > 0 && indent >= least && !(isFirst && line[indent] === "\t"));
  });
}

/** Line breaks for some programs only. */
const OTHER_BREAK = /[\r\u0085\u2028\u2029]/;
const KEY = /^([a-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/i;
/** Of a name, with what separates its letters. */
const MAX_VALUE = 1024;

/** Null in another notation, or if it may be a number. In a value that begins with a letter, signs mean themselves. */
function toPlainValue(value: string): string | null {
  const given = value.replace(/[ \t]#.*$/, "").trim();
  const [, , quoted = given] = /^(["'])(.*)\1$/.exec(given) ?? [];
  const isPlain = given.length <= MAX_VALUE && /^\p{L}[^\p{C}\\":]*$/u.test(quoted);
  return isPlain && !quoted.includes("---") ? quoted : null;
}

/** For comparing names: only letters and digits. */
const plain = (text: string): string =>
  normalize(text, "NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
