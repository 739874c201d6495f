/**
 * Finds the definitions of subagents where Claude Code looks for them. Such a file names skills, servers and hooks,
 * which start programs when they load, without an event of their own.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { HookEvent } from "../../adapters/claude-code/hook-event.ts";
import { isNothingThere } from "../../providers/workspace/internal.ts";
import type { AgentEnvironment } from "./agent-environment.ts";

/** If there are more files, any of them may be the definition. */
const MAX_DEFINITIONS = 200;
const MAX_BYTES = 256 * 1024;

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
  const name = plain(typeof given === "string" ? given : DEFAULT_AGENT);
  const found = await Promise.all(foldersOf(cwd, environment).map((folder) => definitionsIn(folder, name)));
  return found.flat();
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

async function definitionsIn(folder: string, name: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isSymbolicLink() || /\.md$/i.test(entry.name));
    if (files.length > MAX_DEFINITIONS) return [folder];
    const paths = files.map((entry) => join(entry.parentPath, entry.name));
    const meant = await Promise.all(paths.map((path) => mayDefine(path, name)));
    return paths.filter((_, at) => meant[at]);
  } catch (cause) {
    return isNothingThere(cause) ? [] : [folder];
  }
}

/**
 * Whether a file may define the subagent of this name: its front matter contains the name, or a notation that may
 * encode it. THREAT: a project's definition replaces the built-in subagent of the same name, and YAML can write a
 * name in many ways.
 */
async function mayDefine(path: string, name: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_BYTES) return true;
    const text = await readFile(path, "utf8");
    // The front matter ends at the last line that may end it.
    const end = Math.max(text.lastIndexOf("\n---"), text.lastIndexOf("\r---"));
    const data = end < 0 ? text : text.slice(0, end);
    return name === "" || WRITES_OTHERWISE.test(data) || plain(data).includes(name);
  } catch (cause) {
    return !isNothingThere(cause);
  }
}

/** An escape for a letter or a line break, or a tag that decodes a value. */
const WRITES_OTHERWISE = /\\[^"/\\ ]|!(?:!\w|<)/;

/** For comparing names: only letters and digits. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
