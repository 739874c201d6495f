/**
 * A lock that lives as long as its process, beside a store: whoever shares the store can tell by it whether the process
 * that ran a call is gone. The system lets go of it however the process ends.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { realStorePath } from "./link-file.ts";
import { DatabaseSync } from "./sqlite-module.ts";

export interface RunnerLock {
  readonly id: string;
  /** Whether another process has ended for certain. In doubt it hasn't. */
  readonly isGone: (id: string) => boolean;
  release(): void;
}

const ID = /^[0-9a-f]{4,64}$/;

/** The folder of the locks beside a store; agents may not touch it. */
const folderOf = (storeFile: string): string => `${realStorePath(storeFile)}-runners`;

/** Takes a lock of its own. @throws where the folder can't be written */
export function holdRunnerLock(storeFile: string, id: string): RunnerLock {
  const folder = folderOf(storeFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, id);
  closeSync(openSync(file, "wx", 0o600));
  const database = lock(file);
  if (database === null) throw new Error("The lock of a new process is held by another.");
  return {
    id,
    isGone: (other) => {
      if (!ID.test(other) || other === id) return false;
      const path = join(folder, other);
      // Where its own lock was deleted too, a missing one tells nothing.
      if (!existsSync(path)) return existsSync(file);
      try {
        const held = lock(path);
        if (held === null) return false;
        held.close();
        rmSync(path, { force: true });
        return true;
      } catch {
        return false;
      }
    },
    release: () => {
      rmSync(file, { force: true });
      database.close();
    },
  };
}

/** The locked file; null where another process has it. */
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
