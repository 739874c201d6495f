/**
 * The files from which git knows what to ignore and run, apart from those with fixed names: its settings files, the
 * ignore files that they name, and the folder of hooks. Writing one can make an ignored file visible, or run a
 * program.
 */
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fromFolder, pathWithin } from "../paths/canonical-path.ts";
import { placesOnTheWay } from "../paths/protected-paths.ts";
import { askForSettings } from "./git.ts";
import { defaultIgnoreFile, type GitProgram } from "./git-program.ts";
import type { Repository } from "./repository.ts";

/** Whether a canonical path is one of these files, in the folder of hooks, or a folder that contains one. */
export interface RuleFiles {
  has(path: string): boolean;
  liesIn(folder: string): boolean;
}

/** Asks git. Null if it fails. */
export async function findRuleFiles(repository: Repository): Promise<RuleFiles | null> {
  const settings = await askForSettings(repository);
  const named = settings && readNamed(repository, settings.output, settings.program);
  if (settings === null || named === null) return null;
  const excluded = defaultIgnoreFile(settings.program);
  const common = await commonFolderOf(repository);
  const files = [
    ...named.files,
    ...(excluded === "" ? [] : [excluded, join(dirname(excluded), "config")]),
    join(common, "info/exclude"),
  ];
  const found = await Promise.all(files.map(placesOnTheWay));
  const hooks = (await Promise.all(named.hooks.map(placesOnTheWay))).flat();
  const places = [...new Set([...found.flat(), ...hooks])];
  // Some systems ignore letter case.
  const folded = new Set(places.map((place) => place.toLowerCase()));
  return {
    has: (path) =>
      folded.has(path.toLowerCase()) ||
      hooks.some((folder) => pathWithin(folder.toLowerCase(), path.toLowerCase()) !== null),
    liesIn: (folder) => places.some((place) => pathWithin(folder, place) !== null),
  };
}

/** Settings that name other files: included settings, ignore files, and the folder of hooks. */
const NAMES_FILE = /^(?:core\.excludesfile|core\.hookspath|include\.path|includeif\..*\.path)$/s;

interface NamedFiles {
  readonly files: readonly string[];
  /** Folders. */
  readonly hooks: readonly string[];
}

/**
 * The files that contain settings and that settings name; null if one can't be determined. `output` is pairs,
 * separated by NUL.
 */
function readNamed({ top }: Repository, output: string, program: GitProgram): NamedFiles | null {
  const parts = output.split("\0");
  if (parts.pop() !== "" || parts.length % 2 !== 0) return null;
  const files = new Set<string>();
  const hooks = new Set<string>();
  for (let at = 0; at < parts.length; at += 2) {
    const [origin = "", entry = ""] = parts.slice(at, at + 2);
    // Settings passed by the gateway aren't in a file.
    if (!origin.startsWith("file:")) continue;
    const file = fromFolder(top, origin.slice("file:".length));
    files.add(file);
    const [, name = "", value] = /^([^\n]*)(?:\n(.*))?$/s.exec(entry) ?? [];
    if (!NAMES_FILE.test(name) || value === undefined || value === "") continue;
    const folder = name.startsWith("core.") ? top : dirname(file);
    const path = expand(value, folder, program);
    if (path === null) return null;
    (name === "core.hookspath" ? hooks : files).add(path);
  }
  return { files: [...files], hooks: [...hooks] };
}

/** Expands a path as git does; null for another user's home folder and for git's build prefix. */
function expand(value: string, folder: string, { env }: GitProgram): string | null {
  if (value.startsWith("~/")) return env.HOME === undefined ? null : join(env.HOME, value.slice(2));
  if (value.startsWith("~") || value.startsWith("%(prefix)")) return null;
  return isAbsolute(value) ? value : fromFolder(folder, value);
}

/** The folder that a repository's worktrees share. */
async function commonFolderOf({ gitFolder }: Repository): Promise<string> {
  const named = await readFile(join(gitFolder, "commondir"), "utf8").catch(() => null);
  return named === null ? gitFolder : fromFolder(gitFolder, named.trim());
}
