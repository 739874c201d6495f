/**
 * Examines a path of a call's arguments: why it needs approval, what an approval is bound to, and what the execution
 * opens.
 */
import type { FileHandle } from "node:fs/promises";
import type { AskCause } from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import type { Target } from "../../../runtime/index.ts";
import { canonicalPath, fromFolder, type Place, pathWithin } from "./canonical-path.ts";
import { checkTarget, type TargetCheck } from "./check-path.ts";
import { checkNewPath } from "./new-path.ts";
import { openExamined } from "./open-checked.ts";
import { toAskCause } from "./path-reason.ts";

/** The part of an examination for the approver. */
export interface Shown {
  readonly asks: readonly AskCause[];
  readonly targets: readonly Target[];
  readonly isProtected?: true;
}

export interface PathFound {
  readonly shown: Shown;
  readonly check: TargetCheck;
  /** Why the call can't work, even with an approval; null if it can. */
  readonly problem: SluicegateError | null;
}

/** A file to be read. */
export async function examineFile(place: Place, path: string): Promise<PathFound> {
  const check = await checkTarget({ ...place, path, kind: "file" });
  if (check.reason === "missing") return nothingThere(place, path, check);
  if (check.reason === "wrong-kind") {
    const folder = await checkTarget({ ...place, path, kind: "directory" });
    return {
      shown: toShown(folder),
      check: folder,
      problem: unusable("It is a folder.", "Name a file in it."),
    };
  }
  return { shown: await shownOf(place, path, check), check, problem: unusableOf(check) };
}

/** A folder to be listed; with `takesFile` it may also be a file. */
export async function examineFolder(place: Place, path: string, takesFile: boolean): Promise<PathFound> {
  const check = await checkTarget({ ...place, path, kind: "directory" });
  if (check.reason === "missing") return nothingThere(place, path, check);
  if (check.reason === "wrong-kind") {
    const file = await checkTarget({ ...place, path, kind: "file" });
    const problem = takesFile ? unusableOf(file) : unusable("It is a file.", "Name its folder.");
    return { shown: toShown(file), check: file, problem };
  }
  return { shown: await shownOf(place, path, check), check, problem: unusableOf(check) };
}

/**
 * A missing path. If a new file there would need no approval, that it is missing is reported without approval: this
 * reveals no more than listing the folder.
 */
async function nothingThere(place: Place, path: string, check: TargetCheck): Promise<PathFound> {
  const free = await checkNewPath(place, path, "file");
  const problem = unusable("Nothing lies there.", "List the folder to see what does.");
  if (free === null || free.isProtected || free.asks.some((cause) => cause !== "protected-name")) {
    const shown = await shownOf(place, path, check);
    // INVARIANT: the approval doesn't reveal whether something exists.
    return { shown: free?.asks.length ? { ...shown, asks: free.asks } : shown, check, problem };
  }
  return { shown: { asks: [], targets: [{ path: free.path }] }, check, problem };
}

/**
 * What an approver sees of a checked path. THREAT: from the reason an agent could learn what exists outside of the
 * workspace, so every path that leads there has the same reason, whether or not it exists.
 */
export async function shownOf(place: Place, path: string, check: TargetCheck): Promise<Shown> {
  const shown = toShown(check);
  if (check.resolved !== null) return shown;
  // The approval is for this path, even if links change.
  return { ...shown, asks: [await causeOf(place, path)], targets: [{ path: fromFolder(place.root, path) }] };
}

/** The reason for a missing path, or for one that can't be determined. */
export const causeOf = async ({ root }: Place, path: string): Promise<AskCause> =>
  (await leadsOutside(root, path)) ? "outside-workspace" : "unclear-path";

/** Whether the last existing part of a path is outside of a folder. */
async function leadsOutside(root: string, path: string): Promise<boolean> {
  const top = await canonicalPath(root);
  if (top.kind !== "found") return false;
  const parts = fromFolder(top.path, path).split("/");
  let isOutside = false;
  for (let at = 1; at <= parts.length; at += 1) {
    const found = await canonicalPath(parts.slice(0, at).join("/") || "/");
    // Nothing can exist behind a missing part.
    if (found.kind === "missing") break;
    if (found.kind === "found") isOutside = pathWithin(top.path, found.path) === null;
  }
  return isOutside;
}

export const toShown = (check: TargetCheck): Shown => ({
  asks: check.effect === "ask" ? [toAskCause(check.reason)] : [],
  targets: check.resolved === null ? [] : [{ path: check.resolved }],
  ...(check.isProtected && { isProtected: true as const }),
});

function unusableOf(check: TargetCheck): SluicegateError | null {
  if (check.resolved === null) return unusable("Where it leads can't be determined.", "Name it plainly.");
  if (check.reason === "special-file") return unusable("It isn't an ordinary file or folder.", "Leave it.");
  return check.identity === null
    ? unusable("Nothing lies there.", "List the folder to see what does.")
    : null;
}

/** Opens the file that was examined. @throws SluicegateError `invalid-request`, `target-changed`. */
export function openFile({ check, problem }: PathFound): Promise<FileHandle> {
  if (problem !== null) throw problem;
  const { resolved, identity, reason } = check;
  if (resolved === null || identity === null) throw unusable("Nothing lies there.", "Name another path.");
  return openExamined({
    path: resolved,
    identity,
    linksApproved: reason !== "tracked" && reason !== "not-ignored",
  });
}

export const unusable = (why: string, fix: string): SluicegateError =>
  new SluicegateError("invalid-request", "The call can't be carried out on this path.", { why, fix });
