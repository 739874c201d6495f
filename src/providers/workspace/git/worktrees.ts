/** Worktrees of the workspace's repository that lie in the workspace. Git answers there for their files. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { inFolder, isNothing, pathWithin } from "../paths/canonical-path.ts";
import { commonFolderOf, findRepository, type Repository } from "./repository.ts";

/**
 * The repository that knows a canonical path, existing or not: that of the innermost worktree around it, otherwise the
 * workspace's own. Null if the workspace has none.
 */
export async function repositoryOf(root: string, path: string): Promise<Repository | null> {
  const own = await findRepository(root);
  return own && ((await worktreeAround(own, root, path)) ?? own);
}

async function worktreeAround(own: Repository, root: string, path: string): Promise<Repository | null> {
  const names = pathWithin(root, path)?.split("/") ?? [];
  for (let end = names.length; end > 0; end -= 1) {
    const folder = inFolder(root, names.slice(0, end).join("/"));
    if (folder !== own.top && !(await isNothing(join(folder, ".git")))) return worktreeAt(own, folder);
  }
  return null;
}

/**
 * THREAT: a `.git` file may come from an archive, or from a program that the agent ran, and name any repository. So
 * the workspace's own repository must know this folder as its worktree.
 */
async function worktreeAt(own: Repository, folder: string): Promise<Repository | null> {
  const found = await findRepository(folder);
  if (found === null || found.top !== folder || found.bond !== "worktree") return null;
  const [ours, theirs] = await Promise.all([own, found].map(commonFolderOf));
  if (ours == null || ours !== theirs || dirname(found.gitFolder) !== join(ours, "worktrees")) return null;
  // Not through a link that has taken the worktree's place.
  return (await placeOf(found.gitFolder)) === folder ? found : null;
}

/** Where git made a worktree, as written; null if that can't be read. */
async function placeOf(gitFolder: string): Promise<string | null> {
  const named = await readFile(join(gitFolder, "gitdir"), "utf8").catch(() => null);
  return named === null ? null : dirname(resolve(gitFolder, named.replace(/[\r\n]+$/, "")));
}

/** With more, those beyond count as other repositories. */
const MAX_WORKTREES = 100;

/** The tops of the worktrees below a canonical folder of the workspace, without the one that the folder lies in. */
export async function worktreesBelow(root: string, folder: string): Promise<readonly string[]> {
  const own = await findRepository(root);
  const common = own && (await commonFolderOf(own));
  if (own === null || common === null) return [];
  const names = await readdir(join(common, "worktrees")).catch(() => []);
  const tops = await Promise.all(
    names.slice(0, MAX_WORKTREES).map(async (name) => {
      const top = await placeOf(join(common, "worktrees", name));
      const isBelow = top !== null && Boolean(pathWithin(folder, top));
      return isBelow && (await worktreeAround(own, root, top))?.top === top ? [top] : [];
    }),
  );
  return tops.flat();
}
