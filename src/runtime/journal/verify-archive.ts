/** Verifies an archive without its store. */
import { isJsonObject } from "../../json/json-object.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { JournalEntry } from "../ports/store.ts";
import { CHAIN_START, isArchived, linkProblem, ownerProblem } from "./journal.ts";
import type { StoreProblem, StoreReport } from "./verify-store.ts";

/** The last line of an archive, which shows that it is complete. */
export interface ArchiveEnd {
  readonly archived_sessions: number;
  readonly archived_entries: number;
}

type IsKnown = (session: string, entry: JournalEntry) => Promise<boolean>;

/**
 * Verifies the lines of an archive: each session's chain from its first entry to the one that archived it, and the
 * end.
 * @param isKnown whether the store has the entry that archived a session; left out without a store
 */
export async function verifyArchive(
  lines: AsyncIterable<string>,
  isKnown: IsKnown = async () => true,
): Promise<StoreReport> {
  const check = new ArchiveCheck(isKnown);
  for await (const line of lines) await check.add(parseLine(line));
  return check.finish();
}

class ArchiveCheck {
  readonly #isKnown: IsKnown;
  readonly #problems: StoreProblem[] = [];
  /** Only the first problem of a session is reported. */
  readonly #broken = new Set<string>();
  readonly #seen = new Set<string>();
  #entries = 0;
  #session: string | null = null;
  #point = CHAIN_START;
  #isOver = true;
  #end: ArchiveEnd | null = null;

  constructor(isKnown: IsKnown) {
    this.#isKnown = isKnown;
  }

  async add(line: ParsedLine | ArchiveEnd | null): Promise<void> {
    if (line === null || this.#end !== null) this.#report(null, "A line is no entry of an archive.");
    else if ("archived_sessions" in line) this.#end = line;
    else await this.#addEntry(line);
  }

  finish(): StoreReport {
    this.#finishSession();
    const end = this.#end;
    const [sessions, entries, problems] = [this.#seen.size, this.#entries, this.#problems];
    const isWhole = end?.archived_sessions === sessions && end.archived_entries === entries;
    this.#session = null;
    if (end === null) this.#report(null, "The end of the archive is missing.");
    else if (!isWhole)
      this.#report(
        null,
        `${end.archived_sessions} sessions with ${end.archived_entries} entries were archived, and ${sessions} with ${entries} are there.`,
      );
    return { ok: problems.length === 0, sessions, entries, problems };
  }

  async #addEntry({ session, entry }: ParsedLine): Promise<void> {
    if (this.#session !== session) this.#begin(session);
    const problem = linkProblem(this.#point, entry) ?? ownerProblem(session, entry);
    if (problem === null) this.#entries += 1;
    else this.#report(this.#point.version + 1, problem);
    this.#point = { version: entry.seq, hash: entry.hash };
    if (!isArchived(entry)) return;
    this.#isOver = true;
    if (!(await this.#isKnown(session, entry)))
      this.#report(entry.seq, "The store doesn't have the entry that archived the session.");
  }

  #begin(session: string): void {
    this.#finishSession();
    this.#session = session;
    this.#point = CHAIN_START;
    this.#isOver = false;
    if (this.#seen.has(session)) this.#report(1, "The session is in the archive twice.");
    this.#seen.add(session);
  }

  #finishSession(): void {
    if (!this.#isOver)
      this.#report(this.#point.version + 1, "The entry that archived the session is missing.");
  }

  #report(seq: number | null, problem: string): void {
    const session = seq === null ? null : this.#session;
    if (session !== null && this.#broken.has(session)) return;
    if (session !== null) this.#broken.add(session);
    this.#problems.push({ session, seq, problem });
  }
}

interface ParsedLine {
  readonly session: string;
  readonly entry: JournalEntry;
}

function parseLine(line: string): ParsedLine | ArchiveEnd | null {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { archived_sessions, archived_entries } = value;
  if (typeof archived_sessions === "number" && typeof archived_entries === "number")
    return { archived_sessions, archived_entries };
  const { session_id: session, seq, kind, at, policy, prev, hash, data } = value;
  if (typeof session !== "string" || typeof seq !== "number" || !isJsonObject(data)) return null;
  if (typeof kind !== "string" || typeof at !== "string" || typeof policy !== "string") return null;
  if (typeof prev !== "string" || typeof hash !== "string") return null;
  return { session, entry: { seq, kind, at, policy, prev, hash, data } };
}
