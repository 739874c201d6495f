/**
 * The timelines of sessions. Each journal is read once, and then only its new entries. The most recently used
 * timelines are cached.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lattice } from "../../core/index.ts";
import type { Gate, Session } from "../../runtime/index.ts";
import { type FoldedEvent, TimelineFold } from "./timeline-fold.ts";

/** Events in all cached timelines. */
const MAX_KEPT = 20_000;
/** Entries read in one turn of the event loop. */
const PAGE = 250;

/** The newest events of a session before a given one. */
export interface TimelinePage {
  /** Oldest first. */
  readonly events: readonly FoldedEvent[];
  /** The number of all events. */
  readonly total: number;
  /** The entry of the first of them, if there are earlier ones. */
  readonly earlier: number | null;
}

interface Kept {
  readonly fold: TimelineFold;
  /** Resolves with the last requested read. */
  caughtUp: Promise<void>;
}

const keptFor = new WeakMap<Gate, Map<string, Kept>>();

/** Events of a session, as of now. They may change: use them in this turn of the event loop. */
export async function timelineOf(
  gate: Gate,
  session: Session,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<TimelinePage> {
  const all = keptFor.get(gate) ?? new Map<string, Kept>();
  keptFor.set(gate, all);
  const kept = keep(all, session.id, gate.policy.lattice);
  // One read at a time: a long journal is read once, and later callers have little left to read.
  kept.caughtUp = kept.caughtUp.then(() => catchUp(kept.fold, session));
  try {
    await kept.caughtUp;
  } catch (cause) {
    if (all.get(session.id) === kept) all.delete(session.id);
    throw cause;
  }
  makeRoom(all);
  return pageOf(kept.fold.events, before, limit);
}

function pageOf(all: readonly FoldedEvent[], before: number, limit: number): TimelinePage {
  // Usually the newest are requested, or those just before them.
  const end = all.findLastIndex(({ seq }) => seq < before) + 1;
  const start = Math.max(0, end - limit);
  const events = all.slice(start, end);
  return { events, total: all.length, earlier: start > 0 ? (events[0]?.seq ?? null) : null };
}

function keep(all: Map<string, Kept>, id: string, lattice: Lattice): Kept {
  const known = all.get(id);
  // Labels depend on the lattice, so another policy needs a new timeline.
  const kept =
    known?.fold.lattice === lattice
      ? known
      : { fold: new TimelineFold(lattice), caughtUp: Promise.resolve() };
  all.delete(id);
  all.set(id, kept);
  return kept;
}

async function catchUp(fold: TimelineFold, session: Session): Promise<void> {
  for (;;) {
    const page = await session.journal(fold.version, PAGE);
    for (const entry of page) fold.add(entry);
    if (page.length < PAGE) return;
    await nextTurn();
  }
}

/** Drops the least recently used; the last one always stays. */
function makeRoom(all: Map<string, Kept>): void {
  let events = 0;
  for (const { fold } of all.values()) events += fold.events.length;
  for (const [id, { fold }] of all) {
    if (events <= MAX_KEPT || all.size === 1) return;
    events -= fold.events.length;
    all.delete(id);
  }
}
