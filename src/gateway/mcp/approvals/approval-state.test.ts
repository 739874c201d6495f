import { expect, it } from "vitest";
import { ApprovalStates, isApprovalState } from "./approval-state.ts";

const START = Date.parse("2026-11-22T12:00:00.000Z");
const EXPIRES = "2026-11-22T13:00:00.000Z";
const APPROVAL = `appr_${"0a".repeat(16)}`;
const BOUND = { session: `sess_${"0b".repeat(16)}`, request: '["tools/call",{"name":"pay"}]' };
const KEY = Buffer.alloc(32, 7);

const at = (time: number, key: Uint8Array = KEY): ApprovalStates =>
  new ApprovalStates(key, { now: () => new Date(time) });

it("names its approval to whoever has the same key, until the approval expires (D5-mcp)", () => {
  const state = at(START).seal(APPROVAL, EXPIRES, BOUND);
  expect(isApprovalState(state)).toBe(true);
  expect(at(START).open(state, BOUND)).toBe(APPROVAL);
  expect(at(Date.parse(EXPIRES) - 1).open(state, BOUND)).toBe(APPROVAL);
  expect(() => at(Date.parse(EXPIRES)).open(state, BOUND)).toThrow("The request's state can't be used.");
});

it("is refused with another key, session or request, and with anything in it changed (D5-mcp)", () => {
  const state = at(START).seal(APPROVAL, EXPIRES, BOUND);
  const refused = (states: ApprovalStates, given: string, bound = BOUND): void => {
    expect(() => states.open(given, bound)).toThrow("The request's state can't be used.");
  };
  refused(at(START, Buffer.alloc(32, 8)), state);
  refused(at(START), state, { ...BOUND, session: `sess_${"0c".repeat(16)}` });
  refused(at(START), state, { ...BOUND, request: '["tools/call",{"name":"buy"}]' });
  for (let index = 0; index < state.length; index += 1) {
    const other = state[index] === "1" ? "2" : "1";
    refused(at(START), state.slice(0, index) + other + state.slice(index + 1));
    refused(at(START), state.slice(0, index));
  }
  refused(at(START), `${state}0`);
});

it("is told from the states of calls that go on in memory", () => {
  expect(isApprovalState(`state_${"0".repeat(32)}`)).toBe(false);
  expect(isApprovalState(undefined)).toBe(false);
});
