/**
 * The files by which git knows what it ignores and what it runs, beside those that are known by their names: its
 * settings, wherever they come from, the ignore files that these name, and the folder of hooks. Whoever writes to one of
 * them may take an ignored file in again, or have a program run.
 */
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fromFolder, pathWithin } from "../paths/canonical-path.ts";
import { placesOnTheWay } from "../paths/protected-paths.ts";
import { askForSettings } from "./git.ts";
import { defaultIgnoreFile, type GitProgram } from "./git-program.ts";
import type { Repository } from "./repository.ts";

/** Says whether a canonical path is one of these files or in the folder of hooks, or a folder that holds one. */
export interface RuleFiles {
  has(path: string): boolean;
  liesIn(folder: string): boolean;
}

/** Asks git afresh. Null if it doesn't say. */
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
  // Some systems know no case.
  const folded = new Set(places.map((place) => place.toLowerCase()));
  return {
    has: (path) =>
      folded.has(path.toLowerCase()) ||
      hooks.some((folder) => pathWithin(folder.toLowerCase(), path.toLowerCase()) !== null),
    liesIn: (folder) => places.some((place) => pathWithin(folder, place) !== null),
  };
}

/** What names another file: settings that are read as well, under a condition or not, rules, and where hooks lie. */
const NAMES_FILE = /^(?:core\.excludesfile|core\.hookspath|include\.path|includeif\..*\.path)$/s;

interface NamedFiles {
  readonly files: readonly string[];
  /** Folders. */
  readonly hooks: readonly string[];
}

/** The files that settings come from and that they name; null if one can't be determined. `output` is pairs, by NUL. */
function readNamed({ top }: Repository, output: string, program: GitProgram): NamedFiles | null {
  const parts = output.split("\0");
  if (parts.pop() !== "" || parts.length % 2 !== 0) return null;
  const files = new Set<string>();
  const hooks = new Set<string>();
  for (let at = 0; at < parts.length; at += 2) {
    const [origin = "", entry = ""] = parts.slice(at, at + 2);
    // What we say ourselves stands in no file.
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

/** As git reads a path of a setting; null for another user's home folder, and for what git was built with. */
function expand(value: string, folder: string, { env }: GitProgram): string | null {
  if (value.startsWith("~/")) return env.HOME === undefined ? null : join(env.HOME, value.slice(2));
  if (value.startsWith("~") || value.startsWith("%(prefix)")) return null;
  return isAbsolute(value) ? value : fromFolder(folder, value);
}

/** Where a repository keeps what its worktrees share. */
async function commonFolderOf({ gitFolder }: Repository): Promise<string> {
  const named = await readFile(join(gitFolder, "commondir"), "utf8").catch(() => null);
  return named === null ? gitFolder : fromFolder(gitFolder, named.trim());
}
