/** The content of files in a working directory. */
import { hash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { readChecked } from "../../providers/workspace/index.ts";

/** For a path without a readable file of a reasonable size: no file has this hash. */
const UNREADABLE = "unreadable";

/** The SHA-256 (hex) of a file; null if there is none. Never throws. */
async function hashOfFile(root: string, path: string): Promise<string | null> {
  try {
    const file = await readChecked({ root, path });
    if (file.effect === "allow") return hashOf(file.content);
    // Agents may not read it (any more), for example because git ignores it now. The comparison may.
    return file.reason === "missing" ? null : await hashOfBytes(path);
  } catch {
    return UNREADABLE;
  }
}

const MAX_BYTES = 64 * 1024 * 1024;

/** THREAT: others may put a link, a pipe or a huge file there meanwhile. None is followed, awaited or read. */
async function hashOfBytes(path: string): Promise<string> {
  if ((await realpath(path)) !== path) return UNREADABLE;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile() || found.size > MAX_BYTES) return UNREADABLE;
  return hashOf(await file.readFile());
}

export const hashOf = (content: Uint8Array): string => hash("sha256", content, "hex");

/** Those of the files that have changed; in doubt, a file has. */
export async function changedOf(
  root: string,
  before: ReadonlyMap<string, string | null>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    [...before].map(async ([path, was]) => ((await hashOfFile(root, path)) === was ? [] : [path])),
  );
  return found.flat();
}
