/** The files of a store: where they really lie, and how they come into being whole or not at all. */
import { linkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Where a store's file lies, through every link. What lies beside it is looked for there, whatever name it was opened by:
 * a store with two names would have two marks.
 */
export function realStorePath(path: string): string {
  const file = resolve(path);
  try {
    return realpathSync.native(file);
  } catch {
    // It isn't there yet.
  }
  try {
    return join(realpathSync.native(dirname(file)), basename(file));
  } catch {
    return file;
  }
}

/** Gives a draft its name, unless another process was first: then that one's file is the file. */
export function linkUnlessThere(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw error;
    }
  }
}
