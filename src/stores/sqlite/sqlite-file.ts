/**
 * The file of a SQLite store: it comes into being whole or not at all, so that a file which is empty, garbage or
 * cut off is always damage and never taken for a new store.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { damaged, olderThanMark } from "../store-errors.ts";
import { isMarked, markFileOf, readMark, type StorePoint } from "../store-mark.ts";
import { LOCK_TIMEOUT_MS } from "./busy.ts";
import { LOG_LIMIT } from "./file-guard.ts";
import { linkUnlessThere } from "./link-file.ts";
import { DatabaseSync, integer, text } from "./sqlite-module.ts";
import { createSchema, migrate } from "./sqlite-schema.ts";

/** How a SQLite store is opened. */
export interface SqliteStoreOptions {
  /** Refuse with `store-damaged` where the file is not there, instead of beginning a new store. */
  readonly mustExist?: boolean;
  /** How long another program's lock is waited for, in milliseconds; other work goes on. 5,000 if left out. */
  readonly busyTimeoutMs?: number;
  /** Write in a thread of its own, so that a commit that waits for the disk delays nothing else. False if left out. */
  readonly thread?: boolean;
}

// The log is cut to `journal_size_limit` when it is begun anew, after somebody kept it from being so for a while.
// `cell_size_check` finds damage early; `secure_delete` leaves nothing of a deleted value in the file.
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA journal_size_limit = ${LOG_LIMIT};
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA secure_delete = ON;
`;

/** Opens the database of a store, and creates it first where it may. Throws what SQLite and the system throw. */
export function openDatabase(path: string, options: SqliteStoreOptions): DatabaseSync {
  if (path === ":memory:") {
    const database = connect(path, options);
    createSchema(database);
    return database;
  }
  // An absolute path is never taken for a `file:` URI.
  const file = resolve(path);
  // INVARIANT: read before the database is, which other processes may go on writing to: it has all that the mark has.
  const mark = readMark(file);
  const settledSize = findOrCreate(file, options.mustExist ?? false);
  const database = connect(file, options);
  try {
    migrate(database);
    checkSize(database, settledSize);
    checkMark(database, file, mark);
    // The mode is kept in the file; setting it again is for a file that someone changed.
    database.exec("PRAGMA journal_mode = WAL");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function connect(file: string, options: SqliteStoreOptions): DatabaseSync {
  const database = new DatabaseSync(file, {
    timeout: options.busyTimeoutMs ?? LOCK_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    defensive: true,
  });
  try {
    database.exec(SETTINGS);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Finds the file or makes it. Returns the size that it must have; null if its log may still change that. */
function findOrCreate(file: string, mustExist: boolean): number | null {
  // INVARIANT: checked before the file, since another process creates the file before its log.
  const hasLog = existsSync(`${file}-wal`);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.size === 0) {
    throw damaged("The store's file is empty.", "A store's file is never empty: its content was lost.");
  }
  if (found !== undefined) {
    return hasLog ? null : found.size;
  }
  if (hasLog) {
    throw damaged("The store's file is missing.", "Its write-ahead log is there, so there was a store.");
  }
  if (existsSync(markFileOf(file))) {
    throw damaged(
      "The store's file is missing.",
      `Its mark \`${markFileOf(file)}\` is there, so there was a store, and a new one would know nothing of its sessions.`,
    );
  }
  if (mustExist) {
    throw damaged("The store's file is missing.", "It was opened as a store that must exist.");
  }
  create(file);
  return null;
}

// SQLite itself notices missing pages, but reads a part of a page as if zeros followed.
function checkSize(database: DatabaseSync, size: number | null): void {
  const pageSize = integer(database.prepare("PRAGMA page_size").get(), "page_size");
  if (size !== null && size % pageSize !== 0) {
    throw damaged("The store's file was cut off.", "It ends in the middle of a page.");
  }
}

// A log that is damaged, cut or gone is no error to SQLite: what it held is as if it had never been written.
function checkMark(database: DatabaseSync, file: string, mark: StorePoint | null): void {
  if (mark === null) return;
  const row = database.prepare("SELECT hash FROM events WHERE position = ?").get(mark.position);
  if (row === undefined || !isMarked(mark, text(row, "hash")))
    throw olderThanMark(markFileOf(file), mark.position);
}

function create(file: string): void {
  const draft = `${file}.new-${randomUUID()}`;
  try {
    closeSync(openSync(draft, "wx", 0o600));
    const database = new DatabaseSync(draft);
    try {
      createSchema(database);
      database.exec("PRAGMA journal_mode = WAL");
    } finally {
      database.close();
    }
    linkUnlessThere(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  if (process.platform !== "win32") syncFile(folder);
}

export function syncFile(path: string): void {
  const descriptor = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
