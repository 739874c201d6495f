/** Writes a file atomically: first beside it, then over it. */
import { constants as flags } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { createId, systemRandom } from "../../../runtime/index.ts";
import { assertUnchanged, type ExaminedFile } from "../paths/examined-file.ts";
import type { HeldFolder } from "../paths/held-folder.ts";
import { targetChanged } from "../tools/results.ts";

/** The replaced file; its permissions and, if allowed, its owner are kept. */
export interface ReplacedFile extends ExaminedFile {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Puts a file under this name of the folder; `before` is what it replaces, null if there is nothing.
 * @throws SluicegateError `target-changed` if something else is there now.
 */
export async function replaceFile(
  folder: HeldFolder,
  name: string,
  bytes: Buffer,
  before: ReplacedFile | null,
): Promise<void> {
  const temporary = temporaryName();
  await writeTemporary(await folder.at(temporary), bytes, before);
  try {
    const [from, to] = [await folder.at(temporary), await folder.at(name)];
    if (before === null) await linkInto(from, to);
    else {
      await assertUnchanged(to, before);
      await rename(from, to);
    }
  } finally {
    await unlink(await folder.at(temporary)).catch(() => undefined); // gone, where it was renamed
  }
  await folder.sync();
}

export const temporaryName = (): string => `.${createId("sluicegate", systemRandom)}.tmp`;

async function writeTemporary(path: string, bytes: Buffer, before: ReplacedFile | null): Promise<void> {
  const created = flags.O_WRONLY | flags.O_CREAT | flags.O_EXCL | flags.O_NOFOLLOW;
  const handle = await open(path, created, before === null ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (before !== null) await takeAfter(handle, before);
    await handle.sync();
  } catch (cause) {
    await unlink(path).catch(() => undefined);
    throw cause;
  } finally {
    await handle.close();
  }
}

async function takeAfter(handle: FileHandle, { mode, uid, gid }: ReplacedFile): Promise<void> {
  const own = await handle.stat();
  // Only root may change owners; for others the file becomes theirs, as in any editor that replaces files.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
  await handle.chmod(mode & 0o777);
}

/** A link fails if the name is taken; a rename doesn't. */
async function linkInto(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    throwUnlessNoLinks(cause);
    await assertFree(to);
    await rename(from, to);
  }
}

/** @throws SluicegateError `target-changed` if something is there. */
export async function assertFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found !== null) throw targetChanged("Something lies there by now.");
}

/** Returns if the file system doesn't support links, which is reported by several codes; otherwise throws. */
export function throwUnlessNoLinks(cause: unknown): void {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "EEXIST") throw targetChanged("Something lies there by now.", cause);
  if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
}
