/**
 * An open folder, so that operations happen in the examined folder, even if its path leads elsewhere by then. On
 * Linux they use `/proc/self/fd`; on other systems the path is compared before each step.
 */
import { type Dirent, existsSync, constants as flags } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { targetChanged } from "../tools/results.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";

const BY_DESCRIPTOR = process.platform === "linux" && existsSync("/proc/self/fd");

export interface HeldFolder {
  /** The path of a name in exactly this folder. */
  at(name: string): Promise<string>;
  /** Makes changes in it durable. */
  sync(): Promise<void>;
  /** Creates a folder in it and opens that. @throws SluicegateError `target-changed` if the name is taken. */
  makeFolder(name: string): Promise<HeldFolder>;
  /** Opens a folder in it. @throws SluicegateError `target-changed` if there is none, or a link. */
  enter(name: string): Promise<HeldFolder>;
  /** What lies in it. */
  entries(): Promise<readonly Dirent[]>;
  readonly identity: Identity;
  /** Whether it is still at a canonical path, without links on the way, as far as the system can tell. */
  liesAt(path: string): Promise<boolean>;
  close(): Promise<void>;
}

/** @throws SluicegateError `target-changed` if another folder is there, or none. */
export async function holdFolder(path: string, expected: Identity): Promise<HeldFolder> {
  const held = await openFolder(path);
  if (sameIdentity(held.identity, expected) && (await held.liesAt(path))) return held;
  await held.close();
  throw targetChanged("Its folder is another one by now.");
}

async function openFolder(path: string): Promise<HeldFolder> {
  const handle = await open(path, flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW).catch((cause) => {
    throw targetChanged("Its folder can't be opened any more.", cause);
  });
  try {
    return toHeld(path, handle, toIdentity(await handle.stat({ bigint: true })));
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}

function toHeld(path: string, handle: FileHandle, identity: Identity): HeldFolder {
  const at = async (name: string): Promise<string> => {
    if (BY_DESCRIPTOR) return `/proc/self/fd/${handle.fd}/${name}`;
    const now = await lstat(path, { bigint: true }).catch(() => null);
    if (now === null || !sameIdentity(toIdentity(now), identity)) {
      throw targetChanged("Its folder is another one by now.");
    }
    return join(path, name);
  };
  return {
    at,
    identity,
    // THREAT: the folder may have been moved, with a link to it at the old place.
    liesAt: async (canonical) =>
      !BY_DESCRIPTOR ||
      (await readlink(`/proc/self/fd/${handle.fd}`, "buffer")).equals(Buffer.from(canonical)),
    // Some file systems can't sync a folder; the change was made nevertheless.
    sync: () => handle.sync().catch(() => undefined),
    makeFolder: async (name) => {
      const inside = await at(name);
      await mkdir(inside).catch((cause) => {
        throw targetChanged("Something lies where the folder was to be made.", cause);
      });
      return openFolder(inside);
    },
    enter: async (name) => openFolder(await at(name)),
    entries: async () => readdir(await at("."), { withFileTypes: true }),
    close: () => handle.close(),
  };
}
