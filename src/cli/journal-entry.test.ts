import { expect, it } from "vitest";
import type { JournalEntry } from "../session/store.ts";
import { noteOf } from "./journal-entry.ts";

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
