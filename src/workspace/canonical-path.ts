/** From a path as somebody wrote it to the one that the system opens: links followed, `..` taken as the system does. */
import { isUtf8 } from "node:buffer";
import { realpath as realpathOf } from "node:fs";
import { lstat } from "node:fs/promises";
import { isAbsolute } from "node:path";

// The native one: the other collapses `..` in the text before it follows a link.
const nativeRealpath = (path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    realpathOf.native(path, "buffer", (error, found) => (error === null ? resolve(found) : reject(error)));
  });

/** Where a path leads. `missing`: to nothing, or through nothing. `unclear`: who reads it can't tell where. */
export type Canonical =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unclear" };

/**
 * What ends a name for the system, and what turns the direction of reading. Other characters that can't be seen are
 * made visible wherever a person is shown a name.
 */
const MISLEADING = /[\0\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Whether a path can be shown to a person so that it reads as it is. */
export const isClearText = (path: string): boolean => path.isWellFormed() && !MISLEADING.test(path);

/** The canonical path of something that is there. Never rejects. */
export async function canonicalPath(path: string): Promise<Canonical> {
  if (path === "" || path.includes("\0") || !path.isWellFormed()) return { kind: "unclear" };
  try {
    const bytes = await nativeRealpath(path);
    return isUtf8(bytes) ? { kind: "found", path: bytes.toString("utf8") } : { kind: "unclear" };
  } catch (error) {
    return isNothingThere(error) ? { kind: "missing" } : { kind: "unclear" };
  }
}

/** The canonical path that something new would have: its folder is there, and nothing bears its name. Never rejects. */
export async function canonicalNewPath(path: string): Promise<Canonical> {
  const [, folder = "", name = ""] = /^(.*?\/)?([^/]+)$/s.exec(path) ?? [];
  if (name === "" || name === "." || name === "..") return { kind: "unclear" };
  const parent = await canonicalPath(folder);
  if (parent.kind !== "found") return parent;
  const found = inFolder(parent.path, name);
  // A link that leads nowhere bears the name too: what is written would come to lie elsewhere.
  return (await isNothing(found)) ? { kind: "found", path: found } : { kind: "unclear" };
}

/** As the system reads it from that folder; no text is collapsed. */
export const fromFolder = (folder: string, path: string): string =>
  isAbsolute(path) ? path : inFolder(folder, path);

export const inFolder = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;

/** A canonical path as seen from a canonical folder: empty for the folder itself, null outside of it. */
export function pathWithin(folder: string, path: string): string | null {
  if (path === folder) return "";
  const start = inFolder(folder, "");
  return path.startsWith(start) ? path.slice(start.length) : null;
}

/** Whether nothing bears a name, not even a link that leads nowhere. Never rejects. */
export async function isNothing(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    return isNothingThere(error);
  }
}

/** Whether the system says that nothing is there, rather than that it can't tell. */
export const isNothingThere = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
