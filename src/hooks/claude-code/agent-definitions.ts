/**
 * Finds the definitions of subagents where Claude Code looks for them. Such a file names skills, servers and hooks,
 * which start programs when they load, without an event of their own.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HookEvent } from "../../adapters/claude-code/hook-event.ts";
import { isNothingThere } from "../../providers/workspace/internal.ts";
import type { AgentEnvironment } from "./agent-environment.ts";

/** If there are more files, any of them may be the definition. */
const MAX_DEFINITIONS = 200;
/** Of all files together, and of the front matter of one. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FRONT_MATTER = 64 * 1024;
/** A longer name isn't compared: any file may define it. */
const MAX_NAME = 64;
/** Keys called `name` in one file that are looked at. */
const MAX_KEYS = 100;

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

/**
 * Whether a file may define the subagent of this name. THREAT: a project's definition replaces the built-in subagent of
 * the same name, and YAML can write a name in many ways. Where a file is too long to be searched, it may.
 */
async function mayDefine(path: string, name: string, left: Left): Promise<boolean> {
  try {
    const found = await stat(path);
    left.bytes -= found.size;
    if (!found.isFile() || left.bytes < 0) return true;
    const text = await readFile(path, "utf8");
    // The front matter ends at the last line that may end it.
    const end = Math.max(text.lastIndexOf("\n---"), text.lastIndexOf("\r---"));
    const front = end < 0 ? text : text.slice(0, end);
    return front.length > MAX_FRONT_MATTER || WRITES_OTHERWISE.test(front) || mayName(front, name);
  } catch (cause) {
    return !isNothingThere(cause);
  }
}

/** Whether a key `name` may have this value. A value in another notation may be written anywhere in the front matter. */
function mayName(front: string, name: string): boolean {
  const keys = [...front.matchAll(NAME_KEY)];
  const values = keys.slice(0, MAX_KEYS).map(({ index, 0: key }) => front.slice(index + key.length));
  if (keys.length > MAX_KEYS) return true;
  const isPlain = keys.length > 0 && !OTHER_KEYS.test(front);
  return isPlain && values.every((value) => IS_PLAIN_VALUE.test(value))
    ? values.some((value) => plain(value.slice(0, MAX_VALUE)).startsWith(name))
    : plain(front).includes(name);
}

/** Keys with `?`, an anchor, an alias, or merged from elsewhere. */
const OTHER_KEYS = /(?:^|[{,:\n])\s*(?:\?\s|<<|[&*]\S)/;
const NAME_KEY = /name["']?\s*:\s*/g;
const IS_PLAIN_VALUE = /^["']?[\p{L}\p{N}]/u;
/** Of a name, with what separates its letters. */
const MAX_VALUE = 1024;

/** An escape for a letter or a line break, or a tag that decodes a value. */
const WRITES_OTHERWISE = /\\[^"/\\ ]|!(?:!\w|<)/;

/** For comparing names: only letters and digits. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
