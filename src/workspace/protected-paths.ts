/** What no agent may touch, whoever says yes: what decides over agents themselves. */
import { lstat } from "node:fs/promises";
import { canonicalNewPath, canonicalPath, pathWithin } from "./canonical-path.ts";
import { type Identity, sameIdentity, toIdentity } from "./file-identity.ts";

/** What SQLite keeps beside a database. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/** Protected files, and folders with all that is in them, as they lie now. */
export interface ProtectedPaths {
  /** Whether a canonical path is, or lies in, one of them; or is the same file under another name. */
  covers(path: string, identity: Identity | null): boolean;
  /** Whether one of them lies in a canonical folder, which is to be moved or deleted. */
  isIn(folder: string): boolean;
}

/** Looks up where they lie, each with what SQLite may keep beside it. Never rejects. */
export async function findProtected(protect: readonly string[]): Promise<ProtectedPaths> {
  const given = protect.flatMap((path) => COMPANIONS.map((companion) => `${path}${companion}`));
  const found = (await Promise.all(given.map(whereItLies))).filter((path) => path !== null);
  const identities = (await Promise.all(found.map(identityOf))).filter((identity) => identity !== null);
  return {
    covers: (path, identity) =>
      found.some((each) => pathWithin(each, path) !== null) ||
      (identity !== null && identities.some((each) => sameIdentity(each, identity))),
    isIn: (folder) => found.some((each) => pathWithin(folder, each) !== null),
  };
}

async function whereItLies(path: string): Promise<string | null> {
  const found = await canonicalPath(path);
  if (found.kind === "found") return found.path;
  const created = await canonicalNewPath(path);
  return created.kind === "found" ? created.path : null;
}

async function identityOf(path: string): Promise<Identity | null> {
  try {
    return toIdentity(await lstat(path, { bigint: true }));
  } catch {
    return null;
  }
}
