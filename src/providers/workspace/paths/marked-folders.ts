/**
 * Folders that are special because of a file in them: a coding agent's plugin has `.claude-plugin`, and git treats a
 * folder with `HEAD`, `objects` and `refs` as a repository. In other folders these names are ordinary.
 */
import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { toPlainName } from "../git/git-folder-name.ts";
import { canonicalPath, inFolder, pathWithin } from "./canonical-path.ts";
import { isProtectedName } from "./protected-names.ts";

interface MarkedFolder {
  readonly mark: string;
  /** What may be a link there, which gives its target a name in the folder. */
  readonly parts: readonly string[];
  /** Whether a path in the folder is loaded. */
  readonly isLoaded: (path: readonly string[]) => boolean;
}

const PROGRAMS = /^(?:bin|hooks|monitors|skills|workflows)$/;
const INSTRUCTIONS = /^(?:agents|commands|output-styles)$/;

const PLUGIN: MarkedFolder = {
  mark: ".claude-plugin",
  parts: [
    ...["bin", "hooks", "monitors", "skills", "workflows", "agents", "commands", "output-styles"],
    ...["SKILL.md", ".lsp.json", "settings.json"],
  ],
  isLoaded: ([first = "", ...rest]) => {
    if (rest.length === 0 && /^(?:skill\.md|\.lsp\.json|settings\.json)$/.test(first)) return true;
    const last = rest.at(-1) ?? "";
    return PROGRAMS.test(first) || (INSTRUCTIONS.test(first) && (last === "" || last.endsWith(".md")));
  },
};

const REPOSITORY_PARTS = ["objects", "refs", "config", "config.worktree", "commondir", "hooks", "info"];

const REPOSITORY: MarkedFolder = {
  mark: "HEAD",
  parts: REPOSITORY_PARTS,
  isLoaded: ([first = ""]) => REPOSITORY_PARTS.includes(first),
};

const KINDS: readonly MarkedFolder[] = [PLUGIN, REPOSITORY];

/** The folders in which a path would be loaded if they were plugins. */
export const pluginsAround = (path: string): readonly string[] => foldersAround(PLUGIN, path);

function foldersAround({ isLoaded }: MarkedFolder, path: string): readonly string[] {
  const parts = path.split("/");
  const plain = parts.map(toPlainName);
  return parts.flatMap((_, at) =>
    at > 0 && isLoaded(plain.slice(at)) ? [parts.slice(0, at).join("/")] : [],
  );
}

/** The marks with which a path would be loaded. */
export const marksAround = (path: string): readonly string[] =>
  KINDS.flatMap((kind) => foldersAround(kind, path).map((folder) => `${folder}/${kind.mark}`));

/** The mark that a path is, or is in, with the parts that may be links; null for other paths. */
export function markShownBy(
  path: string,
): { readonly mark: string; readonly parts: readonly string[] } | null {
  const names = path.split("/");
  const plain = names.map(toPlainName);
  for (const { mark, parts } of KINDS) {
    const at = plain.indexOf(toPlainName(mark));
    if (at < 1) continue;
    const folder = names.slice(0, at).join("/");
    return { mark: `${folder}/${mark}`, parts: parts.map((part) => `${folder}/${part}`) };
  }
  return null;
}

/** Whether writing one of these canonical paths needs approval: by its name, or as part of a marked folder. */
export async function isAnyProtected(root: string, paths: readonly string[]): Promise<boolean> {
  const isSetting = await homeSettings(root);
  if (paths.some((path) => isProtectedName(path) || isSetting(path))) return true;
  const marks = new Set(paths.flatMap(marksAround));
  const found = await Promise.all([...marks].map((mark) => lstat(mark).catch(() => null)));
  return [...marks].some((mark, at) => {
    const stats = found[at] ?? null;
    // A folder named `HEAD`, such as one with page headers, isn't a mark.
    return stats !== null && !(mark.endsWith("/HEAD") && stats.isDirectory());
  });
}

/** Hidden files, programs, and on macOS what is started at login. */
const READ_AT_HOME = /^(?:\.|bin(?:\/|$)|library(?:\/|$))/;

/**
 * Whether programs read a canonical path as their user's settings, except in the workspace itself. Some systems
 * ignore letter case.
 */
export async function homeSettings(root: string, homeFolder = homedir()): Promise<(path: string) => boolean> {
  const found = await canonicalPath(homeFolder);
  if (found.kind !== "found") return () => false;
  const [home, workspace] = [found.path.toLowerCase(), root.toLowerCase()];
  return (path) => {
    const [first = ""] = pathWithin(home, path.toLowerCase())?.split("/") ?? [];
    return READ_AT_HOME.test(toPlainName(first)) && pathWithin(inFolder(home, first), workspace) === null;
  };
}
