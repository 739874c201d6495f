/** Opens exactly the file that was checked, even if something else is at its path by then. */
import { type BigIntStats, constants as flags } from "node:fs";
import { type FileHandle, lstat, open, readlink } from "node:fs/promises";
import { SluicegateError } from "../../../errors/index.ts";
import { MAX_FILE_BYTES } from "../limits.ts";
import { targetChanged } from "../tools/results.ts";
import { canonicalPath } from "./canonical-path.ts";
import { checkTarget, type PathQuestion } from "./check-path.ts";
import { readUpTo } from "./examined-file.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";
import { type AllowReason, ask, type PathCheck } from "./path-reason.ts";

type Asks = Extract<PathCheck, { effect: "ask" }>;
export type FileQuestion = Omit<PathQuestion, "kind">;

/** A checked file, opened. */
export interface OpenFile {
  readonly effect: "allow";
  readonly reason: AllowReason;
  readonly resolved: string;
  /** All of its bytes. @throws SluicegateError `result-too-large` over 64 MiB. */
  read(): Promise<Buffer>;
  close(): Promise<void>;
}

/** A checked file with its content. */
export interface ReadFile {
  readonly effect: "allow";
  readonly reason: AllowReason;
  readonly resolved: string;
  readonly content: Buffer;
  /** The same as UTF-8. */
  readonly text: string;
}

/** An examined path. */
export interface ExaminedPath {
  /** Canonical. */
  readonly path: string;
  readonly identity: Identity;
  /** A person approved a file with several hard links. */
  readonly linksApproved?: boolean;
}

/**
 * Checks a file and opens it: `read` returns the checked file, even if something else is at its path by then. The
 * caller must close it. Never throws.
 */
export async function openChecked({ root, path }: FileQuestion): Promise<OpenFile | Asks> {
  const check = await checkTarget({ root, path, kind: "file" });
  if (check.effect === "ask") return ask(check.reason, check.resolved);
  const { reason, resolved, identity } = check;
  if (identity === null) return ask("missing", resolved);
  try {
    const handle = await openExamined({ path: resolved, identity });
    return { effect: "allow", reason, resolved, read: () => readWhole(handle), close: () => handle.close() };
  } catch {
    return ask("unclear-path", resolved);
  }
}

/**
 * Checks, opens and reads one file.
 * @throws SluicegateError `result-too-large` over 64 MiB.
 */
export async function readChecked(question: FileQuestion): Promise<ReadFile | Asks> {
  const file = await openChecked(question);
  if (file.effect === "ask") return file;
  try {
    const content = await file.read();
    const { effect, reason, resolved } = file;
    return { effect, reason, resolved, content, text: content.toString("utf8") };
  } finally {
    await file.close();
  }
}

/**
 * Opens exactly the examined file for reading.
 * @throws SluicegateError `target-changed` if it is another one, or was moved.
 */
export async function openExamined({ path, identity, linksApproved }: ExaminedPath): Promise<FileHandle> {
  const handle = await openPlain(path, identity);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() || !sameIdentity(toIdentity(stats), identity))
      throw targetChanged("Another file lies there by now.");
    if (stats.nlink !== 1n && linksApproved !== true) throw targetChanged("It has other names by now.");
    if (!(await liesAt(handle, path, stats))) throw targetChanged("Its path leads elsewhere by now.");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openPlain(path: string, identity: Identity): Promise<FileHandle> {
  try {
    // Opening a device can have an effect.
    const before = await lstat(path, { bigint: true });
    if (!before.isFile() || !sameIdentity(toIdentity(before), identity))
      throw new Error("It is another one.");
    return await open(path, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK | flags.O_NOCTTY);
  } catch (cause) {
    throw targetChanged("It can't be opened as it was examined.", cause);
  }
}

/** Whether an open file is at a path, without links on the way. */
async function liesAt({ fd }: FileHandle, path: string, stats: BigIntStats): Promise<boolean> {
  // THREAT: a folder on the way may be replaced by a link and restored. Linux reports the path of the opened file.
  if (process.platform === "linux") {
    try {
      return (await readlink(`/proc/self/fd/${fd}`, "buffer")).equals(Buffer.from(path));
    } catch {
      // There is no `/proc` here.
    }
  }
  const [found, now] = await Promise.all([canonicalPath(path), lstat(path, { bigint: true })]);
  return found.kind === "found" && found.path === path && sameIdentity(toIdentity(now), toIdentity(stats));
}

async function readWhole(handle: FileHandle): Promise<Buffer> {
  const bytes = await readUpTo(handle, MAX_FILE_BYTES + 1);
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge();
  return bytes;
}

const tooLarge = (): SluicegateError =>
  new SluicegateError("result-too-large", "The file is too large to be read whole.", {
    why: `It has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`,
    fix: "Search it for what is needed instead.",
  });
