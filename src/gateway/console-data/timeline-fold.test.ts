import { describe, expect, it } from "vitest";
import { createLabel, DEFAULT_LATTICE, type SessionEvent, topLabel } from "../../core/index.ts";
import type { JournalEntry } from "../../runtime/index.ts";
import { type FoldedEvent, isCall, TimelineFold } from "./timeline-fold.ts";

const MAIL = createLabel("internal", [], "untrusted");
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;

function entryOf({ kind, ...data }: { readonly kind: string }, index: number): JournalEntry {
  return { seq: index + 1, kind, at: at(index), policy: "p", prev: "", hash: "", data: { ...data } };
}

type AnyEvent = SessionEvent | { readonly kind: string };

/** Events a second apart, the first at second 0. */
function fold(...events: AnyEvent[]): readonly FoldedEvent[] {
  const folded = new TimelineFold(DEFAULT_LATTICE);
  for (const [index, event] of events.entries()) folded.add(entryOf(event, index));
  expect(folded.version).toBe(events.length);
  return folded.events;
}

const callsOf = (...events: AnyEvent[]) => fold(...events).filter(isCall);

const opened = { kind: "session-opened", principal: "ada", role: null, tools: null, task: false } as const;
const admitted = {
  kind: "call-admitted",
  call: "call_1",
  tool: "mcp__office__search_email",
  arguments: "",
  source: MAIL,
  dataset: "office",
  label: MAIL,
} as const;
const asked = {
  kind: "approval-requested",
  call: "call_2",
  tool: "pay",
  arguments: "",
  reasons: [],
  label: MAIL,
  approval: "appr_1",
  binding: "b",
  expires: at(10),
} as const;
const about = { approval: "appr_1", call: "call_2", tool: "pay" } as const;

describe("a folded journal", () => {
  it("has each call with its step, the labels around it and its end", () => {
    const calls = callsOf(
      opened,
      { ...admitted },
      { kind: "call-refused", call: "call_3", tool: "web", arguments: "", reasons: [], label: MAIL },
      { kind: "call-finished", call: "call_1", outcome: "error" },
      { kind: "call-finished", call: "call_1", outcome: "ok" },
      { kind: "call-finished", call: "nobody's", outcome: "ok" },
    );
    expect(calls).toMatchObject([
      { seq: 2, step: 0, before: { level: "public" }, after: MAIL, outcome: "error", finishedAt: at(3) },
      { seq: 3, step: 1, before: MAIL, after: MAIL, outcome: null, finishedAt: null },
    ]);
  });

  it("counts the first answer in time, and no later one", () => {
    const yes = { kind: "approval-answered", ...about, answer: "approved", by: "ada", why: "fine" } as const;
    const late = { kind: "approval-ended", ...about, outcome: "cancelled" } as const;
    const [call, used] = callsOf(opened, asked, yes, { ...yes, answer: "denied" }, late, {
      ...admitted,
      approval: "appr_1",
    });
    expect(call?.approval).toMatchObject({ status: "approved", by: "ada", why: "fine", endedAt: at(2) });
    expect(used?.approval).toBe(call?.approval);
    const [expired] = callsOf(opened, { ...asked, expires: at(2) }, yes);
    expect(expired?.approval).toMatchObject({ status: "pending", by: null });
  });

  it("ends what expired when it was due, and what was taken back when that happened", () => {
    const expired = { kind: "approval-ended", ...about, outcome: "expired" } as const;
    const [late] = callsOf(opened, { ...asked, expires: at(1) }, { kind: "impossible-reported" }, expired);
    expect(late?.approval).toMatchObject({ status: "expired", endedAt: at(1) });
    const closed = { kind: "session-closed", reason: "reset", successor: "sess_2" } as const;
    const [over, open] = callsOf(
      opened,
      { ...asked, expires: at(2) },
      { ...asked, approval: "appr_2" },
      closed,
    );
    expect(over?.approval).toMatchObject({ status: "cancelled", endedAt: at(3) });
    expect(open?.approval).toMatchObject({ status: "cancelled", endedAt: at(3) });
  });

  it("has a note for an entry that can't be read, and counts it as the worst", () => {
    const top = topLabel(DEFAULT_LATTICE);
    const [, strange, broken] = fold(opened, { kind: "from-tomorrow" }, { kind: "call-admitted" });
    expect(strange).toMatchObject({ seq: 2, event: null, before: { level: "public" }, after: top });
    expect(broken).toMatchObject({ seq: 3, event: null, before: top, after: top });
  });
});
