/** From a path as somebody wrote it to the one that the system opens: links followed, `..` taken as the system does. */
import { isUtf8 } from "node:buffer";
import { realpath as realpathOf } from "node:fs";
import { lstat, readlink, statfs } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { MAX_LINKS } from "../limits.ts";

/** Where the tools of a workspace work, and what none of them may touch. */
export interface Place {
  /** Canonical. */
  readonly root: string;
  /** Files, or folders with all that is in them. */
  readonly protect: readonly string[];
}

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
    const found = bytes.toString("utf8");
    if (!isUtf8(bytes) || (found !== path && (await isPerProcess(path)))) return { kind: "unclear" };
    return { kind: "found", path: found };
  } catch (error) {
    return { kind: isNothingThere(error) && (await isMissingForAll(path)) ? "missing" : "unclear" };
  }
}

/** THREAT: what is missing behind a link of procfs may be there for whoever opens it. */
const isMissingForAll = async (path: string): Promise<boolean> => {
  try {
    return !(await isPerProcess(path));
  } catch (error) {
    return isNothingThere(error);
  }
};

/** What `statfs` calls procfs. */
const PROCFS = 0x9fa0;

/**
 * Whether a path leads through a link that procfs makes, such as `/proc/self/cwd` or `/dev/fd/3`.
 * THREAT: such a link leads elsewhere for each process, and whoever asks may not be the one who opens it.
 */
async function isPerProcess(path: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const parts = fromFolder(process.cwd(), path).split("/");
  let links = 0;
  // INVARIANT: `at` has no link on its way.
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

/** One part of a path further, from a folder that no link leads to. */
export function stepTo(folder: string, part: string): string {
  if (part === "..") return dirname(folder);
  return part === "" || part === "." ? folder : inFolder(folder, part);
}

/** Where a link leads; null for what is none. Rejects where that can't be determined. */
async function readLink(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EINVAL") return null;
    throw error;
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
