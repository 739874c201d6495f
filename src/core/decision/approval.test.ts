import { describe, expect, it } from "vitest";
import { definePolicy } from "../policy/policy.ts";
import { apply, initialState, type SessionEvent, type SessionState } from "../state/state.ts";
import { answerTo } from "./approval.ts";
import { decide } from "./decide.ts";

const policy = definePolicy({
  tools: {
    pay: { permissions: ["write"], source: { level: "internal" }, approval: "always" },
    post: { permissions: ["connect"], approval: "always" },
    read: { permissions: ["read"], source: { level: "secret" } },
  },
});

const ASKED_AT = "2026-01-01T00:00:00.000Z";
const ANSWERED_AT = "2026-01-01T00:10:00.000Z";
const SOON = "2026-01-01T00:59:59.999Z";
const EXPIRES = "2026-01-01T01:00:00.000Z";

const { label } = initialState(policy.lattice);

const requested = (approval: string, binding: string): SessionEvent => ({
  kind: "approval-requested",
  call: `call_${approval}`,
  tool: "pay",
  arguments: "digest",
  reasons: [],
  label,
  approval,
  binding,
  expires: EXPIRES,
});

const answered = (approval: string, answer: "approved" | "denied"): SessionEvent => ({
  kind: "approval-answered",
  approval,
  call: `call_${approval}`,
  tool: "pay",
  answer,
  by: "bo",
});

const admitted = (approval?: string): SessionEvent => ({
  kind: "call-admitted",
  call: "call_9",
  tool: "pay",
  arguments: "digest",
  source: null,
  dataset: "pay",
  label,
  ...(approval !== undefined && { approval }),
});

type Moment = readonly [event: SessionEvent, at: string];
const play = (...moments: readonly Moment[]): SessionState =>
  moments.reduce((state, [event, at]) => apply(state, event, at), initialState(policy.lattice));

const granted = play([requested("a", "this"), ASKED_AT], [answered("a", "approved"), ANSWERED_AT]);
const codes = (state: SessionState, binding: string | null, at = SOON, tool = "pay") => {
  const { effect, reasons } = decide(
    policy,
    state,
    { tool },
    binding === null ? {} : { asked: { binding, at } },
  );
  return [effect, ...reasons.map(({ code }) => code)];
};

describe("a grant", () => {
  it("lets the call pass that it is bound to, and brings in what that call does", () => {
    const decision = decide(policy, granted, { tool: "pay" }, { asked: { binding: "this", at: SOON } });
    expect(decision).toMatchObject({ effect: "allow", reasons: [], source: { level: "internal" } });
  });

  it("lets no other call pass, none without a binding, and none once it has expired", () => {
    expect(codes(granted, "other")).toEqual(["ask", "approval-required"]);
    expect(codes(granted, null)).toEqual(["ask", "approval-required"]);
    expect(codes(granted, "this", EXPIRES)).toEqual(["ask", "approval-required"]);
  });

  it("is gone with the entry that admits its call, and with no other", () => {
    expect(codes(apply(granted, admitted(), SOON), "this")).toEqual(["allow"]);
    expect(codes(apply(granted, admitted("b"), SOON), "this")).toEqual(["allow"]);
    expect(codes(apply(granted, admitted("a"), SOON), "this")).toEqual(["ask", "approval-required"]);
  });

  it("loses to every check that denies", () => {
    const high = apply(
      granted,
      {
        kind: "label-raised",
        call: null,
        step: null,
        tool: null,
        source: { ...label, level: "secret" },
        dataset: "crm",
        label,
      },
      SOON,
    );
    expect(codes(high, "this", SOON, "post")).toEqual(["deny", "flow-blocked"]);
    const closed = apply(granted, { kind: "session-closed", reason: "reset", successor: "s" }, SOON);
    expect(codes(closed, "this")).toEqual(["deny", "session-closed"]);
  });
});

describe("an answer", () => {
  it("takes its approval out of those that wait", () => {
    expect(granted.pending).toEqual([]);
    expect(granted.answers).toEqual([{ id: "a", binding: "this", answer: "approved", expires: EXPIRES }]);
  });

  it("counts only once, for what waits, and in time", () => {
    const asked: Moment = [requested("a", "this"), ASKED_AT];
    const twice = play(
      asked,
      [answered("a", "denied"), ANSWERED_AT],
      [answered("a", "approved"), ANSWERED_AT],
    );
    expect(codes(twice, "this")).toEqual(["deny", "approval-denied"]);
    expect(codes(play(asked, [answered("b", "approved"), ANSWERED_AT]), "this")[0]).toBe("ask");
    expect(codes(play(asked, [answered("a", "approved"), EXPIRES]), "this", SOON)[0]).toBe("ask");
    const spent = play(asked, [answered("a", "approved"), ANSWERED_AT], [admitted("a"), ANSWERED_AT]);
    expect(apply(spent, answered("a", "approved"), ANSWERED_AT).answers).toEqual([]);
  });

  it("that denies is told until it expires, and stands before any grant", () => {
    const denied = play([requested("a", "this"), ASKED_AT], [answered("a", "denied"), ANSWERED_AT]);
    expect(codes(denied, "this")).toEqual(["deny", "approval-denied"]);
    expect(codes(denied, "other")).toEqual(["ask", "approval-required"]);
    expect(codes(denied, "this", EXPIRES)).toEqual(["ask", "approval-required"]);
    const both = [requested("b", "this"), requested("a", "this")] as const;
    const mixed = play(
      ...both.map((event): Moment => [event, ASKED_AT]),
      [answered("b", "approved"), ANSWERED_AT],
      [answered("a", "denied"), ANSWERED_AT],
    );
    expect(answerTo(mixed, "this", SOON)?.answer).toBe("denied");
  });

  it("forgets the answers that have expired when another one comes", () => {
    const late = requested("b", "that");
    if (late.kind !== "approval-requested") throw new Error("no request");
    const later = { ...late, expires: "2026-01-01T03:00:00.000Z" };
    const state = apply(apply(granted, later, EXPIRES), answered("b", "approved"), EXPIRES);
    expect(state.answers.map(({ id }) => id)).toEqual(["b"]);
  });
});

it("tells a call that was held in vain that nobody answered in time", () => {
  const waiting = play([requested("a", "this"), ASKED_AT]);
  const held = (at: string) =>
    decide(policy, waiting, { tool: "pay" }, { asked: { binding: "this", at, waitedUntil: EXPIRES } });
  expect(held(SOON)).toMatchObject({ effect: "ask", reasons: [{ code: "approval-required" }] });
  expect(held(EXPIRES)).toMatchObject({
    effect: "deny",
    reasons: [{ code: "approval-expired" }],
    source: null,
  });
});
