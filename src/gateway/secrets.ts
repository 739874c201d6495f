/**
 * The gateway's secrets, kept beside its store and readable by their owner alone: the operator's token, and the
 * key of digests and session tokens. Where they lie but the database doesn't, something was lost, and the
 * gateway refuses to begin anew: a fresh store would forget every raise.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { SluicegateError } from "../errors/index.ts";
import type { Random } from "../session/index.ts";

export interface Secrets {
  readonly operatorToken: string;
  readonly key: Uint8Array;
  /** Whether this start made the operator's token, so that it is to be printed. */
  readonly fresh: boolean;
}

export interface SecretsOptions {
  /** The store's file. */
  readonly storeFile: string;
  /** From `SLUICEGATE_TOKEN`; otherwise the file's, made at the first start. */
  readonly token?: string | undefined;
  readonly random: Random;
}

/** Where the operator's token is kept beside a store. */
export const tokenFileOf = (storeFile: string): string => `${storeFile}.token`;
const keyFileOf = (storeFile: string): string => `${storeFile}.key`;

/**
 * To be asked before a store is opened.
 * @throws SluicegateError `store-damaged` where secrets lie but the database is gone.
 */
export function assertStoreNotLost(storeFile: string): void {
  const files = [tokenFileOf(storeFile), keyFileOf(storeFile)].filter((file) => existsSync(file));
  if (!existsSync(storeFile) && files.length > 0) throw lostStore(storeFile, files);
}

/** The secrets beside a store that is open, made where they aren't there yet. */
export function readSecrets({ storeFile, token, random }: SecretsOptions): Secrets {
  const key = Buffer.from(
    keep(keyFileOf(storeFile), () => hex(random, 32)),
    "hex",
  );
  if (key.length < 32) throw brokenKey(keyFileOf(storeFile));
  if (token !== undefined) return { operatorToken: checked(token), key, fresh: false };
  const fresh = !existsSync(tokenFileOf(storeFile));
  return { operatorToken: keep(tokenFileOf(storeFile), () => `sgo_${hex(random, 32)}`), key, fresh };
}

const hex = (random: Random, size: number): string => Buffer.from(random(size)).toString("hex");

function keep(file: string, make: () => string): string {
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const made = make();
  writeFileSync(file, `${made}\n`, { mode: 0o600, flag: "wx" });
  return made;
}

function checked(token: string): string {
  if (/^\S{16,512}$/.test(token)) return token;
  throw new SluicegateError("usage", "The operator's token can't be used.", {
    why: "`SLUICEGATE_TOKEN` must have 16 to 512 characters and no white space.",
    fix: "Set it to a long random string, or unset it to have one made.",
  });
}

function lostStore(storeFile: string, files: readonly string[]): SluicegateError {
  return new SluicegateError("store-damaged", `The store ${storeFile} is gone.`, {
    why: `Its secrets still lie beside it (${files.join(", ")}), so sessions with raised labels were in it; a fresh store would forget them.`,
    fix: "Restore the database from a backup. To begin anew on purpose, delete these files too.",
    details: { storeFile },
  });
}

function brokenKey(file: string): SluicegateError {
  return new SluicegateError("store-damaged", `The key file ${file} can't be used.`, {
    why: "It doesn't hold 32 bytes in hex.",
    fix: "Restore it from a backup, or delete it: then session tokens given before no longer work.",
  });
}
