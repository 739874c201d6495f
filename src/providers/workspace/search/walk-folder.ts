/** Walks a folder without following links: each folder is opened from its parent. */
import type { Dirent } from "node:fs";
import type { HeldFolder } from "../paths/held-folder.ts";

export interface WalkedEntry {
  /** Relative to the folder where the walk began. */
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface WalkOptions {
  /** Whether folders in it are entered. */
  readonly isDeep: boolean;
  /** Whether an entry is shown, and a folder entered. */
  readonly takes: (entry: WalkedEntry) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** How deep folders are entered; each of them stays open meanwhile. */
const MAX_DEPTH = 64;

/** Folders come before their content; a folder that can't be opened is skipped. */
export async function* walkFolder(
  folder: HeldFolder,
  options: WalkOptions,
  start = "",
  depth = 0,
): AsyncGenerator<WalkedEntry> {
  for (const found of (await folder.entries()).toSorted(byName)) {
    options.signal?.throwIfAborted();
    const entry = { name: start + found.name, kind: kindOf(found) };
    if (!(await options.takes(entry))) continue;
    yield entry;
    if (entry.kind !== "folder" || !options.isDeep || depth >= MAX_DEPTH) continue;
    const inner = await folder.enter(found.name).catch(() => null);
    if (inner === null) continue;
    try {
      yield* walkFolder(inner, options, `${entry.name}/`, depth + 1);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
    } finally {
      await inner.close();
    }
  }
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1);

function kindOf(entry: Dirent): WalkedEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
