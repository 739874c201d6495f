/** Every event in every state of an approval, as a table: nothing but the first answer in time ever is an approval. */
import { describe, expect, it } from "vitest";
import { definePolicy } from "../policy/policy.ts";
import { apply, initialState, type SessionEvent, type SessionState } from "../state/state.ts";
import { waitingAt } from "./approval.ts";
import { decide } from "./decide.ts";

const policy = definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } });
const { label } = initialState(policy.lattice);

const EARLY = "2026-01-01T00:00:00.000Z";
const SOON = "2026-01-01T00:30:00.000Z";
const EXPIRES = "2026-01-01T01:00:00.000Z";

type Moment = readonly [event: SessionEvent, at: string];

const call = { call: "call_1", tool: "pay", arguments: "digest", label } as const;
const answered = (answer: "approved" | "denied"): SessionEvent => ({
  kind: "approval-answered",
  approval: "a",
  call: "call_1",
  tool: "pay",
  answer,
  by: "bo",
});
const ended = (outcome: "expired" | "cancelled"): SessionEvent => ({
  kind: "approval-ended",
  approval: "a",
  call: "call_1",
  tool: "pay",
  outcome,
});
const admitted = (approval?: string): SessionEvent => ({
  ...call,
  kind: "call-admitted",
  source: null,
  dataset: "pay",
  ...(approval !== undefined && { approval }),
});

const EVENTS = {
  shown: [{ kind: "approval-shown", approval: "a", via: "console" }, SOON],
  yes: [answered("approved"), SOON],
  "late yes": [answered("approved"), EXPIRES],
  no: [answered("denied"), SOON],
  "late no": [answered("denied"), EXPIRES],
  expired: [ended("expired"), EXPIRES],
  cancelled: [ended("cancelled"), SOON],
  "used up": [admitted("a"), SOON],
  "another call": [admitted(), SOON],
  impossible: [{ kind: "impossible-reported" }, SOON],
  closed: [{ kind: "session-closed", reason: "reset", successor: "s" }, SOON],
} satisfies Record<string, Moment>;

type EventName = keyof typeof EVENTS;

const REQUESTED: Moment = [
  { ...call, kind: "approval-requested", reasons: [], approval: "a", binding: "this", expires: EXPIRES },
  EARLY,
];

/** How each state is reached, after the request. */
const STATES: Readonly<Record<string, readonly EventName[] | null>> = {
  unknown: null,
  requested: [],
  shown: ["shown"],
  approved: ["shown", "yes"],
  denied: ["shown", "no"],
  "used up": ["yes", "used up"],
  expired: ["shown", "expired"],
  cancelled: ["cancelled"],
  closed: ["closed"],
};

/** What the call gets after an event in a state: ask, allow, deny; `closed` where its session is. */
const TABLE: Readonly<Record<string, Readonly<Record<EventName, "ask" | "allow" | "deny" | "closed">>>> = {
  unknown: row({}, "ask"),
  requested: row({ yes: "allow", no: "deny" }, "ask"),
  shown: row({ yes: "allow", no: "deny" }, "ask"),
  approved: row({ expired: "ask", cancelled: "ask", "used up": "ask" }, "allow"),
  denied: row({ expired: "ask", cancelled: "ask", "used up": "ask" }, "deny"),
  "used up": row({}, "ask"),
  expired: row({}, "ask"),
  cancelled: row({}, "ask"),
  closed: row({}, "closed"),
};

function row<Outcome extends string>(
  different: Partial<Record<EventName, Outcome>>,
  usual: Outcome,
): Record<EventName, Outcome | "closed"> {
  const names = Object.keys(EVENTS) as EventName[];
  const all = names.map((name) => [name, different[name] ?? usual]);
  // Every name has its outcome, by the line above.
  return { ...(Object.fromEntries(all) as Record<EventName, Outcome>), closed: "closed" };
}

const play = (moments: readonly Moment[]): SessionState =>
  moments.reduce((state, [event, at]) => apply(state, event, at), initialState(policy.lattice));

const reach = (path: readonly EventName[] | null): readonly Moment[] =>
  path === null ? [] : [REQUESTED, ...path.map((name) => EVENTS[name])];

function outcomeOf(state: SessionState, binding = "this", at = SOON): string {
  const { effect, reasons } = decide(policy, state, { tool: "pay" }, { asked: { binding, at } });
  return reasons.some(({ code }) => code === "session-closed") ? "closed" : effect;
}

const CASES = Object.entries(TABLE).flatMap(([state, cells]) =>
  Object.entries(cells).map(([event, outcome]) => [state, event as EventName, outcome] as const),
);

describe("an approval", () => {
  it.each(CASES)("that is %s, then %s: the call gets %s (law-7)", (state, event, outcome) => {
    const moments = reach(STATES[state] ?? null);
    const after = play([...moments, EVENTS[event]]);
    expect(outcomeOf(after)).toBe(outcome);
    // Nothing ever reaches another call, nor this one once it has expired.
    expect(outcomeOf(after, "other")).toBe(outcome === "closed" ? "closed" : "ask");
    expect(outcomeOf(after, "this", EXPIRES)).toBe(outcome === "closed" ? "closed" : "ask");
  });

  it("never becomes a yes again, whatever follows in whatever order (law-7)", () => {
    const over: readonly (readonly EventName[])[] = [
      ["no"],
      ["yes", "used up"],
      ["expired"],
      ["cancelled"],
      ["late yes"],
      ["closed"],
    ];
    const names = (Object.keys(EVENTS) as EventName[]).filter((name) => name !== "yes");
    for (const path of over) {
      const pairs = names.flatMap((one) => names.map((other) => [one, other] as const));
      for (const [one, other] of pairs) {
        const state = play([...reach(path), EVENTS[one], EVENTS[other]]);
        expect(outcomeOf(state), `${path} ${one} ${other}`).not.toBe("allow");
      }
    }
  });
});

describe("those that wait", () => {
  const second: Moment = [
    {
      ...call,
      kind: "approval-requested",
      reasons: [],
      approval: "b",
      binding: "that",
      expires: "2026-01-01T02",
    },
    SOON,
  ];

  it("stand in the order in which they were asked for, until each expires (D5-queue)", () => {
    const state = play([REQUESTED, second]);
    expect(waitingAt(state, SOON).map(({ id }) => id)).toEqual(["a", "b"]);
    expect(waitingAt(state, EXPIRES).map(({ id }) => id)).toEqual(["b"]);
    expect(waitingAt(play([REQUESTED, second, EVENTS.no]), SOON).map(({ id }) => id)).toEqual(["b"]);
  });

  it("keep their place when another is shown, and say what each would release", () => {
    const [event, at] = REQUESTED;
    const release: SessionEvent = { ...event, release: true } as SessionEvent;
    const state = play([[release, at], second, EVENTS.shown]);
    expect(state.pending.map(({ id, release: releases, shown }) => [id, releases, shown])).toEqual([
      ["a", true, true],
      ["b", false, false],
    ]);
  });

  it("are forgotten with the first request after they expired", () => {
    const late: Moment = [{ ...second[0], approval: "c" } as SessionEvent, EXPIRES];
    expect(play([REQUESTED, late]).pending.map(({ id }) => id)).toEqual(["c"]);
  });
});
