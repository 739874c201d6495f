/** A file as it was when it was examined, and whether it still is. */
import { createHash, type Hash } from "node:crypto";
import { constants as flags } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { MAX_FILE_BYTES } from "../limits.ts";
import { targetChanged } from "../tools/results.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";

export interface ExaminedFile {
  readonly identity: Identity;
  /** SHA-256 in hex of all its bytes. */
  readonly sha256: string;
}

const CHUNK = 256 * 1024;

/** @throws SluicegateError `target-changed` if it is another file, or has other bytes. */
export async function assertUnchanged(path: string, expected: ExaminedFile): Promise<void> {
  const handle = await open(path, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK).catch((cause) => {
    throw targetChanged("It can't be opened any more.", cause);
  });
  try {
    const now = await handle.stat({ bigint: true });
    if (!now.isFile() || !sameIdentity(toIdentity(now), expected.identity)) {
      throw targetChanged("Another file lies there by now.");
    }
    if (now.size > MAX_FILE_BYTES) throw targetChanged("Its content is another one by now.");
    if ((await hashOf(handle)) !== expected.sha256) throw targetChanged("Its content is another one by now.");
  } finally {
    await handle.close();
  }
}

/** SHA-256 in hex of a whole file, read from its beginning. */
async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunksOf(handle)) hash.update(chunk);
  return hash.digest("hex");
}

/** A file's bytes in chunks, each valid until the next one is requested. */
export async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The first bytes of a file, up to a limit; `hash` is updated with them. */
export async function readUpTo(handle: FileHandle, limit: number, hash?: Hash): Promise<Buffer> {
  const { size } = await handle.stat();
  let buffer = Buffer.allocUnsafe(Math.min(limit, size + 1));
  for (let length = 0; ; ) {
    // It is growing, or the system doesn't report its length.
    if (length === buffer.length && length < limit) {
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.min(limit - length, length + CHUNK))]);
    }
    const { bytesRead } = await handle.read(buffer, length, Math.min(CHUNK, buffer.length - length), length);
    hash?.update(buffer.subarray(length, length + bytesRead));
    length += bytesRead;
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}
