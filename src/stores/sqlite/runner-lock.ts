/**
 * A lock that lives as long as its process, beside a store: whoever shares the store can tell by it whether the process
 * that ran a call is gone. The system lets go of it however the process ends.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { realStorePath } from "./link-file.ts";
import { DatabaseSync } from "./sqlite-module.ts";

interface RunnerLock {
  readonly id: string;
  /** Whether another process has ended for certain. In doubt it hasn't. */
  readonly isGone: (id: string) => boolean;
  release(): void;
}

const ID = /^[0-9a-f]{4,64}$/;
/** A lock file is locked right after it is made; one that is younger may be about to be. */
const MIN_AGE_MS = 60_000;

/** The folder of the locks beside a store; agents may not touch it. */
const folderOf = (storeFile: string): string => `${realStorePath(storeFile)}-runners`;

/** Takes a new lock and removes those of killed processes. @throws if the folder can't be written */
export function holdRunnerLock(storeFile: string, id: string): RunnerLock {
  const folder = folderOf(storeFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, id);
  closeSync(openSync(file, "wx", 0o600));
  const database = lock(file);
  if (database === null) throw new Error("The lock of a new process is held by another.");
  for (const other of readdirSync(folder)) {
    if (ID.test(other) && other !== id && isOld(join(folder, other))) removeUnheld(join(folder, other));
  }
  return {
    id,
    isGone: (other) => {
      if (!ID.test(other) || other === id) return false;
      const path = join(folder, other);
      // If its own lock was deleted too, a missing one proves nothing.
      return existsSync(path) ? removeUnheld(path) : existsSync(file);
    },
    release: () => {
      rmSync(file, { force: true });
      database.close();
    },
  };
}

function isOld(file: string): boolean {
  const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && modified < Date.now() - MIN_AGE_MS;
}

/** Removes a lock that no process holds; returns whether it did. In doubt the lock stays. */
function removeUnheld(file: string): boolean {
  try {
    const held = lock(file);
    if (held === null) return false;
    held.close();
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** The locked file; null if another process has it. */
function lock(file: string): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch {
    database.close();
    return null;
  }
}
