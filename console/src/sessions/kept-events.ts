/** What a page keeps of a session's timeline while the gateway's newest pages move on. */
import type { Schema } from "../api/client.ts";
import { shareItems } from "./share-items.ts";

export type TimelinePage = Schema<"Timeline">;
export type TimelineEvent = TimelinePage["events"][number];
export type TimelineCall = Extract<TimelineEvent, { kind: "call" }>;
export type TimelineNote = Exclude<TimelineEvent, { kind: "call" }>;

export const isCall = (event: TimelineEvent): event is TimelineCall => event.kind === "call";

/** Events kept before those of the gateway's newest pages. */
const MAX_KEPT = 2_000;

const seqOf = ({ seq }: TimelineEvent): number => seq;

/**
 * Oldest first: the pages' events, and before them those that were loaded earlier and have left the pages, so that
 * nothing disappears for readers. The same array if nothing differs.
 */
export function keepEvents(
  kept: readonly TimelineEvent[],
  pages: readonly TimelinePage[],
): readonly TimelineEvent[] {
  const window = pages.toReversed().flatMap(({ events }) => events);
  const first = window[0];
  if (first === undefined) return kept;
  const before = kept.filter(({ seq }) => seq < first.seq);
  // If more happened than the pages hold, the kept events don't adjoin them.
  const joins = before.length === 0 || kept.some(({ seq }) => seq === first.seq);
  return shareItems(kept, joins ? [...before.slice(-MAX_KEPT), ...window] : window, seqOf);
}

/** Whether an event that has left the pages is still changing, so that it can't be shown correctly. */
export function hasUnsettledBefore(kept: readonly TimelineEvent[], pages: readonly TimelinePage[]): boolean {
  const first = pages.at(-1)?.events[0];
  return (
    first !== undefined &&
    kept.some(
      (event) =>
        event.seq < first.seq &&
        isCall(event) &&
        (event.outcome === "running" || event.outcome === "waiting"),
    )
  );
}

/** How many events came after those that the reader has seen. */
export const countAfter = (events: readonly TimelineEvent[], seen: number): number =>
  events.length - (events.findLastIndex(({ seq }) => seq <= seen) + 1);
