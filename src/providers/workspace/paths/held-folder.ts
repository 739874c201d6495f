/**
 * A folder held open, so that what is done in it is done in the folder that was examined, wherever its path leads by
 * then. Linux reaches into a descriptor by `/proc/self/fd`; elsewhere the path is compared again before each step.
 */
import { type Dirent, existsSync, constants as flags } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { targetChanged } from "../tools/results.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";

const BY_DESCRIPTOR = process.platform === "linux" && existsSync("/proc/self/fd");

export interface HeldFolder {
  /** The path to reach a name in this very folder. */
  at(name: string): Promise<string>;
  /** Makes what was done in it durable. */
  sync(): Promise<void>;
  /** Makes a new folder in it and holds that. @throws SluicegateError `target-changed` where the name is taken. */
  makeFolder(name: string): Promise<HeldFolder>;
  /** Holds a folder in it. @throws SluicegateError `target-changed` where none lies there, or a link. */
  enter(name: string): Promise<HeldFolder>;
  /** What lies in it. */
  entries(): Promise<readonly Dirent[]>;
  readonly identity: Identity;
  /** Whether it lies at a canonical path, with no link on the way, as far as the system tells. */
  liesAt(path: string): Promise<boolean>;
  close(): Promise<void>;
}

/** @throws SluicegateError `target-changed` where another folder lies there, or none. */
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
    // THREAT: the folder itself may have been moved out, with a link left on the way to it.
    liesAt: async (canonical) =>
      !BY_DESCRIPTOR ||
      (await readlink(`/proc/self/fd/${handle.fd}`, "buffer")).equals(Buffer.from(canonical)),
    // Some file systems can't sync a folder; what was done is done all the same.
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
