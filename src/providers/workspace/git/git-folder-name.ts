/** Names that are git's own folder, here or on a file system that reads names more generously. */

// What HFS+ leaves out of names.
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** Whether a name is `.git`: in any case, as a short name, with what some file systems strip or leave out. */
export function isGitFolderName(name: string): boolean {
  const read = name
    .replaceAll(IGNORED_BY_HFS, "")
    .replace(/:.*$/su, "")
    .replace(/[. ]+$/u, "")
    .toLowerCase();
  return read === ".git" || read === "git~1";
}

/** Whether any part of a path is one. */
export const hasGitFolder = (path: string): boolean => path.split("/").some(isGitFolderName);

/** A name without what some systems leave out of it: dots and spaces at the end, invisible characters, case. */
export const toPlainName = (name: string): string =>
  name
    .replaceAll(IGNORED_BY_HFS, "")
    .replace(/[. ]+$/u, "")
    // THREAT: to some systems U+017F is an `s`, which lower case alone doesn't tell.
    .toUpperCase()
    .toLowerCase();
