/** Deletes and moves exactly what was examined. */
import { link, lstat, rename, unlink } from "node:fs/promises";
import { assertUnchanged, type ExaminedFile } from "../paths/examined-file.ts";
import { type Identity, sameIdentity, toIdentity } from "../paths/file-identity.ts";
import type { HeldFolder } from "../paths/held-folder.ts";
import { targetChanged } from "../tools/results.ts";
import { assertFree, temporaryName, throwUnlessNoLinks } from "./replace-file.ts";

/** One end of a move. */
export interface End {
  readonly folder: HeldFolder;
  readonly name: string;
}

/**
 * Deletes a file. It is renamed before it is compared, so that the compared file is the one deleted.
 * @throws SluicegateError `target-changed` if it is another one, which then stays.
 */
export async function removeFile({ folder, name }: End, expected: ExaminedFile): Promise<void> {
  const path = await folder.at(name);
  await assertUnchanged(path, expected);
  const away = await folder.at(temporaryName());
  await rename(path, away).catch((cause) => {
    throw targetChanged("It isn't there any more.", cause);
  });
  try {
    await assertUnchanged(away, expected);
  } catch (cause) {
    await putBack(away, path);
    throw cause;
  }
  await unlink(away);
  await folder.sync();
}

async function putBack(away: string, path: string): Promise<void> {
  try {
    await link(away, path);
    await unlink(away);
  } catch {
    // If something new has the name, or it is a folder, nothing is overwritten; the file keeps its other name.
    if ((await lstat(path).catch(() => null)) === null) await rename(away, path).catch(() => undefined);
  }
}

/**
 * Moves a file; `over` is the file that it replaces, null if there is none.
 * @throws SluicegateError `target-changed` if either end has changed.
 */
export async function moveFile(
  from: End,
  to: End,
  expected: ExaminedFile,
  over: ExaminedFile | null,
): Promise<void> {
  const [source, target] = [await from.folder.at(from.name), await to.folder.at(to.name)];
  await assertUnchanged(source, expected);
  if (over === null) await moveToFree(source, target, expected.identity);
  else {
    await assertUnchanged(target, over);
    await rename(source, target);
  }
  await Promise.all([from.folder.sync(), to.folder.sync()]);
}

async function moveToFree(source: string, target: string, expected: Identity): Promise<void> {
  try {
    await link(source, target);
  } catch (cause) {
    throwUnlessNoLinks(cause);
    await assertFree(target);
    await rename(source, target);
    return;
  }
  if (!(await isStill(target, expected))) {
    await unlink(target);
    throw targetChanged("Another file lies there by now.");
  }
  await unlink(source);
}

/** Moves a folder to a free name. @throws SluicegateError `target-changed` as `moveFile` does. */
export async function moveFolder(from: End, to: End, expected: Identity): Promise<void> {
  const [source, target] = [await from.folder.at(from.name), await to.folder.at(to.name)];
  if (!(await isStill(source, expected))) throw targetChanged("Another folder lies there by now.");
  await assertFree(target);
  await rename(source, target);
  await Promise.all([from.folder.sync(), to.folder.sync()]);
}

async function isStill(path: string, expected: Identity): Promise<boolean> {
  const now = await lstat(path, { bigint: true }).catch(() => null);
  return now !== null && sameIdentity(toIdentity(now), expected);
}
