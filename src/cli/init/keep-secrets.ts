/** How a person keeps the env file out of git. */
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { askAboutFile } from "../../providers/workspace/git/git.ts";
import { findRepository } from "../../providers/workspace/git/repository.ts";

/** What a person has to do so that a file isn't committed; null where git leaves it out already, or there is no git. */
export async function howToIgnore(path: string): Promise<string | null> {
  const folder = await realpath(dirname(path));
  const repository = await findRepository(folder);
  if (repository === null) return null;
  const name = join(relative(repository.top, folder), basename(path));
  const { answer } = await askAboutFile(repository, name);
  if (answer === "ignored") return null;
  const pattern = `/${basename(path).replaceAll(/[\\*?[\] ]/g, (mark) => `\\${mark}`)}`;
  const ignore = `printf '\\n%s\\n' ${inShell(pattern)} >> ${inShell(join(dirname(path), ".gitignore"))}`;
  if (answer !== "tracked") return ignore;
  return `git -C ${inShell(dirname(path))} rm --cached -- ${inShell(basename(path))} && ${ignore}`;
}

/** A word that a shell takes as it is. */
export const inShell = (word: string): string =>
  /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
