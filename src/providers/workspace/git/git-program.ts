/** Finds git and its environment, neither of which a repository or the gateway's parent can control. */
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { canonicalPath, pathWithin } from "../paths/canonical-path.ts";

export interface GitProgram {
  /** Its absolute path. */
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The user's own ignore file depends on these; all other variables are dropped. */
const KEPT = ["HOME", "XDG_CONFIG_HOME"];

const FIXED = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  // A partial clone would fetch missing objects, by a program that its settings name.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_TRACE2: "0",
  GIT_TRACE2_EVENT: "0",
  GIT_TRACE2_PERF: "0",
};

/**
 * The first git on the search path outside of these canonical folders; null if there is none. Looked up each time.
 */
export async function findGit(
  outside: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<GitProgram | null> {
  // THREAT: an empty or relative entry is whatever folder we happen to be in, which the agent may write to.
  const entries = (environment.PATH ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  const areOutside = await Promise.all(entries.map((entry) => liesOutside(outside, entry)));
  const kept = entries.filter((_, at) => areOutside[at]);
  for (const entry of kept) {
    const file = join(entry, "git");
    if (!(await isProgram(file)) || !(await liesOutside(outside, file))) continue;
    const own = KEPT.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    });
    return { file, env: { ...FIXED, ...Object.fromEntries(own), PATH: kept.join(delimiter) } };
  }
  return null;
}

async function liesOutside(folders: readonly string[], path: string): Promise<boolean> {
  const found = await canonicalPath(path);
  return found.kind === "found" && folders.every((folder) => pathWithin(folder, found.path) === null);
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Git's default for the user's ignore file. */
export function defaultIgnoreFile({ env }: GitProgram): string {
  const settings = env.XDG_CONFIG_HOME;
  if (settings !== undefined && settings !== "") return `${settings}/git/ignore`;
  const home = env.HOME;
  return home === undefined ? "" : `${home}/.config/git/ignore`;
}
