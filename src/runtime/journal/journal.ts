/**
 * The journal's chain: each entry is sealed with a hash over itself and the entry before, so that changed, missing
 * and inserted entries are detected. This file doesn't know what entries mean, and of a store only its port.
 */
import { hash as digest } from "node:crypto";
import { SluicegateError } from "../../errors/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { JournalEntry } from "../ports/store.ts";

/** The end of a chain: the number of its entries and the last hash. */
export interface ChainPoint {
  readonly version: number;
  readonly hash: string;
}

/** An entry before it is sealed. */
export interface UnsealedEntry {
  readonly kind: string;
  /** RFC 3339, from the runtime's clock. */
  readonly at: string;
  /** The version of the policy at that time. */
  readonly policy: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether a chain is intact; if not, the number of the first wrong or missing entry. */
export type ChainReport =
  | { readonly ok: true }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/** The start of every chain: no entry, and 64 zeros as the hash before the first. */
export const CHAIN_START: ChainPoint = Object.freeze({ version: 0, hash: "0".repeat(64) });

/**
 * Seals entries onto a chain's head (null: a new chain): numbers them and links each to the one before. Throws
 * SluicegateError `unsupported-value` for data without a canonical form.
 */
export function sealEntries(head: ChainPoint | null, entries: readonly UnsealedEntry[]): JournalEntry[] {
  let point = head ?? CHAIN_START;
  return entries.map(({ kind, at, policy, data }) => {
    const unsealed = { seq: point.version + 1, kind, at, policy, prev: point.hash, data };
    const body = canonicalJson(unsealed);
    const sealed = Object.freeze({ ...unsealed, hash: sealHash(body) });
    sealedBodies.set(sealed, body);
    point = { version: sealed.seq, hash: sealed.hash };
    return sealed;
  });
}

/** The text that was hashed is stored, even if the data were changed since, and isn't serialised twice. */
const sealedBodies = new WeakMap<object, string>();

/**
 * The text that is hashed and stored: the canonical JSON of the entry without its hash. For an entry from
 * `sealEntries`, exactly the sealed text.
 */
export function sealedBody(entry: JournalEntry): string {
  return sealedBodies.get(entry) ?? bodyOf(entry);
}

function bodyOf({ seq, kind, at, policy, prev, data }: JournalEntry): string {
  return canonicalJson({ seq, kind, at, policy, prev, data });
}

/** The problem if a chain's first entry names another session; null if there is none. */
export function ownerProblem(session: string, { seq, data }: JournalEntry): string | null {
  const foreign = seq === 1 && typeof data.session === "string" && data.session !== session;
  return foreign ? "The chain belongs to another session." : null;
}

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex. */
export function sealHash(text: string): string {
  return digest("sha256", text, "hex");
}

/**
 * Checks a whole chain against its head: no gap, each entry linked to the one before, each hash right, nothing after
 * the head, nothing missing before it.
 */
export function verifyChain(entries: readonly JournalEntry[], head: ChainPoint | null): ChainReport {
  let point = CHAIN_START;
  for (const entry of entries) {
    const problem = linkProblem(point, entry);
    if (problem !== null) {
      return { ok: false, at: point.version + 1, problem };
    }
    point = { version: entry.seq, hash: entry.hash };
  }
  return verifyEnd(point, head ?? CHAIN_START);
}

/** Checks the end of a chain against its head. */
export function verifyEnd(point: ChainPoint, head: ChainPoint): ChainReport {
  if (point.version > head.version) {
    const at = head.version + 1;
    const problem = `Entry ${at} stands after the head, which counts ${head.version} entries.`;
    return { ok: false, at, problem };
  }
  if (point.version < head.version) {
    const at = point.version + 1;
    return { ok: false, at, problem: `Entry ${at} is missing: the head counts ${head.version} entries.` };
  }
  if (point.hash !== head.hash) {
    const problem = `The head's hash is not the hash of entry ${point.version}.`;
    return { ok: false, at: Math.max(point.version, 1), problem };
  }
  return { ok: true };
}

/**
 * The problem with the entry after a point of its chain, as a sentence; null if there is none. `actualHash` is the
 * hash of the entry's body, if the caller has it.
 */
export function linkProblem(
  point: ChainPoint,
  entry: JournalEntry,
  actualHash: string | null = hashOf(entry),
): string | null {
  if (entry.seq !== point.version + 1) {
    return `Entry ${point.version + 1} is missing: entry ${entry.seq} stands in its place.`;
  }
  if (entry.prev !== point.hash) {
    return `Entry ${entry.seq} is not linked to the one before: its \`prev\` is another hash.`;
  }
  return actualHash === entry.hash ? null : `Entry ${entry.seq} was changed: its hash is another one.`;
}

/** Whether an entry closed its session for the archive: earlier entries may be deleted. */
export const isArchived = ({ kind, data }: Pick<JournalEntry, "kind" | "data">): boolean =>
  kind === "session-closed" && data.reason === "archived";

/** The point before the first remaining entry: an archived session's chain begins late. */
export const startOf = (first: JournalEntry | undefined): ChainPoint =>
  first !== undefined && isArchived(first) ? { version: first.seq - 1, hash: first.prev } : CHAIN_START;

function hashOf(entry: JournalEntry): string | null {
  try {
    return sealHash(bodyOf(entry));
  } catch (error) {
    if (SluicegateError.isInstance(error)) {
      return null;
    }
    throw error;
  }
}

/** The end of a chain, with these entries behind it. */
export function headAfter(head: ChainPoint, sealed: readonly JournalEntry[]): ChainPoint {
  const last = sealed.at(-1);
  return last ? { version: last.seq, hash: last.hash } : head;
}

/** The error of a session whose chain isn't intact. */
export function damaged(session: string, problem: string): SluicegateError {
  return new SluicegateError("store-damaged", `The journal of session ${session} is damaged.`, {
    why: problem,
    fix: "Run `sluicegate journal verify`, restore the store from a backup, or open a new session.",
    details: { session },
  });
}
