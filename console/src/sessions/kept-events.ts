/** What a page holds of a session's timeline while the gateway's newest pages move on. */
import type { Schema } from "../api/client.ts";
import { shareItems } from "./share-items.ts";

export type TimelinePage = Schema<"Timeline">;
export type TimelineEvent = TimelinePage["events"][number];
export type TimelineCall = Extract<TimelineEvent, { kind: "call" }>;
export type TimelineNote = Exclude<TimelineEvent, { kind: "call" }>;

export const isCall = (event: TimelineEvent): event is TimelineCall => event.kind === "call";

/** Events kept before those that the gateway's newest pages hold, at most. */
const MAX_KEPT = 2_000;

const seqOf = ({ seq }: TimelineEvent): number => seq;

/**
 * Oldest first: the pages' events, and before them those that were loaded earlier and have moved out of the pages,
 * so that nothing vanishes under whoever reads it. The same array where nothing differs.
 */
export function keepEvents(
  kept: readonly TimelineEvent[],
  pages: readonly TimelinePage[],
): readonly TimelineEvent[] {
  const window = pages.toReversed().flatMap(({ events }) => events);
  const first = window[0];
  if (first === undefined) return kept;
  const before = kept.filter(({ seq }) => seq < first.seq);
  // More may have happened meanwhile than the pages hold: what was kept then isn't what comes right before them.
  const joins = before.length === 0 || kept.some(({ seq }) => seq === first.seq);
  return shareItems(kept, joins ? [...before.slice(-MAX_KEPT), ...window] : window, seqOf);
}

/** Whether something that has moved out of the pages is still going on, so that it can't be shown as it is. */
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

/** How many events there are that came after what the reader has seen. */
export const countAfter = (events: readonly TimelineEvent[], seen: number): number =>
  events.length - (events.findLastIndex(({ seq }) => seq <= seen) + 1);
