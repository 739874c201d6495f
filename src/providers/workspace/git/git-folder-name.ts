/** Names that mean git's own folder, here or on a file system with other rules for names. */

// Characters that HFS+ ignores in names.
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/**
 * Whether a name means `.git`: in any letter case, as a short name, with characters that some file systems ignore.
 */
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

/** A name without what some systems ignore: dots and spaces at the end, invisible characters, letter case. */
export const toPlainName = (name: string): string =>
  name
    .replaceAll(IGNORED_BY_HFS, "")
    .replace(/[. ]+$/u, "")
    // THREAT: some systems treat U+017F as `s`, which lower-casing alone doesn't.
    .toUpperCase()
    .toLowerCase();
