/** Events of a timeline for tests. */
import type { TimelineCall, TimelineEvent, TimelinePage } from "./kept-events.ts";

export const PUBLIC = { level: "public", categories: [], trust: "trusted" };

/** An allowed call as the journal's entry `seq`. */
export const callOf = (seq: number, more: Partial<TimelineCall> = {}): TimelineCall => ({
  kind: "call",
  seq,
  at: "2026-11-22T08:00:00.000Z",
  step: seq - 1,
  call_id: `call_${seq}`,
  tool: "search_docs",
  name: "search_docs",
  effect: "allow",
  outcome: "ok",
  finished_at: null,
  milliseconds: null,
  reasons: [],
  trail: [],
  raises: null,
  dataset: null,
  label: PUBLIC,
  shut: [],
  release: false,
  approval: null,
  ...more,
});

/** Calls from one entry to another. */
export const callsOf = (first: number, last: number): TimelineCall[] =>
  Array.from({ length: last - first + 1 }, (_, at) => callOf(first + at));

export const pageOf = (events: TimelineEvent[], earlier: number | null = null): TimelinePage => ({
  session_id: "sess_1",
  policy: "1",
  events,
  total: events.length,
  earlier,
});
