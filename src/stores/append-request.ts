/**
 * What comes through the port, checked before it is queued: a faulty append fails alone, and nothing is stored
 * that would not verify.
 */
import { SluicegateError } from "../errors/index.ts";
import type { AppendOptions, JournalEntry, Keep } from "../runtime/index.ts";
import { CHAIN_START, type ChainPoint, isArchived, linkProblem, sealHash } from "../runtime/journal/index.ts";
import { type SealedRow, toSealedRow } from "./sealed-row.ts";
import { misused } from "./store-errors.ts";

/** An entry to append, and the row that it becomes. */
interface Addition {
  readonly entry: JournalEntry;
  readonly row: SealedRow;
}

/** An append that is sound in itself; whether it conflicts is for the engine to see. */
export interface AppendRequest {
  readonly session: string;
  readonly expectedVersion: number;
  readonly additions: readonly Addition[];
  readonly keep: readonly Keep[];
}

/**
 * The appends of one transaction, the first session's own first.
 * Throws SluicegateError as `toAppendRequest` does, and `internal` where a session is named twice.
 */
export function toAppendRequests(
  own: AppendRequest,
  { also = [] }: Pick<AppendOptions, "also">,
): readonly AppendRequest[] {
  const others = also.map(({ session, expectedVersion, entries }) =>
    toAppendRequest(session, expectedVersion, entries, []),
  );
  const requests = [own, ...others];
  if (new Set(requests.map(({ session }) => session)).size < requests.length) {
    throw misused(
      "A session can't be appended to twice in one append.",
      "Each session has one expected version.",
      "Put its entries into one part.",
    );
  }
  return requests;
}

/**
 * Checks an append: the entries are counted on from the expected version, linked, and sealed as they are.
 * Throws SluicegateError `unsupported-value` for text or data that can't be stored exactly, and `internal` for
 * entries that don't fit.
 */
export function toAppendRequest(
  session: string,
  expectedVersion: number,
  entries: readonly JournalEntry[],
  keep: readonly Keep[],
): AppendRequest {
  toText(session);
  toCount(expectedVersion);
  const additions = entries.map((entry) => ({ entry, row: toSealedRow(entry) }));
  checkLinks(expectedVersion, additions);
  for (const { key, value } of keep) {
    toText(key);
    toText(value ?? "");
  }
  if (keep.length > 0 && entries.length === 0 && expectedVersion === 0) {
    throw misused(
      "A value can't be kept for a session that isn't there.",
      "The append has values to keep, but no entry that opens the session.",
      "Append the session's first entry together with the values.",
    );
  }
  return { session, expectedVersion, additions, keep: [...keep] };
}

/**
 * Whether an append follows a head (null: a session that isn't there): the version is the expected one, and the
 * hash is the one that its first entry is linked to.
 */
export function follows({ expectedVersion, additions }: AppendRequest, head: ChainPoint | null): boolean {
  const { version, hash } = head ?? CHAIN_START;
  const link = additions[0]?.entry.prev ?? hash;
  return version === expectedVersion && link === hash;
}

function checkLinks(expectedVersion: number, additions: readonly Addition[]): void {
  let point = { version: expectedVersion, hash: additions[0]?.entry.prev ?? "" };
  for (const { entry, row } of additions) {
    const problem = linkProblem(point, entry, sealHash(row.body));
    if (problem !== null) {
      throw misused(
        "The entries to append are not the continuation of a journal.",
        problem,
        "Seal them with `sealEntries` on the head that was loaded, and append them unchanged.",
      );
    }
    point = { version: entry.seq, hash: entry.hash };
  }
}

/** Whether a session has an entry that archives it at the place before which it is to be pruned. */
export function assertArchived(entry: JournalEntry | undefined): void {
  if (entry !== undefined && isArchived(entry)) return;
  throw misused(
    "A session that wasn't archived can't be pruned.",
    "The first entry that would be left doesn't say that the session was archived.",
    "Append that entry, and prune what comes before it.",
  );
}

/** The text itself. THREAT: half a surrogate pair would be stored as another character, and so name another row. */
export function toText(text: string): string {
  if (!text.isWellFormed()) {
    throw new SluicegateError("unsupported-value", "The store can't hold this text exactly.", {
      why: "It has half of a surrogate pair, which UTF-8 has no form for.",
      fix: "Give well-formed Unicode text.",
    });
  }
  return text;
}

/** The count itself: a limit, a version or a position. Throws SluicegateError `internal` for anything else. */
export function toCount(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw misused(
      "Expected a non-negative integer.",
      `Versions, positions and limits are non-negative integers, and this is ${count}.`,
      "Pass a non-negative integer.",
    );
  }
  return count;
}
