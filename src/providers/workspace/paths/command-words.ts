/**
 * The words of a variable's value, as paths that they may name. Which file a program opens can't be determined, so every
 * word that might be a path counts as one.
 */

/** The words of a text, and quoted parts as a whole. A variable counts as the folder that the command may run in. */
export function wordsOf(text: string): readonly string[] {
  const plain = text
    .replaceAll(/\$\{\w+:?[-=]([^{}]{0,1000})\}/g, "$1")
    .replaceAll(/\$(?:\{[^{}]{0,100}\}|\w+)/g, ".");
  const quoted = [...plain.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, one, other]) => one ?? other ?? "");
  const words = plain.match(/(?:\\.|[^\s"'`;|&()<>,=:\\])+/g) ?? [];
  return [plain.trim(), ...quoted, ...words]
    .map((word) => word.replaceAll(/\\(.)/gs, "$1"))
    .filter((word) => word !== "");
}

/** A longer word is no path. */
const MAX_PATH = 4096;
/** No module lies in more folders. */
const MAX_MODULE_PARTS = 64;

/**
 * The paths that a word may mean: `-Fconf` and `@conf` name `conf`, `~/a` is below the home folder, and a module's name,
 * as in `-ma.b`, has dots for slashes.
 */
export function readingsOf(word: string): readonly string[] {
  if (word.length > MAX_PATH) return [];
  const read = [word, word.replace(/^(?:~\/|-[a-zA-Z](?=[\w./~])|@)/, "")];
  if (/^-\w*m\w/.test(word)) read.push(...modulesOf(word.replace(/^-\w*?m/, "")));
  if (word.includes("%")) read.push(decoded(word));
  return [...new Set(read)].filter((path) => path !== "");
}

/** A path may follow a command that prints a folder, as in `$(pwd)/a`. */
export const asRelative = (word: string): string => word.replace(/^\/+/, "");

/** A `file:` address may contain escapes. */
function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** An extension that programs add by themselves. */
export const EXTENSION = /\.(?:[cm]?[jt]sx?|json|node|py|sh|bash|zsh|rb|pl|pm|php|lua|ps1)$/;

/** A path in lower case, without such an extension. */
export const withoutExtension = (path: string): string => path.replace(EXTENSION, "");

/** A module runs its packages first. */
const modulesOf = (name: string): readonly string[] =>
  name.split(".", MAX_MODULE_PARTS).map((_, at, parts) => parts.slice(0, at + 1).join("/"));
