/**
 * The gateway's secrets, stored beside its store and readable only by their owner: the operator's token, and the key
 * of digests and session tokens. If they exist without the database, something was lost, and the gateway refuses to
 * start: a new store would forget every raise.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import type { Random } from "../../runtime/index.ts";
import { isTracked } from "../tracked-by-git.ts";
import { isInStateFolder, stateFileOf } from "./state-files.ts";

export interface Secrets {
  readonly operatorToken: string;
  readonly key: Uint8Array;
  /** Whether this start created the operator's token, which is then printed. */
  readonly fresh: boolean;
}

export interface SecretsOptions {
  /** The store's file. */
  readonly storeFile: string;
  /** From `SLUICEGATE_TOKEN`; otherwise from the file, which is created at the first start. */
  readonly token?: string | undefined;
  /** From `SLUICEGATE_KEY` for the first start; otherwise created then. 32 bytes or more in hex. */
  readonly key?: string | undefined;
  readonly random: Random;
}

/** The file of the operator's token beside a store. */
export const tokenFileOf = (storeFile: string): string => stateFileOf(storeFile, "token");
const keyFileOf = (storeFile: string): string => stateFileOf(storeFile, "key");

/** All these files, existing or not. */
export const secretFilesOf = (storeFile: string): readonly string[] => [
  tokenFileOf(storeFile),
  keyFileOf(storeFile),
];

/**
 * Call it before a store is opened.
 * @throws SluicegateError `store-damaged` if there are secrets but no database; `usage` if the gateway's store is in
 *   PostgreSQL.
 */
export function assertStoreNotLost(storeFile: string): void {
  const mark = isInStateFolder(storeFile) && databaseMarkIn(dirname(storeFile));
  if (mark) throw storeElsewhere(join(dirname(storeFile), mark));
  const files = secretFilesOf(storeFile).filter((file) => existsSync(file));
  if (!existsSync(storeFile) && files.length > 0) throw lostStore(storeFile, files);
}

/**
 * The secrets beside an open store, created if they don't exist.
 * @throws SluicegateError `store-damaged` if one of their files is incomplete; `usage` for an invalid token or key.
 */
export function readSecrets({ storeFile, token, key: given, random }: SecretsOptions): Secrets {
  if (given !== undefined && !isKey(given)) throw unusableKey("It must be 32 bytes or more, in hex.");
  const key = readOrMake(keyFileOf(storeFile), random, () => given ?? hex(random, 32));
  if (!isKey(key.value)) throw brokenKey(keyFileOf(storeFile));
  if (given !== undefined && given !== key.value)
    throw unusableKey(`Another one is in ${keyFileOf(storeFile)}, from an earlier start.`);
  const kept = { key: Buffer.from(key.value, "hex") };
  if (token !== undefined) return { ...kept, operatorToken: checked(token), fresh: false };
  const file = tokenFileOf(storeFile);
  const { value, isNew } = readOrMake(file, random, () => `${MADE}${hex(random, 32)}`);
  if (!isToken(value)) throw brokenToken(file);
  return { ...kept, operatorToken: value, fresh: isNew };
}

/**
 * The key beside a store; null if no gateway has created one.
 * @throws SluicegateError `store-damaged` if the file is incomplete.
 */
export function readKey(storeFile: string): Uint8Array | null {
  const file = keyFileOf(storeFile);
  return existsSync(file) ? parseKey(read(file), storeFile) : null;
}

function parseKey(text: string, storeFile: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2}){32,}$/i.test(text)) throw brokenKey(keyFileOf(storeFile));
  return Buffer.from(text, "hex");
}

const MADE = "sgo_";
const hex = (random: Random, size: number): string => Buffer.from(random(size)).toString("hex");

const isKey = (text: string): boolean => /^(?:[0-9a-f]{2}){32,}$/i.test(text);

/**
 * Whether a token is complete. A generated one has a fixed length; for an operator's own, only the minimum is known.
 */
const isToken = (token: string): boolean =>
  /^\S{16,512}$/.test(token) && (!token.startsWith(MADE) || /^sgo_[0-9a-f]{64}$/.test(token));

/** The content of a file, which is created atomically. */
function readOrMake(file: string, random: Random, make: () => string): { value: string; isNew: boolean } {
  if (existsSync(file)) return { value: read(file), isNew: false };
  const made = make();
  const draft = `${file}.new-${hex(random, 8)}`;
  try {
    writeFileSync(draft, `${made}\n`, { mode: 0o600, flag: "wx", flush: true });
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (cause) {
    // Another process created it first.
    if (isCode(cause, "EEXIST") && existsSync(file)) return { value: read(file), isNew: false };
    throw notKept(file, cause);
  } finally {
    rmSync(draft, { force: true });
  }
  return { value: made, isNew: true };
}

function read(file: string): string {
  assertPrivate(file);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw notKept(file, cause);
  }
}

/**
 * THREAT: a cloned repository may contain a token that others know. Git doesn't preserve private modes, so a file
 * that others can read wasn't created here; with a umask that makes cloned files private, git still tracks them.
 * @throws SluicegateError `store-damaged` if git tracks the file, others can read it, it belongs to another user, or
 *   it is a link.
 */
export function assertPrivate(file: string, fix = "Delete it, and the next start makes another one."): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (isTrackedOrUnclear(file)) throw tracked(file, fix);
  if (process.platform === "win32") return;
  const isPrivate = found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!found.isSymbolicLink() && (isPrivate || !found.isFile())) return;
  throw new SluicegateError("store-damaged", `The file ${file} is not private, so it can't be trusted.`, {
    why: "It is a link, another user's, or can be read by others: perhaps it came with a repository, and others know or chose what is in it.",
    fix: `${fix} If it is your own, \`chmod 600 ${file}\`.`,
  });
}

/** If the git folder can't be read, the file counts as tracked. */
function isTrackedOrUnclear(file: string): boolean {
  try {
    return isTracked(file);
  } catch {
    return true;
  }
}

function tracked(file: string, fix: string): SluicegateError {
  return new SluicegateError("store-damaged", `The file ${file} is tracked by git, so it can't be trusted.`, {
    why: "It came with the repository or goes out with it, so others know or chose what is in it. Where git's index can't be read, that is assumed.",
    fix: `Take it out of git with \`git rm --cached ${file}\`. ${fix}`,
  });
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const isCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code;

function checked(token: string): string {
  if (/^\S{16,512}$/.test(token)) return token;
  throw new SluicegateError("usage", "The operator's token can't be used.", {
    why: "`SLUICEGATE_TOKEN` must have 16 to 512 characters and no white space.",
    fix: "Set it to a long random string, or unset it to have one made.",
  });
}

const unusableKey = (why: string): SluicegateError =>
  new SluicegateError("usage", "The key in `SLUICEGATE_KEY` can't be used.", {
    why,
    fix: "Set it to the key that this store's first gateway was started with, for a new store to the output of `openssl rand -hex 32`, or unset it.",
  });

/** The mark of a store in PostgreSQL; undefined if there is none. */
const databaseMarkIn = (folder: string): string | undefined =>
  existsSync(folder) ? readdirSync(folder).find((name) => /^postgres-[0-9a-f]+-mark$/.test(name)) : undefined;

const storeElsewhere = (mark: string): SluicegateError =>
  new SluicegateError("usage", "The store of this policy is in PostgreSQL.", {
    why: `The mark \`${mark}\` says so. A SQLite store would know nothing of its sessions.`,
    fix: "Name it with `--store postgres://…`; a hook needs a gateway that runs. To leave it on purpose, delete the mark.",
  });

function lostStore(storeFile: string, files: readonly string[]): SluicegateError {
  return new SluicegateError("store-damaged", `The store ${storeFile} is gone.`, {
    why: `Its secrets still lie beside it (${files.join(", ")}), so sessions with raised labels were in it; a fresh store would forget them.`,
    fix: "Restore the database from a backup. To begin anew on purpose, delete these files too.",
    details: { storeFile },
  });
}

function brokenKey(file: string): SluicegateError {
  return new SluicegateError("store-damaged", `The key file ${file} can't be used.`, {
    why: "It doesn't hold 32 bytes in hex: it is empty, or a part of it was lost.",
    fix: "Restore it from a backup, or delete it: then session tokens given before no longer work.",
  });
}

function brokenToken(file: string): SluicegateError {
  return new SluicegateError("store-damaged", `The token file ${file} can't be used.`, {
    why: "It doesn't hold a whole token: it is empty, or a part of it was lost.",
    fix: "Restore it from a backup, or delete it: then the next start makes another token and prints it.",
  });
}

function notKept(file: string, cause: unknown): SluicegateError {
  return new SluicegateError("store-failed", `The file ${file} can't be read or made.`, {
    why: `The system says: ${cause instanceof Error ? cause.message : String(cause)}.`,
    fix: "See that the disk has room, and that its owner may read the file and write in its folder.",
    cause,
  });
}
