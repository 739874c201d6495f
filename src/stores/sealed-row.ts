/**
 * Rows as they are stored, so that damage shows: an entry is the text that was sealed, and the hash over that very text;
 * the values beside the journals, which no chain of hashes covers, have checksums.
 */

import { createHash } from "node:crypto";
import { canonicalJson } from "../json/canonical-json.ts";
import { isJsonObject } from "../json/json-object.ts";
import { parseJson } from "../json/parse-json.ts";
import type { JournalEntry, KeptValue } from "../runtime/index.ts";
import { sealedBody, sealHash } from "../runtime/journal/index.ts";
import { damaged } from "./store-errors.ts";

export interface SealedRow {
  readonly seq: number;
  /** The canonical JSON of the entry without its hash. */
  readonly body: string;
  readonly hash: string;
}

/** The row of an entry. Throws SluicegateError `unsupported-value` for data that canonical JSON can't carry. */
export function toSealedRow(entry: JournalEntry): SealedRow {
  return { seq: entry.seq, body: sealedBody(entry), hash: entry.hash };
}

/** The entry of a row. Throws SluicegateError `store-damaged` where the row is not what was written. */
export function fromSealedRow(session: string, row: SealedRow): JournalEntry {
  const problem = bodyProblem(row);
  const entry = problem === null ? parseEntry(row) : null;
  if (entry === null) {
    throw damaged(`Entry ${row.seq} of a session's journal can't be trusted.`, problem ?? NOT_AN_ENTRY, {
      session,
      seq: row.seq,
    });
  }
  return entry;
}

/** What is wrong with a row in itself, as a sentence; null if nothing is. */
export function rowProblem(row: SealedRow): string | null {
  return bodyProblem(row) ?? (parseEntry(row) === null ? NOT_AN_ENTRY : canonicalProblem(row));
}

const NOT_AN_ENTRY = "Its text is not the JSON of a journal entry with its number.";
const NOT_CANONICAL = "Its text is not canonical JSON.";

function bodyProblem(row: SealedRow): string | null {
  return sealHash(row.body) === row.hash ? null : "Its text doesn't have the hash that is stored with it.";
}

function canonicalProblem(row: SealedRow): string | null {
  try {
    return canonicalJson(parseJson(row.body)) === row.body ? null : NOT_CANONICAL;
  } catch {
    return NOT_CANONICAL;
  }
}

function parseEntry(row: SealedRow): JournalEntry | null {
  const body = parseRecord(row.body);
  if (body === null) {
    return null;
  }
  const { seq, kind, at, policy, prev, data } = body;
  const isText =
    typeof kind === "string" &&
    typeof at === "string" &&
    typeof policy === "string" &&
    typeof prev === "string";
  if (seq !== row.seq || !isText || !isJsonObject(data)) {
    return null;
  }
  return { seq: row.seq, kind, at, policy, prev, hash: row.hash, data };
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

const sha256 = (value: readonly unknown[]): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex");

/** SHA-256, in hex, over a kept value, where it belongs and its place in the order (null: the place isn't covered). */
export const keptChecksum = (position: number | null, session: string, key: string, value: string): string =>
  sha256(["kept", position, session, key, value]);

/** SHA-256, in hex, over a principal and the session it falls back to. */
export const stickyChecksum = (principal: string, session: string): string =>
  sha256(["sticky", principal, session]);

/** Returns a stored value if its checksum matches. `position` as for `keptChecksum`. @throws SluicegateError `store-damaged` */
export function checkKept(kept: KeptValue, position: number | null, checksum: unknown): KeptValue {
  if (keptChecksum(position, kept.session, kept.key, kept.value) === checksum) return kept;
  throw damaged(
    "A value that was kept beside a session's journal can't be trusted.",
    "It doesn't have the checksum that is stored with it.",
    { session: kept.session },
  );
}

/** Returns a principal's stored session if its checksum matches. @throws SluicegateError `store-damaged` */
export function checkSticky(principal: string, session: string, checksum: unknown): string {
  if (stickyChecksum(principal, session) === checksum) return session;
  throw damaged(
    "The session that a principal falls back to can't be trusted.",
    "Its row doesn't have the checksum that is stored with it.",
    { session },
  );
}
