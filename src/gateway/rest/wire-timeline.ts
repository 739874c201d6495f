/** A session's timeline for the wire. */
import type { z } from "zod";
import { type Policy, type Reason, trailOf } from "../../core/index.ts";
import { wordReasons } from "../../runtime/index.ts";
import { readReasons } from "../console-data/kept-reasons.ts";
import {
  type FoldedApproval,
  type FoldedCall,
  type FoldedEvent,
  type FoldedNote,
  isCall,
} from "../console-data/timeline-fold.ts";
import { wordNote, wordUnreadableCall } from "../console-data/timeline-words.ts";
import type { TimelinePage } from "../console-data/timelines.ts";
import type { NewlyBlocked } from "./newly-blocked.ts";
import type * as schemas from "./session-schemas.ts";
import { toWireLabel, toWireReasons } from "./wire.ts";

type WireCall = z.output<typeof schemas.timelineCall>;
type WireNote = z.output<typeof schemas.timelineNote>;

/** The parameters for wording a timeline. */
export interface Telling {
  readonly policy: Policy;
  readonly shutTools: NewlyBlocked;
  /** The present time, RFC 3339. */
  readonly now: string;
}

export const toWireTimeline = (
  telling: Telling,
  session: string,
  { events, total, earlier }: TimelinePage,
): z.output<typeof schemas.timeline> => ({
  session_id: session,
  policy: telling.policy.version,
  events: events.map((event) => toWireEvent(telling, event)),
  total,
  earlier,
});

function toWireEvent(telling: Telling, folded: FoldedEvent): WireCall | WireNote {
  if (!isCall(folded)) return toWireNote(telling, folded);
  const { event } = folded;
  const reasons = event.kind === "call-admitted" ? [] : readReasons(event.reasons);
  if (reasons !== null) return toWireCall(telling, folded, reasons);
  return { ...placeOf(telling, folded), kind: "unreadable", text: wordUnreadableCall(folded.seq) };
}

const placeOf = ({ shutTools }: Telling, { seq, at, before, after }: FoldedEvent) => ({
  seq,
  at,
  label: toWireLabel(after),
  shut: shutTools.between(before, after),
});

const NOTES = {
  "session-opened": "opened",
  "words-said": "said",
  "label-raised": "raised",
  "impossible-reported": "impossible",
  "refusal-appealed": "appealed",
  "session-closed": "closed",
} as const;

const toWireNote = (telling: Telling, note: FoldedNote): WireNote => ({
  ...placeOf(telling, note),
  kind: note.event === null ? "unreadable" : NOTES[note.event.kind],
  text: wordNote(note, telling.policy.names.shown),
  ...(note.event?.kind === "refusal-appealed" && { appeal: { call_id: note.event.call, text: null } }),
});

const EFFECTS = { "call-admitted": "allow", "call-refused": "deny", "approval-requested": "ask" } as const;

function toWireCall(telling: Telling, folded: FoldedCall, reasons: readonly Reason[]): WireCall {
  const { policy } = telling;
  const { event, step, before, after, finishedAt } = folded;
  const { source, dataset } = event.kind === "call-admitted" ? event : { source: null, dataset: null };
  const name = policy.names.shown(event.tool);
  const approval = folded.approval && toWireApproval(telling, folded.approval);
  return {
    ...placeOf(telling, folded),
    kind: "call",
    step,
    call_id: event.call,
    tool: event.tool,
    name,
    effect: EFFECTS[event.kind],
    outcome: outcomeOf(folded, approval?.status),
    finished_at: finishedAt,
    milliseconds: finishedAt === null ? null : millisecondsBetween(folded.at, finishedAt),
    reasons: toWireReasons(wordReasons(policy, reasons, name)),
    trail: toWireTrail(policy, event.tool, name, reasons),
    raises: source === null || before === after ? null : toWireLabel(source),
    dataset: source === null ? null : dataset,
    release: event.kind !== "call-refused" && event.release === true,
    approval,
  };
}

function outcomeOf(
  { event, outcome }: FoldedCall,
  approval: FoldedApproval["status"] | undefined,
): WireCall["outcome"] {
  if (event.kind === "call-refused") return "refused";
  if (event.kind === "call-admitted") return outcome ?? "running";
  return approval === "pending" ? "waiting" : "answered";
}

/** Null if a time is invalid; not negative if a clock was set back. */
function millisecondsBetween(from: string, to: string): number | null {
  const milliseconds = Date.parse(to) - Date.parse(from);
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null;
}

function toWireTrail(
  policy: Policy,
  id: string,
  name: string,
  reasons: readonly Reason[],
): WireCall["trail"] {
  const meantNone = reasons.some(({ code }) => code === "unknown-tool" || code === "ambiguous-tool");
  return trailOf({ tool: meantNone ? null : { id }, reasons }).map(({ check, result, reasons: said }) => ({
    check,
    result,
    reasons: toWireReasons(wordReasons(policy, said, name)),
  }));
}

function toWireApproval(telling: Telling, folded: FoldedApproval): NonNullable<WireCall["approval"]> {
  const { id, by, via, why } = folded;
  const { status, endedAt } = endOf(telling, folded);
  return { id, status, answered_by: by, via, why, ended_at: endedAt };
}

/**
 * An approval can end without an entry: when it expires, or when another policy is in force, so that nobody can
 * answer it.
 */
function endOf({ now, policy }: Telling, folded: FoldedApproval): Pick<FoldedApproval, "status" | "endedAt"> {
  if (folded.status !== "pending") return folded;
  if (folded.expires <= now) return { status: "expired", endedAt: folded.expires };
  return folded.policy === policy.version ? folded : { status: "cancelled", endedAt: folded.at };
}
