/**
 * Verifies a whole store through its port: the database's own checks, then every chain against its head, in pages,
 * also while others append. What can't be read is reported, not thrown.
 */
import { SluicegateError } from "../../errors/index.ts";
import type { ChainHead, JournalEntry, Store } from "../ports/store.ts";
import { GATEWAY_CHAIN } from "./gateway-chain.ts";
import {
  CHAIN_START,
  type ChainPoint,
  type ChainReport,
  linkProblem,
  ownerProblem,
  startOf,
  verifyEnd,
} from "./journal.ts";

/** Something that a store's verification found. */
export interface StoreProblem {
  /** Null if it doesn't belong to one session. */
  readonly session: string | null;
  /** The number of the first wrong, missing or unreadable entry; null if it isn't an entry. */
  readonly seq: number | null;
  /** A full sentence. */
  readonly problem: string;
}

export interface StoreReport {
  /** Whether no problem was found. */
  readonly ok: boolean;
  /** How many sessions were verified. */
  readonly sessions: number;
  /** How many entries were verified, including the gateway's own chain. */
  readonly entries: number;
  /** The database's own findings, then at most one problem per session. */
  readonly problems: readonly StoreProblem[];
}

const HEADS_PER_PAGE = 256;
const ENTRIES_PER_PAGE = 256;

/**
 * Verifies every chain of a store, and runs the database's own checks. Rows that can't be read are reported with
 * their session. Throws SluicegateError `store-failed` if the store doesn't answer at all.
 */
export async function verifyStore(store: Store): Promise<StoreReport> {
  const problems: StoreProblem[] = [];
  const report = (session: string | null, seq: number | null, problem: string) =>
    problems.push({ session, seq, problem });
  await reportDamage(
    async () => {
      for (const problem of await store.damage()) {
        report(null, null, problem);
      }
    },
    (damage) => report(null, null, damage.message),
  );
  const seen = new Set<string>();
  let entries = 0;
  await reportDamage(
    async () => {
      for await (const head of allHeads(store, seen)) {
        const checked = await verifySession(store, head);
        entries += checked.entries;
        if (!checked.report.ok) {
          report(head.session, checked.report.at, checked.report.problem);
        }
      }
    },
    (damage) => report(null, null, damage.message),
  );
  seen.delete(GATEWAY_CHAIN);
  return { ok: problems.length === 0, sessions: seen.size, entries, problems };
}

async function* allHeads(store: Store, seen: Set<string>): AsyncGenerator<ChainHead> {
  let after: string | null = null;
  for (;;) {
    const page: readonly ChainHead[] = await store.heads(after, HEADS_PER_PAGE);
    for (const head of page) {
      // A damaged index may contain a loop.
      if (seen.has(head.session)) {
        throw new SluicegateError("store-damaged", "The list of sessions names one session twice.", {
          why: "An index of the store is damaged.",
          fix: "Restore the store from a backup.",
        });
      }
      seen.add(head.session);
      after = head.session;
      yield head;
    }
    if (page.length === 0) {
      return;
    }
  }
}

interface CheckedSession {
  readonly entries: number;
  readonly report: ChainReport;
}

async function verifySession(store: Store, head: ChainHead): Promise<CheckedSession> {
  let point = CHAIN_START;
  let end: ChainPoint = head;
  let report: ChainReport | null = null;
  /** How many entries were archived and deleted. */
  let skipped: number | null = null;
  const readAll = async () => {
    while (report === null) {
      const page = await store.read(head.session, point.version, ENTRIES_PER_PAGE);
      const [first] = page;
      if (point.version === 0) point = startOf(first);
      skipped ??= point.version;
      const owner = page
        .map((entry) => ownerProblem(head.session, entry))
        .find((problem) => problem !== null);
      const checked = verifyPage(point, page, end);
      point = checked.point;
      if (checked.report.ok && point.version > end.version) {
        // The session may have grown since its head was read.
        end = (await store.head(head.session)) ?? end;
      }
      report = owner
        ? { ok: false, at: 1, problem: owner }
        : settled(checked.report, point, end, page.length === 0);
    }
  };
  await reportDamage(readAll, ({ message, why, details }) => {
    const at = typeof details.seq === "number" ? details.seq : point.version + 1;
    report = { ok: false, at, problem: `${message} ${why}` };
  });
  return { entries: point.version - (skipped ?? 0), report: report ?? { ok: true } };
}

/** The final report; null if there is more to read. */
function settled(page: ChainReport, point: ChainPoint, end: ChainPoint, last: boolean): ChainReport | null {
  if (!page.ok) {
    return page;
  }
  if (last || point.version > end.version) {
    return verifyEnd(point, end);
  }
  return null;
}

function verifyPage(start: ChainPoint, page: readonly JournalEntry[], end: ChainPoint) {
  let point = start;
  for (const entry of page) {
    const problem = linkProblem(point, entry);
    if (problem !== null) {
      const report: ChainReport = { ok: false, at: point.version + 1, problem };
      return { point, report };
    }
    point = { version: entry.seq, hash: entry.hash };
    const report: ChainReport = point.version === end.version ? verifyEnd(point, end) : { ok: true };
    if (!report.ok) {
      return { point, report };
    }
  }
  return { point, report: { ok: true } satisfies ChainReport };
}

async function reportDamage(work: () => Promise<void>, damaged: (error: SluicegateError) => void) {
  try {
    await work();
  } catch (error) {
    if (SluicegateError.isInstance(error) && error.code === "store-damaged") {
      damaged(error);
      return;
    }
    throw error;
  }
}
