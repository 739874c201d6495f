/** What lies in files of a working directory, read from the files. */
import { hash } from "node:crypto";
import { readChecked } from "../../workspace/index.ts";

/** What stands for a file that can't be read as one of the working directory's own: no file has this hash. */
const UNREADABLE = "unreadable";

/** The SHA-256 (hex) of what lies at a path; null for nothing. Never throws. */
export async function hashOfFile(root: string, path: string): Promise<string | null> {
  try {
    const file = await readChecked({ root, path });
    if (file.effect === "allow") return hashOf(file.content);
    return file.reason === "missing" ? null : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
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
