import { createPublicKey, verify } from "node:crypto";
import { expect, it } from "vitest";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { ChainHead, JournalEntry } from "../ports/store.ts";
import { sealEntries } from "./journal.ts";
import { deriveReceiptKey, issueReceipt, type Receipt, toReceiptKey, verifyReceipt } from "./receipt.ts";

const AT = "2026-11-23T10:00:00.000Z";
const KEY = deriveReceiptKey(Buffer.alloc(32, 7));
const PUBLIC = createPublicKey(KEY);
const entry = (kind: string, data: JournalEntry["data"]) => ({ kind, at: AT, policy: "v1", data });
const CHAIN = sealEntries(null, [
  entry("session-opened", { session: "sess_1", principal: "ada" }),
  entry("call-admitted", { call: "call_1", tool: "read" }),
  entry("call-refused", { call: "call_2", tool: "send" }),
  entry("call-finished", { call: "call_1", outcome: "ok" }),
]);
const headOf = (chain: readonly JournalEntry[]): ChainHead => ({
  session: "sess_1",
  version: chain.at(-1)?.seq ?? 0,
  hash: chain.at(-1)?.hash ?? "",
});
const issue = (call?: string, chain = CHAIN): Receipt =>
  issueReceipt(
    { subject: { session: "sess_1", ...(call && { call }) }, head: headOf(chain), chain, at: AT },
    KEY,
  );
const check = (receipt: unknown, key = PUBLIC) => verifyReceipt(JSON.stringify(receipt), key);

it("signs a session's whole chain, or a call's entries with the chain's head (X27-receipts)", () => {
  const whole = issue();
  expect(check(whole)).toEqual({ ok: true, statement: whole.statement });
  expect(whole.statement.entries).toEqual(CHAIN);
  const call = issue("call_1");
  expect(check(call)).toEqual({ ok: true, statement: call.statement });
  expect(call.statement).toMatchObject({
    subject: { session: "sess_1", call: "call_1" },
    head: { entries: 4, hash: CHAIN[3]?.hash },
    entries: [{ seq: 2 }, { seq: 4 }],
  });
});

it("can be verified by anybody's Ed25519 over canonical JSON", () => {
  const { statement, signature } = issue("call_2");
  expect(verify(null, Buffer.from(canonicalJson(statement)), PUBLIC, Buffer.from(signature, "base64"))).toBe(
    true,
  );
});

it("derives the same key from the same gateway's key, and signs with one that is given", () => {
  expect(deriveReceiptKey(Buffer.alloc(32, 7)).equals(KEY)).toBe(true);
  expect(deriveReceiptKey(Buffer.alloc(32, 8)).equals(KEY)).toBe(false);
  const other = toReceiptKey(Buffer.alloc(32, 9));
  expect(check(issue(), createPublicKey(other))).toEqual({
    ok: false,
    problem: "It was signed with another key.",
  });
});

it("finds each change of what was signed (X27-receipts)", () => {
  const changed = { ok: false, problem: "It was changed, or wasn't signed with this key." };
  const { statement, ...rest } = issue("call_1");
  const [first, second] = statement.entries;
  const withStatement = (more: object): object => ({ ...rest, statement: { ...statement, ...more } });
  expect(check(withStatement({ entries: [first] }))).toEqual(changed);
  expect(check(withStatement({ entries: [{ ...first, kind: "call-refused" }, second] }))).toEqual(changed);
  expect(check(withStatement({ head: { ...statement.head, entries: 3 } }))).toEqual(changed);
  expect(check(withStatement({ issued_at: "2026-01-01T00:00:00.000Z" }))).toEqual(changed);
  expect(check(withStatement({ more: 1 }))).toEqual(changed);
  expect(check({ ...rest, statement, signature: "AAAA" })).toEqual(changed);
  expect(check({ statement: null })).toEqual({ ok: false, problem: "It is no receipt." });
  expect(check([])).toEqual({ ok: false, problem: "It is no receipt." });
  const twice = JSON.stringify(issue()).replace("{", '{"signature":"x",');
  expect(() => verifyReceipt(twice, PUBLIC)).toThrow();
});

it("is issued for a whole chain alone, and for a call that is in it", () => {
  const broken = CHAIN.with(2, { ...(CHAIN[2] ?? expect.fail()), kind: "call-admitted" });
  expect(() => issue("call_1", broken)).toThrow("There is no receipt for a broken chain.");
  expect(() => issue("call_3")).toThrow("The journal has no such call.");
  const cut = { subject: { session: "sess_1" }, head: headOf(CHAIN), chain: CHAIN.slice(0, 3), at: AT };
  expect(() => issueReceipt(cut, KEY)).toThrow("There is no receipt for a broken chain.");
  const foreign = {
    subject: { session: "sess_2" },
    head: { ...headOf(CHAIN), session: "sess_2" },
    chain: CHAIN,
    at: AT,
  };
  expect(() => issueReceipt(foreign, KEY)).toThrow("There is no receipt for a broken chain.");
});

it("of an archived session has what is left of its chain", () => {
  const chain = sealEntries({ version: 7, hash: "ab".repeat(32) }, [
    entry("session-closed", { reason: "archived", successor: null }),
  ]);
  expect(check(issue(undefined, chain))).toMatchObject({ ok: true });
});
