/** The path that the system opens for a written one: links are followed, and `..` is resolved after links. */
import { isUtf8 } from "node:buffer";
import { realpath as realpathOf } from "node:fs";
import { lstat, readlink, statfs } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { MAX_LINKS } from "../limits.ts";

/** The folder of a workspace's tools, and what they may not touch. */
export interface Place {
  /** Canonical. */
  readonly root: string;
  /** Files, or folders with their content. */
  readonly protect: readonly string[];
}

// The native function, because the other resolves `..` in the text before links.
const nativeRealpath = (path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    realpathOf.native(path, "buffer", (error, found) => (error === null ? resolve(found) : reject(error)));
  });

/** Where a path leads. `missing`: to or through something that doesn't exist. `unclear`: that can't be determined. */
export type Canonical =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unclear" };

/**
 * Characters that end a name for the system, or change the direction of text. Other invisible characters are escaped
 * when a name is shown.
 */
const MISLEADING = /[\0\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Whether a path can be shown to a person without being misread. */
export const isClearText = (path: string): boolean => path.isWellFormed() && !MISLEADING.test(path);

/** The canonical path of something that exists. Never rejects. */
export async function canonicalPath(path: string): Promise<Canonical> {
  if (path === "" || path.includes("\0") || !path.isWellFormed()) return { kind: "unclear" };
  try {
    const bytes = await nativeRealpath(path);
    const found = bytes.toString("utf8");
    if (!isUtf8(bytes) || (found !== path && (await isPerProcess(path)))) return { kind: "unclear" };
    return { kind: "found", path: found };
  } catch (error) {
    return { kind: isNothingThere(error) && (await isMissingForAll(path)) ? "missing" : "unclear" };
  }
}

/** THREAT: what is missing behind a link of procfs may exist for another process. */
const isMissingForAll = async (path: string): Promise<boolean> => {
  try {
    return !(await isPerProcess(path));
  } catch (error) {
    return isNothingThere(error);
  }
};

/** The type of procfs in `statfs`. */
const PROCFS = 0x9fa0;

/**
 * Whether a path leads through a link of procfs, such as `/proc/self/cwd` or `/dev/fd/3`. THREAT: such a link leads
 * elsewhere for each process, and another process may open the path.
 */
async function isPerProcess(path: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const parts = fromFolder(process.cwd(), path).split("/");
  let links = 0;
  // INVARIANT: `at` contains no links.
  for (let at = "/", part = parts.shift(); part !== undefined; part = parts.shift()) {
    const next = stepTo(at, part);
    const target = part === ".." ? null : await readLink(next);
    if (target === null) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS || (await statfs(at)).type === PROCFS) return true;
    parts.unshift(...target.split("/"));
    if (isAbsolute(target)) at = "/";
  }
  return false;
}

/** Appends one part to a path without links. */
export function stepTo(folder: string, part: string): string {
  if (part === "..") return dirname(folder);
  return part === "" || part === "." ? folder : inFolder(folder, part);
}

/** The target of a link; null if it isn't one. Rejects if that can't be determined. */
async function readLink(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EINVAL") return null;
    throw error;
  }
}

/** The canonical path for something new: its folder exists, and the name is free. Never rejects. */
export async function canonicalNewPath(path: string): Promise<Canonical> {
  const [, folder = "", name = ""] = /^(.*?\/)?([^/]+)$/s.exec(path) ?? [];
  if (name === "" || name === "." || name === "..") return { kind: "unclear" };
  const parent = await canonicalPath(folder);
  if (parent.kind !== "found") return parent;
  const found = inFolder(parent.path, name);
  // A broken link uses the name too: a write would create its target.
  return (await isNothing(found)) ? { kind: "found", path: found } : { kind: "unclear" };
}

/** As the system resolves it from that folder, without simplification. */
export const fromFolder = (folder: string, path: string): string =>
  isAbsolute(path) ? path : inFolder(folder, path);

export const inFolder = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;

/** A canonical path relative to a canonical folder: empty for the folder itself, null outside of it. */
export function pathWithin(folder: string, path: string): string | null {
  if (path === folder) return "";
  const start = inFolder(folder, "");
  return path.startsWith(start) ? path.slice(start.length) : null;
}

/** Whether a name is free, even of a broken link. Never rejects. */
export async function isNothing(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    return isNothingThere(error);
  }
}

/** Whether the system reports that nothing is there, rather than another error. */
export const isNothingThere = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
