import { expect, it } from "vitest";
import type { JournalEntry } from "../../runtime/ports/store.ts";
import { noteOf, reasonsIn } from "./journal-entry.ts";

const entry = (kind: string, data: JournalEntry["data"]): JournalEntry => ({
  seq: 1,
  kind,
  at: "2026-11-22T08:00:00.000Z",
  policy: "v1",
  prev: "",
  hash: "",
  data,
});

it("tells who answered an approval, what, and why, and which call used it up", () => {
  const answered = { approval: "appr_1", answer: "denied", by: "bo", why: "wrong account" };
  expect(noteOf(entry("approval-answered", answered))).toBe("denied by bo since: wrong account");
  expect(noteOf(entry("approval-answered", { answer: 7 }))).toBe("");
  expect(noteOf(entry("approval-answered", { answer: "approved", by: "bo", via: "terminal" }))).toBe(
    "approved by bo via terminal",
  );
  expect(noteOf(entry("approval-shown", { via: "console" }))).toBe("via console");
  expect(noteOf(entry("approval-ended", { outcome: "expired" }))).toBe("expired");
  expect(noteOf(entry("call-admitted", { approval: "appr_1" }))).toBe("by appr_1");
  expect(noteOf(entry("call-admitted", {}))).toBe("");
});

it("shows a release as one, where it was asked for and where it was used (D6-binding)", () => {
  const released = { approval: "appr_1", release: true };
  expect(noteOf(entry("approval-requested", released))).toBe("appr_1, a release");
  expect(noteOf(entry("call-admitted", released))).toBe("by appr_1, a release");
});

it("tells what was found in a result and where, and takes nothing of it for granted (C1-detectors)", () => {
  const findings = [{ kind: "secret/aws", place: "rows[0].key" }, { kind: "unexamined" }, 7];
  expect(noteOf(entry("label-raised", { dataset: "crm", findings }))).toBe(
    "from crm, secret/aws at rows[0].key, unexamined, something",
  );
  expect(noteOf(entry("label-raised", { dataset: "crm", findings: "x" }))).toBe("from crm");
});

it("says why a call waited for a person", () => {
  const reasons = [
    { code: "approval-required", tool: "Read", because: "ignored-path" },
    { code: "approval-required", tool: "Read", because: 7 },
  ];
  expect(reasonsIn(entry("approval-requested", { reasons }))).toEqual([
    "approval-required: ignored-path",
    "approval-required",
  ]);
});

it("says who signed in to which server (X21)", () => {
  const signedIn = { server: "mail", principal: "ada", by: "ada", issuer: "https://login.example" };
  expect(noteOf(entry("signed-in", signedIn))).toBe("server mail, as ada, by ada");
  expect(noteOf(entry("signed-out", { server: "mail", by: "operator" }))).toBe("server mail, by operator");
});
