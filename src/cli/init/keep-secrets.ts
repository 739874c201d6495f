/** The env file that `init` writes beside the policy: for this user alone, and out of git. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import { type EnvFile, readEnvFile } from "../../policy-file/document/env-file.ts";
import { askAboutFile } from "../../providers/workspace/git/git.ts";
import { findRepository } from "../../providers/workspace/git/repository.ts";
import { writeNew } from "./write-new.ts";

/** The env file that is there already. Throws as `readEnvFile` does, and where it is a link. */
export async function findEnvFile(path: string): Promise<EnvFile | null> {
  const stats = await lstat(path).catch(() => null);
  // THREAT: a project that was cloned chose where it leads, and secrets would be written there.
  if (stats?.isSymbolicLink())
    throw new SluicegateError("usage", `\`${path}\` is a link.`, {
      why: "Secrets are written there, and the link may lead anywhere.",
      fix: "Put a file in its place, or name another policy with `--out`.",
    });
  return readEnvFile(path);
}

/** Writes the env file in one piece, where it is to say something new. */
export async function writeEnvFile(path: string, text: string, before: EnvFile | null): Promise<void> {
  if (text === (before?.text ?? "")) return;
  await writeNew(path, text, before !== null, 0o600);
}

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
