/** `sluicegate journal verify`: whether the record is as it was written. */
import { existsSync } from "node:fs";
import { SluicegateError } from "../../errors/index.ts";
import { type StoreReport, verifyStore } from "../../runtime/journal/verify-store.ts";
import type { Store } from "../../runtime/ports/store.ts";
import { exitWithFailure, printJson, printLine, styled } from "../terminal/terminal.ts";
import { isStoreThere, storePlaceOf } from "../wiring/store-file.ts";
import type { JournalOptions } from "./journal.ts";
import { headOf, withStore } from "./journal-store.ts";

export interface VerifyOptions extends JournalOptions {
  /** An archive to verify instead of the store. */
  readonly archive?: string;
}

/** Verifies one session, the whole store, or an archive. */
export async function verify(session: string | undefined, options: VerifyOptions): Promise<void> {
  const report = await reportOf(session, options).catch(reportDamage);
  if (!report.ok) exitWithFailure();
  if (options.json) printJson(toWire(report));
  else printReport(report);
}

async function reportOf(session: string | undefined, options: VerifyOptions): Promise<StoreReport> {
  const { archive } = options;
  if (archive !== undefined) {
    if (!existsSync(archive)) throw missingArchive(archive);
    const { verifyArchiveFile } = await import("../storage/archive-file.ts");
    const isThere = isStoreThere(storePlaceOf(options.config ?? "", options.store));
    if (!isThere && options.store === undefined) return verifyArchiveFile(archive, null);
    return withStore(options, (store) => verifyArchiveFile(archive, store));
  }
  return withStore(options, (store) =>
    session === undefined ? verifyStore(store) : verifySession(store, session),
  );
}

const missingArchive = (file: string): SluicegateError =>
  new SluicegateError("not-found", `There is no archive \`${file}\`.`, {
    why: "The file isn't there.",
    fix: "Name a file that `sluicegate archive` wrote.",
  });

/** A store that is damaged at first sight is an answer too. */
function reportDamage(error: unknown): StoreReport {
  if (!SluicegateError.isInstance(error) || error.code !== "store-damaged") throw error;
  const problem = { session: null, seq: null, problem: `${error.message} ${error.why}` };
  return { ok: false, sessions: 0, entries: 0, problems: [problem] };
}

/** Verifies one chain: the store is examined as if it had no other. */
async function verifySession(store: Store, session: string): Promise<StoreReport> {
  const head = await headOf(store, session);
  return verifyStore({
    ...store,
    heads: async (after) => (after === null ? [head] : []),
    damage: async () => [],
  });
}

function printReport({ ok, sessions, entries, problems }: StoreReport): void {
  for (const { session, seq, problem } of problems) {
    const place = [...(session === null ? [] : [session]), ...(seq === null ? [] : [`entry ${seq}`])];
    printLine(styled("red", place.length === 0 ? "store" : place.join(", ")), `: ${problem}`);
  }
  const counted = `${plural(sessions, "session")}, ${plural(entries, "entry", "entries")}`;
  if (ok) {
    printLine(styled("green", "whole"), `: ${counted}; each is as it was written.`);
    return;
  }
  printLine();
  printLine(
    styled("red", "broken"),
    `: ${plural(problems.length, "problem")}; ${counted} found right before it.`,
  );
  printLine("  fix: Keep a copy of the store as it is, and restore it from a backup.");
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

function toWire({ ok, sessions, entries, problems }: StoreReport): object {
  return {
    ok,
    sessions,
    entries,
    problems: problems.map(({ session, seq, problem }) => ({ session_id: session, seq, problem })),
  };
}
