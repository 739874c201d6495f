/** Files that come into being whole or not at all: written under another name, and linked to their own. */
import { linkSync } from "node:fs";

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
