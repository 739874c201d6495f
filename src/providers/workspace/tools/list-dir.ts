/** Lists folders and the working tree, without what needs approval. */

import { lstat } from "node:fs/promises";
import { MAX_GLOB_RESULTS } from "../limits.ts";
import { inFolder, type Place } from "../paths/canonical-path.ts";
import { entriesOf, examineContent, type FolderContent, filesOf } from "../paths/examine-folder.ts";
import { toGlob } from "../search/glob.ts";
import { collectInShares } from "../search/loop-share.ts";
import { flag, optionalPath, text, type Values } from "./arguments.ts";
import { boundedLines, relativeTo, shownName, textResult } from "./results.ts";
import { toolOf } from "./workspace-tool.ts";

const FOLDER = "The folder, relative to the workspace or absolute; left out, the workspace itself.";
const MORE = "[There is more: list a folder further down.]";

const LISTED = {
  path: optionalPath(FOLDER, "dir_path"),
  recursive: flag("Whether folders in it are listed too."),
};

export const LIST_DIR = toolOf({
  name: "list_dir",
  description:
    "Lists a folder of the workspace; folders end in `/`. What needs an approval, such as ignored files, isn't shown.",
  parameters: LISTED,
  examine: async (place, { path, recursive }: Values<typeof LISTED>) => {
    const content = await examineContent(place, path, false, (name) => recursive || !name.includes("/"));
    return { ...content.shown, state: { content, recursive } };
  },
  execute: async (place, { content, recursive }, signal) => {
    const entries = await entriesOf(place, content, recursive, signal);
    return textResult(
      entries.length === 0 ? "[Nothing to show.]" : boundedLines(entries.map(shownName), MORE),
    );
  },
});

const TREE = { path: optionalPath(FOLDER, "dir_path") };

export const LIST_WORKING_TREE = toolOf({
  name: "list_working_tree",
  description: "Lists the files of the workspace, or of a folder in it, that git tracks or doesn't ignore.",
  parameters: TREE,
  examine: async (place, { path }: Values<typeof TREE>) => {
    const content = await examineTree(place, path);
    return { ...content.shown, state: content };
  },
  execute: async (place, content, signal) => {
    const files = await filesOf(place, content, signal);
    const names = await collectInShares(files, ({ path }) => shownName(relativeTo(place.root, path)));
    return textResult(names.length === 0 ? "[Nothing to show.]" : boundedLines(names, MORE));
  },
});

/** Files that git lists in an ignored folder aren't ignored themselves, so they are shown without approval. */
async function examineTree(place: Place, path: string): Promise<FolderContent> {
  const content = await examineContent(place, path, true);
  const { resolved, reason } = content.found.check;
  if (reason !== "ignored" || content.allowed !== null || resolved === null) return content;
  const whole = await examineContent(place, ".", false);
  if (whole.allowed === null) return content;
  const within = inFolder(resolved, "");
  const allowed = whole.allowed.filter((file) => file.path.startsWith(within));
  return { ...content, shown: { ...content.shown, asks: [] }, allowed };
}

const GLOB = { pattern: text("Such as `src/**/*.ts`."), path: optionalPath(FOLDER) };

export const GLOB_TOOL = toolOf({
  name: "Glob",
  description:
    "Finds files of the workspace by a glob pattern, those changed last first. What needs an approval isn't shown.",
  parameters: GLOB,
  examine: async (place, { pattern, path }: Values<typeof GLOB>) => {
    const matches = toGlob(pattern, false);
    const content = await examineContent(place, path, false, matches);
    return { ...content.shown, state: { content, matches } };
  },
  execute: async (place, { content, matches }, signal) => {
    const files = await collectInShares(await filesOf(place, content, signal), (file) =>
      matches(file.name) ? file : undefined,
    );
    const found = (await dated(files, signal)).toSorted((one, other) => other.at - one.at);
    if (found.length === 0) return textResult("No files found");
    const names = found.slice(0, MAX_GLOB_RESULTS).map(({ path }) => shownName(relativeTo(place.root, path)));
    const more = `[There are ${found.length}: use a narrower pattern.]`;
    return textResult(boundedLines(found.length > MAX_GLOB_RESULTS ? [...names, more] : names, more));
  },
});

const AT_ONCE = 128;

async function dated(files: readonly { readonly path: string }[], signal?: AbortSignal) {
  const found: { path: string; at: number }[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    const some = files.slice(at, at + AT_ONCE);
    const times = some.map(async ({ path }) => ({
      path,
      at: (await lstat(path).catch(() => null))?.mtimeMs ?? 0,
    }));
    found.push(...(await Promise.all(times)));
  }
  return found;
}
