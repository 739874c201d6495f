/** A name that is to go away or to be given: it must be the file's own, and no link to it. */
import { basename, dirname } from "node:path";
import { canonicalPath, fromFolder, inFolder } from "./canonical-path.ts";
import { unusable } from "./examine-path.ts";
import { examineWrite, type WriteExamined } from "./examine-write.ts";
import type { Place } from "./place.ts";

/** As `examineWrite`, with a problem where the path's last name is a link, or no name. */
export async function examineEnd(place: Place, path: string): Promise<WriteExamined> {
  const examined = await examineWrite(place, path);
  const { found } = examined;
  if (found.problem !== null || found.path === null) return examined;
  if (await isItsName(place, path, found.path)) return examined;
  const problem = unusable("It is a link, which this tool leaves alone.", "Name what it leads to.");
  return { found: { ...found, problem }, bytes: null };
}

/** Whether the last name of a path is the name of what it leads to. */
export async function isItsName({ root }: Place, path: string, resolved: string): Promise<boolean> {
  const written = fromFolder(root, path).replace(/\/+$/, "");
  const folder = await canonicalPath(dirname(written));
  // What doesn't exist yet has no link at its end; its folders may be missing too.
  if (folder.kind !== "found") return folder.kind === "missing" && basename(written) === basename(resolved);
  return inFolder(folder.path, basename(written)) === resolved;
}
