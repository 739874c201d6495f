import { expect, it } from "vitest";
import { createLabel, EFFECT_OF, PATH_CAUSES, type Reason, type ReasonCode } from "../../core/index.ts";
import { readReasons } from "./kept-reasons.ts";

const MAIL = createLabel("internal", ["hr"], "untrusted");
const cause = { call: "call_1", step: 0, tool: "search", dataset: "office", label: MAIL };

/** What each code comes with, besides the tool. */
const PARTS: Partial<Record<ReasonCode, object>> = {
  frozen: { scope: "server" },
  "ambiguous-tool": { candidates: ["a", "b"] },
  "not-in-tool-set": { role: "reader" },
  "permission-missing": { missing: ["read", "connect"] },
  "flow-blocked": { label: MAIL, clearances: [MAIL], causes: [cause], releasable: true },
  "not-endorsed": {
    problem: "not-said",
    argument: "to",
    firstSeen: { step: 0, tool: "read", trust: "untrusted" },
  },
  "denied-by-rule": { rule: "big payments", result: "holds" },
  "rule-asks": { rule: "big payments", result: "unclear" },
  "unknown-argument": { argument: "too", near: "to" },
  "sign-in-needed": { server: "mail", link: "http://127.0.0.1:7311/oauth/sign-in/mail" },
  "approval-required": { because: "condition" },
};

// Every code that there is, by the table that has them all.
const CODES = Object.keys(EFFECT_OF) as ReasonCode[];
const kept = (code: ReasonCode): object =>
  code === "session-closed" ? { code } : { code, tool: "t", ...PARTS[code] };

it.each(CODES)("reads %s as it was written", (code) => {
  expect(readReasons(JSON.parse(JSON.stringify([kept(code)])))).toEqual([kept(code)]);
});

it.each(PATH_CAUSES)("reads that a person is asked because of %s", (because) => {
  expect(readReasons([{ code: "approval-required", tool: "t", because }])).toHaveLength(1);
});

it.each<readonly [string, unknown]>([
  ["no list", { code: "fault", tool: "t" }],
  ["nothing at all", [null]],
  ["a code from tomorrow", [{ code: "moon-phase", tool: "t" }]],
  ["a tool that is no text", [{ code: "fault", tool: { toString: "x" } }]],
  ["no tool", [{ code: "hidden" }]],
  [
    "clearances that are none",
    [{ code: "flow-blocked", tool: "t", label: MAIL, clearances: [1], causes: [] }],
  ],
  ["a cause without a label", [{ ...kept("flow-blocked"), causes: [{ ...cause, label: null }] }]],
  ["a cause from tomorrow", [{ code: "approval-required", tool: "t", because: "toString" }]],
  ["one that is right, and one that isn't", [kept("fault"), { code: "fault" }]],
])("can't read %s", (_, value) => {
  expect(readReasons(value)).toBeNull();
});

it("gives back no more than what a reason has", () => {
  const [reason] = readReasons([{ code: "fault", tool: "t", more: "x" }]) ?? [];
  expect(reason satisfies Reason | undefined).toEqual({ code: "fault", tool: "t" });
});
