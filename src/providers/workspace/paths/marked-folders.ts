/**
 * Folders that a file in them makes special: a plugin of a coding agent has `.claude-plugin`, and git takes a folder with
 * a `HEAD` for a repository once `objects` and `refs` are there. Elsewhere files of these names are ordinary ones.
 */
import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { toPlainName } from "../git/git-folder-name.ts";
import { canonicalPath, inFolder, pathWithin } from "./canonical-path.ts";
import { isProtectedName } from "./protected-names.ts";

interface MarkedFolder {
  readonly mark: string;
  /** What may lie there as a link, and give what it leads to a name there. */
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

/** The folders in which a path would be a file that is loaded, if they were a plugin's. */
export const pluginsAround = (path: string): readonly string[] => foldersAround(PLUGIN, path);

function foldersAround({ isLoaded }: MarkedFolder, path: string): readonly string[] {
  const parts = path.split("/");
  const plain = parts.map(toPlainName);
  return parts.flatMap((_, at) =>
    at > 0 && isLoaded(plain.slice(at)) ? [parts.slice(0, at).join("/")] : [],
  );
}

/** The marks by which a path would be a file that is loaded. */
export const marksAround = (path: string): readonly string[] =>
  KINDS.flatMap((kind) => foldersAround(kind, path).map((folder) => `${folder}/${kind.mark}`));

/** A mark that a path shows, being it or lying in it, with what may lie beside it as a link; null for other paths. */
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

/** Whether one of these canonical paths asks before it is written: by its name, or as a part of a marked folder. */
export async function isAnyProtected(root: string, paths: readonly string[]): Promise<boolean> {
  const isSetting = await homeSettings(root);
  if (paths.some((path) => isProtectedName(path) || isSetting(path))) return true;
  const marks = new Set(paths.flatMap(marksAround));
  const found = await Promise.all([...marks].map((mark) => lstat(mark).catch(() => null)));
  return [...marks].some((mark, at) => {
    const stats = found[at] ?? null;
    // A `HEAD` that is a folder, such as one for a page's header, marks nothing.
    return stats !== null && !(mark.endsWith("/HEAD") && stats.isDirectory());
  });
}

/** Hidden files, programs by their names, and on macOS what is started at a login. */
const READ_AT_HOME = /^(?:\.|bin(?:\/|$)|library(?:\/|$))/;

/**
 * Says whether programs read a canonical path as their user's settings, outside of the part that the workspace is. Some
 * systems know no case.
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
