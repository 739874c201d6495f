import { expect, it } from "vitest";
import { approvalOf } from "./approvals.test-kit.ts";
import { parseApproval, parseApprovals, parseFound, parseOutcome, parseStanding } from "./parse-approval.ts";

const WHOLE = approvalOf({ diff: "+one\n", targets: [{ path: "/work/a" }], waiting_behind: 2 });
const OVER = {
  id: "appr_1",
  session_id: "sess_1",
  status: "denied",
  answered_by: "operator",
  via: "console",
  ended_at: "2026-11-22T08:00:00.000Z",
};

it("reads an approval as it came, and none that isn't whole", () => {
  expect(parseApproval(WHOLE)).toEqual(WHOLE);
  for (const key of Object.keys(WHOLE)) {
    const { [key]: _, ...rest } = { ...WHOLE } as Record<string, unknown>;
    expect(parseApproval(rest), key).toBeNull();
    expect(parseApproval({ ...WHOLE, [key]: 7n }), key).toBeNull();
  }
  expect(parseApproval({ ...WHOLE, arguments: [] })).toBeNull();
  expect(parseApproval({ ...WHOLE, reasons: [{ code: "approval-required" }] })).toBeNull();
  expect(parseApproval(null)).toBeNull();
});

it("reads no list in which one isn't whole, since what is left out can't be judged", () => {
  expect(parseApprovals({ approvals: [WHOLE] })).toEqual([WHOLE]);
  expect(parseApprovals({ approvals: [WHOLE, { ...WHOLE, release: "no" }] })).toBeNull();
  expect(parseApprovals([WHOLE])).toBeNull();
});

it("reads how one ended, and the answer that has just ended it", () => {
  expect(parseOutcome(OVER)).toEqual(OVER);
  const { ended_at, ...answered } = OVER;
  expect(parseOutcome({ ...answered, answered_at: ended_at })).toEqual(OVER);
  expect(parseOutcome({ ...OVER, status: "perhaps" })).toBeNull();
  expect(parseOutcome(WHOLE)).toBeNull();
  expect(parseFound(OVER)).toEqual(OVER);
  expect(parseFound(WHOLE)).toEqual(WHOLE);
});

it("reads a standing approval, and none that isn't whole (X19)", () => {
  const texts = { id: "stand_1", words: "Calls of `t`.", tool: "t", given_by: "operator" };
  const whole = { ...texts, principal: "ada", session_id: "sess_1", expires_at: "2026-11-23T09:00:00.000Z" };
  const counted = { ...whole, count: 20, used: 3 };
  expect(parseStanding({ ...counted, more: 1 })).toEqual(counted);
  for (const key of Object.keys(counted)) expect(parseStanding({ ...counted, [key]: null }), key).toBeNull();
});
