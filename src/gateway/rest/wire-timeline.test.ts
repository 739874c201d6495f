import { expect, it } from "vitest";
import { definePolicy, type Label, type PolicyDeclaration } from "../../core/index.ts";
import type { JournalEntry } from "../../runtime/index.ts";
import { TimelineFold } from "../console-data/timeline-fold.ts";
import { NewlyBlocked } from "./newly-blocked.ts";
import { timeline } from "./session-schemas.ts";
import { toWireTimeline } from "./wire-timeline.ts";

const TOOLS: PolicyDeclaration = {
  tools: {
    read: { permissions: ["read"], source: { level: "internal" } },
    post: { permissions: ["connect"] },
  },
};
const policy = definePolicy(TOOLS, { version: "p" });
const LABEL: Label = { level: "public", categories: [], trust: "trusted" };

/** An entry's kind, and its data. */
interface AnyEntry {
  readonly kind: string;
  readonly [key: string]: unknown;
}

const tell = (...events: AnyEntry[]) => tellUnder(policy.version, events);

/** Told at second 30, where this version is in force; each entry is a second after the one before. */
function tellUnder(version: string, events: readonly AnyEntry[]) {
  const fold = new TimelineFold(policy.lattice);
  for (const [index, { kind, ...data }] of events.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString();
    const entry: JournalEntry = { seq: index + 1, kind, at, policy: "p", prev: "", hash: "", data };
    fold.add(entry);
  }
  const shutTools = new NewlyBlocked(policy.lattice, [...policy.tools.values()]);
  const page = { events: fold.events, total: fold.events.length, earlier: null };
  const telling = { policy: { ...policy, version }, shutTools, now: "2026-01-01T00:00:30.000Z" };
  const told = toWireTimeline(telling, "sess_1", page);
  return timeline.parse(told).events;
}

const call = { call: "call_1", tool: "post", arguments: "", label: LABEL };
const asked = {
  ...call,
  kind: "approval-requested",
  reasons: [{ code: "approval-required", tool: "post", because: "always" }],
  approval: "appr_1",
  binding: "b",
  expires: "2026-01-01T00:00:20.000Z",
};

it("has a note for a call whose reasons can't be read, and goes on after it", () => {
  const broken = [null, 7, {}, { code: "toString" }, { code: "flow-blocked", tool: "post" }];
  const events = tell(
    ...broken.map((reason) => ({ ...call, kind: "call-refused", reasons: [reason] })),
    { ...call, kind: "call-refused", reasons: [{ code: "fault", tool: "post" }] },
    { kind: "moon-phase" },
  );
  expect(events.map(({ kind }) => kind)).toEqual([...broken.map(() => "unreadable"), "call", "unreadable"]);
  expect(events[5]).toMatchObject({ step: 5, reasons: [{ code: "fault" }], shut: [] });
  expect(events[6]).toMatchObject({ label: { level: "*" }, shut: ["post"] });
});

it("says that an approval has expired, though nobody has looked since", () => {
  expect(tell(asked)).toMatchObject([
    { outcome: "answered", approval: { status: "expired", ended_at: asked.expires, answered_by: null } },
  ]);
  const longer = { ...asked, expires: "2026-01-01T00:01:00.000Z" };
  expect(tell(longer)).toMatchObject([
    { outcome: "waiting", approval: { status: "pending", ended_at: null } },
  ]);
});

it("says that nobody can answer an approval that was asked for under another policy", () => {
  const waits = { ...asked, expires: "2026-01-01T00:01:00.000Z" };
  expect(tellUnder("p", [waits])).toMatchObject([{ outcome: "waiting" }]);
  expect(tellUnder("q", [waits])).toMatchObject([
    { outcome: "answered", approval: { status: "cancelled", ended_at: "2026-01-01T00:00:00.000Z" } },
  ]);
});

it("gives no time where a moment can't be read, and none below nothing", () => {
  const admitted = { ...call, kind: "call-admitted", source: null, dataset: "x" };
  const fold = new TimelineFold(policy.lattice);
  const entry = (seq: number, at: string, { kind, ...data }: AnyEntry): void =>
    fold.add({ seq, kind, at, policy: "p", prev: "", hash: "", data });
  entry(1, "2026-01-01T00:00:05.000Z", admitted);
  entry(2, "2026-01-01T00:00:04.000Z", { kind: "call-finished", call: "call_1", outcome: "ok" });
  entry(3, "no time", { ...admitted, call: "call_2" });
  entry(4, "2026-01-01T00:00:04.000Z", { kind: "call-finished", call: "call_2", outcome: "ok" });
  const telling = { policy, shutTools: new NewlyBlocked(policy.lattice, []), now: "" };
  const told = toWireTimeline(telling, "s", { events: fold.events, total: 2, earlier: null });
  expect(told.events).toMatchObject([{ milliseconds: 0 }, { milliseconds: null }]);
});

it("tells a tool that the policy no longer has by its identity, with a whole trail", () => {
  const gone = {
    ...call,
    tool: "mcp__old__thing",
    kind: "call-refused",
    reasons: [{ code: "fault", tool: "thing" }],
  };
  const [told] = tell(gone);
  expect(told).toMatchObject({ tool: "mcp__old__thing", name: "mcp__old__thing" });
  expect(told?.kind === "call" && told.trail.map(({ result }) => result)).toEqual([
    ...Array(8).fill("pass"),
    "deny",
  ]);
});
