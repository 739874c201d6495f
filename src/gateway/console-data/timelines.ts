/**
 * The timelines of sessions, each folded once and then only by what came since. Those examined last are kept, as
 * far as there is room; an answer never depends on which.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lattice } from "../../core/index.ts";
import type { Gate, Session } from "../../runtime/index.ts";
import { type FoldedEvent, TimelineFold } from "./timeline-fold.ts";

/** Events in all folds that are kept. */
const MAX_KEPT = 20_000;
/** Entries that are read and folded before others get their turn. */
const PAGE = 250;

/** The newest events of a session before one of them. */
export interface TimelinePage {
  /** Oldest first. */
  readonly events: readonly FoldedEvent[];
  /** How many there are in all. */
  readonly total: number;
  /** The entry of the first of them, where there are more before it. */
  readonly earlier: number | null;
}

interface Kept {
  readonly fold: TimelineFold;
  /** Ends with the last reading that was asked for. */
  caughtUp: Promise<void>;
}

const keptFor = new WeakMap<Gate, Map<string, Kept>>();

/** Events of a session, as of now. They are the fold's own: read them in this turn of the event loop. */
export async function timelineOf(
  gate: Gate,
  session: Session,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<TimelinePage> {
  const all = keptFor.get(gate) ?? new Map<string, Kept>();
  keptFor.set(gate, all);
  const kept = keep(all, session.id, gate.policy.lattice);
  // One after the other: a long journal is read once, and who comes meanwhile has little left to read.
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
  // Mostly the newest are asked for, or those just before them.
  const end = all.findLastIndex(({ seq }) => seq < before) + 1;
  const start = Math.max(0, end - limit);
  const events = all.slice(start, end);
  return { events, total: all.length, earlier: start > 0 ? (events[0]?.seq ?? null) : null };
}

function keep(all: Map<string, Kept>, id: string, lattice: Lattice): Kept {
  const known = all.get(id);
  // What a label is depends on the lattice, so under another one nothing of a fold holds.
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

/** The least recently examined go first; the last one always stays. */
function makeRoom(all: Map<string, Kept>): void {
  let events = 0;
  for (const { fold } of all.values()) events += fold.events.length;
  for (const [id, { fold }] of all) {
    if (events <= MAX_KEPT || all.size === 1) return;
    events -= fold.events.length;
    all.delete(id);
  }
}
