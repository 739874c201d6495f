/** What lies in files of a working directory, read from the files. */
import { hash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { readChecked } from "../../providers/workspace/index.ts";

/** What stands for what can't be read as a file of a bearable size at its path: no file has this hash. */
const UNREADABLE = "unreadable";

/** The SHA-256 (hex) of what lies at a path; null for nothing. Never throws. */
async function hashOfFile(root: string, path: string): Promise<string | null> {
  try {
    const file = await readChecked({ root, path });
    if (file.effect === "allow") return hashOf(file.content);
    // Agents may not read it (any more), as where somebody has ignored it meanwhile. Its bytes are what they are.
    return file.reason === "missing" ? null : await hashOfBytes(path);
  } catch {
    return UNREADABLE;
  }
}

const MAX_BYTES = 64 * 1024 * 1024;

/** THREAT: others may put a link, a pipe or a huge file there meanwhile. None is followed, waited for or read. */
async function hashOfBytes(path: string): Promise<string> {
  if ((await realpath(path)) !== path) return UNREADABLE;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile() || found.size > MAX_BYTES) return UNREADABLE;
  return hashOf(await file.readFile());
}

export const hashOf = (content: Uint8Array): string => hash("sha256", content, "hex");

/** Of these files, those that are not as they were. In doubt, one is not. */
export async function changedOf(
  root: string,
  before: ReadonlyMap<string, string | null>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    [...before].map(async ([path, was]) => ((await hashOfFile(root, path)) === was ? [] : [path])),
  );
  return found.flat();
}
