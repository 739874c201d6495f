/**
 * The mark beside a store's file: position and hash of the last entries whose commit was acknowledged. A write-ahead
 * log that is cut, damaged or gone reads as if what it held had never been written, and an older copy of the file is
 * whole in itself; the mark says that there was more.
 *
 * It is a ring of records, one for each group commit, in the slot of its last entry's position. So processes that
 * share the store need no lock for it: one that is late never overwrites what another has acknowledged since. A record
 * lies within one sector and has a checksum; one that was torn by a power loss is as if it had not been written.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import { SluicegateError } from "../errors/index.ts";
import { linkUnlessThere } from "./sqlite/link-file.ts";

/** An entry in the order of the whole store. */
export interface StorePoint {
  readonly position: number;
  readonly hash: string;
}

export interface StoreMark {
  /** Opens the mark, and creates it if there is none. Call it before a transaction is written. */
  prepare(): void;
  /** Records a commit before it is acknowledged. It outlives the process at once, a power loss within a second. */
  record(point: StorePoint): void;
  /** Records a commit that may have been acknowledged, and outlives a power loss when it returns. */
  settle(point: StorePoint): void;
  close(): Promise<void>;
}

const SLOTS = 1024;
const RECORD_LENGTH = 64;
const HASH_LENGTH = 37;
const SYNC_EVERY_MS = 1000;

export const markFileOf = (storeFile: string): string => `${storeFile}-mark`;

/** The last commit in a store's mark; null if there is no mark or it is empty. */
export function readMark(storeFile: string): StorePoint | null {
  const content = readIfThere(markFileOf(storeFile));
  let last: StorePoint | null = null;
  for (let at = 0; at + RECORD_LENGTH <= content.length; at += RECORD_LENGTH) {
    const point = parseRecord(content.slice(at, at + RECORD_LENGTH));
    if (point !== null && point.position > (last?.position ?? 0)) last = point;
  }
  return last;
}

/** Whether an entry's hash matches the mark's. */
export const isMarked = (point: StorePoint, hash: string): boolean => hash.startsWith(point.hash);

/** The mark of an open store; created with the first write. */
export function createMark(storeFile: string): StoreMark {
  let descriptor: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let syncing: Promise<void> = Promise.resolve();
  const sync = (file: number): void => {
    timer = null;
    const { promise, resolve } = Promise.withResolvers<void>();
    syncing = promise;
    // If it fails, the mark may lack commits after a power loss; nothing else depends on it.
    fdatasync(file, () => resolve());
  };
  const open = (): number => {
    descriptor ??= openOrCreate(markFileOf(storeFile));
    return descriptor;
  };
  return {
    prepare: open,
    record: (point) => {
      const file = open();
      writeSync(file, toRecord(point), (point.position % SLOTS) * RECORD_LENGTH, "latin1");
      timer ??= setTimeout(sync, SYNC_EVERY_MS, file).unref();
    },
    settle: (point) => {
      const file = open();
      writeSync(file, toRecord(point), (point.position % SLOTS) * RECORD_LENGTH, "latin1");
      fdatasyncSync(file);
    },
    close: async () => {
      await syncing;
      if (descriptor === null) return;
      if (timer !== null) {
        clearTimeout(timer);
        fdatasyncSync(descriptor);
      }
      closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** THREAT: a repository that was cloned may bring a link in the mark's place, or a pipe. */
function openRegular(file: string, access: number): number {
  let descriptor: number;
  try {
    // Windows has neither flag.
    descriptor = openSync(file, access | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP") throw notRegular(file);
    throw error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw notRegular(file);
}

const notRegular = (file: string): SluicegateError =>
  new SluicegateError("store-damaged", `The mark \`${file}\` is a link, or something else than a file.`, {
    why: "A mark is written only where it seems to lie; a link may lead anywhere.",
    fix: "Put back the file that it was. If you don't know where the link comes from, don't use this store.",
  });

function openOrCreate(file: string): number {
  try {
    return openRegular(file, constants.O_RDWR);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // Its full size from the start, so that a full disk can't prevent later records.
  const draft = `${file}.new-${randomUUID()}`;
  try {
    writeFileSync(draft, "\n".repeat(SLOTS * RECORD_LENGTH), { mode: 0o600, flag: "wx" });
    linkUnlessThere(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return openRegular(file, constants.O_RDWR);
}

function readIfThere(file: string): string {
  let descriptor: number;
  try {
    descriptor = openRegular(file, constants.O_RDONLY);
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
  try {
    return readFileSync(descriptor, "latin1");
  } finally {
    closeSync(descriptor);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

/** Such as `0000000000000042 <37 hex digits of the entry's hash> <checksum>`, and a line's end. */
function toRecord({ position, hash }: StorePoint): string {
  const body = `${String(position).padStart(16, "0")} ${hash.slice(0, HASH_LENGTH)}`;
  return `${body} ${checksumOf(body)}\n`;
}

function parseRecord(record: string): StorePoint | null {
  const [, body = "", position, hash = "", checksum] =
    /^((\d{16}) ([0-9a-f]{37})) ([0-9a-f]{8})\n$/.exec(record) ?? [];
  return checksum === undefined || checksum !== checksumOf(body)
    ? null
    : { position: Number(position), hash };
}

const checksumOf = (body: string): string => crc32(body).toString(16).padStart(8, "0");
