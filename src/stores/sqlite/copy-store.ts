/** Copies of a SQLite store: a backup of one that is used, and a backup put in a store's place. */
import { randomUUID } from "node:crypto";
import { chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { SluicegateError } from "../../errors/index.ts";
import type { Store } from "../../runtime/index.ts";
import { toStoreError } from "../store-errors.ts";
import { markFileOf } from "../store-mark.ts";
import { realStorePath } from "./link-file.ts";
import { openSqliteStore } from "./sqlite.ts";
import { openDatabase, syncFile } from "./sqlite-file.ts";

/**
 * Writes a store's content, as of one moment, into an empty file. Others may go on writing to the store.
 * Throws SluicegateError as `openSqliteStore` does, also where the store lacks what its mark has.
 */
export function copySqliteStore(path: string, to: string): void {
  try {
    const database = openDatabase(realStorePath(path), { mustExist: true });
    try {
      database.prepare("VACUUM INTO ?").run(to);
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStoreError(error, "be copied");
  }
}

export interface PutOptions {
  readonly backup: string;
  readonly file: string;
  /** What a store that is there is renamed to; null: there must be none. */
  readonly replacedName: string | null;
  /** Verifies the copy, and makes it safe, before it takes the store's place. */
  readonly prepare: (store: Store) => Promise<void>;
}

/**
 * Puts a copy of a backup in a store's place. A stop on the way leaves the old store, the new one, or a place that no
 * gateway starts at. Throws SluicegateError `usage` for a store that is there, `store-failed` for one that is in use.
 */
export async function putSqliteStore({
  backup,
  file: path,
  replacedName,
  prepare,
}: PutOptions): Promise<void> {
  const file = realStorePath(path);
  const draft = `${file}.new-${randomUUID()}`;
  try {
    copyFileSync(backup, draft, constants.COPYFILE_EXCL);
    chmodSync(draft, 0o600);
    const store = openSqliteStore(draft, { mustExist: true });
    try {
      await prepare(store);
    } finally {
      await store.close();
    }
    syncFile(draft);
    syncFile(markFileOf(draft));
    if (replacedName !== null) await moveAway(file, replacedName);
    renameSync(draft, file);
    // INVARIANT: the old mark is in its place until the new store is, so that nobody begins an empty one meanwhile.
    renameSync(markFileOf(draft), markFileOf(file));
  } finally {
    for (const end of ["", "-wal", "-shm", "-mark"]) rmSync(`${draft}${end}`, { force: true });
  }
}

async function moveAway(file: string, name: string): Promise<void> {
  // The last program that closes a store leaves no log behind; a log that is still there has another reader.
  if ((await canBeOpened(file)) && existsSync(`${file}-wal`)) throw inUse(file);
  for (const end of ["-wal", ""])
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${name}${end}`);
  rmSync(`${file}-shm`, { force: true });
}

/** One that is damaged can't, and may be replaced all the same. */
async function canBeOpened(file: string): Promise<boolean> {
  try {
    await openSqliteStore(file, { mustExist: true }).close();
    return true;
  } catch {
    return false;
  }
}

const inUse = (file: string): SluicegateError =>
  new SluicegateError("store-failed", `The store ${file} can't be replaced.`, {
    why: "Another program has it open, perhaps a gateway.",
    fix: "Stop that program, and try again.",
  });
