/**
 * What a coding agent loads of a plugin: at the top of the plugin's folder, which is one by its folder `.claude-plugin`.
 * Elsewhere files of these names are ordinary ones.
 */
import { lstat } from "node:fs/promises";
import { toPlainName } from "../git/git-folder-name.ts";
import { isProtectedName } from "./protected-names.ts";

const MARK = ".claude-plugin";

/** What may lie in a plugin's folder as a link, and give what it leads to a name there. */
export const PLUGIN_PARTS: readonly string[] = [
  ...["bin", "hooks", "monitors", "skills", "workflows", "agents", "commands", "output-styles"],
  ...["SKILL.md", ".lsp.json", "settings.json"],
];

const PROGRAMS = /^(?:bin|hooks|monitors|skills|workflows)$/;
const INSTRUCTIONS = /^(?:agents|commands|output-styles)$/;

/** Whether a path in a plugin's folder is loaded. */
function isLoaded([first = "", ...rest]: readonly string[]): boolean {
  if (rest.length === 0 && /^(?:skill\.md|\.lsp\.json|settings\.json)$/.test(first)) return true;
  const last = rest.at(-1) ?? "";
  return PROGRAMS.test(first) || (INSTRUCTIONS.test(first) && (last === "" || last.endsWith(".md")));
}

/** The folders in which a path would be a file that is loaded, if they were a plugin's. */
export function pluginsAround(path: string): readonly string[] {
  const parts = path.split("/");
  const plain = parts.map(toPlainName);
  return parts.flatMap((_, at) =>
    at > 0 && isLoaded(plain.slice(at)) ? [parts.slice(0, at).join("/")] : [],
  );
}

/** The plugin's folder that a path in its `.claude-plugin` shows; null for any other path. */
export function pluginShownBy(path: string): string | null {
  const parts = path.split("/");
  const at = parts.findIndex((part) => toPlainName(part) === MARK);
  return at < 1 ? null : parts.slice(0, at).join("/");
}

/** Whether one of these canonical paths asks before it is written: by its name, or as a part of a plugin. */
export async function isAnyProtected(paths: readonly string[]): Promise<boolean> {
  if (paths.some(isProtectedName)) return true;
  const marks = new Set(paths.flatMap(pluginsAround).map((folder) => `${folder}/${MARK}`));
  const found = await Promise.all([...marks].map((mark) => lstat(mark).catch(() => null)));
  return found.some((stats) => stats !== null);
}
