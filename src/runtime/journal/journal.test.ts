import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../ports/store.ts";
import { sealEntries, type UnsealedEntry, verifyChain } from "./journal.ts";

const event = (n: number): UnsealedEntry => ({
  kind: "call-admitted",
  at: "2026-11-21T12:00:00.000Z",
  policy: "p",
  data: { n },
});

const chain = (length: number): JournalEntry[] =>
  sealEntries(
    null,
    Array.from({ length }, (_, n) => event(n)),
  );

const headOf = (entries: readonly JournalEntry[]) => {
  const last = entries.at(-1);
  return last === undefined ? null : { version: last.seq, hash: last.hash };
};

describe("sealEntries", () => {
  it("hashes the canonical JSON of an entry without its hash, from 64 zeros on", () => {
    const [first, second] = chain(2);
    const body =
      '{"at":"2026-11-21T12:00:00.000Z","data":{"n":0},"kind":"call-admitted","policy":"p","prev":"' +
      `${"0".repeat(64)}","seq":1}`;
    const hash = createHash("sha256").update(body).digest("hex");
    expect(first).toEqual({ ...event(0), seq: 1, prev: "0".repeat(64), hash });
    expect(second).toMatchObject({ seq: 2, prev: hash });
  });

  it("goes on from a head as if it had sealed all at once", () => {
    const whole = chain(5);
    const begun = whole.slice(0, 2);
    expect([...begun, ...sealEntries(headOf(begun), [event(2), event(3), event(4)])]).toEqual(whole);
  });

  it("refuses data that JSON can't carry", () => {
    expect(() => sealEntries(null, [{ ...event(1), data: { n: undefined } }])).toThrow(
      expect.objectContaining({ code: "unsupported-value" }),
    );
  });
});

describe("verifyChain", () => {
  const whole = chain(4);
  const head = headOf(whole);
  const changed = (at: number, change: Partial<JournalEntry>) =>
    whole.map((entry) => (entry.seq === at ? { ...entry, ...change } : entry));
  const resealed = [...whole.slice(0, 2), ...sealEntries(headOf(whole.slice(0, 2)), [event(8), event(9)])];

  it("finds nothing wrong with a whole chain, and with none at all", () => {
    expect(verifyChain(whole, head)).toEqual({ ok: true });
    expect(verifyChain([], null)).toEqual({ ok: true });
  });

  it.each<[string, readonly JournalEntry[], { version: number; hash: string } | null, number, RegExp]>([
    ["an entry's kind", changed(2, { kind: "call-refused" }), head, 2, /changed/],
    ["an entry's time", changed(2, { at: "2026-11-21T12:00:00.001Z" }), head, 2, /changed/],
    ["an entry's policy", changed(2, { policy: "q" }), head, 2, /changed/],
    ["an entry's data", changed(3, { data: { n: 7 } }), head, 3, /changed/],
    [
      "an entry's data into what JSON can't carry",
      changed(3, { data: { n: Number.NaN } }),
      head,
      3,
      /changed/,
    ],
    ["an entry's hash", changed(3, { hash: "0".repeat(64) }), head, 3, /changed/],
    ["an entry's link", changed(3, { prev: "0".repeat(64) }), head, 3, /not linked/],
    ["an entry's number", changed(3, { seq: 4 }), head, 3, /missing/],
    ["the first entry away", whole.slice(1), head, 1, /missing/],
    ["an entry in the middle away", whole.toSpliced(1, 1), head, 2, /missing/],
    ["the last entries away", whole.slice(0, 2), head, 3, /head counts 4/],
    ["all entries away", [], head, 1, /missing/],
    ["the order", [0, 2, 1, 3].flatMap((n) => whole[n] ?? []), head, 2, /missing/],
    ["an entry in twice", [...whole.slice(0, 2), ...whole.slice(1)], head, 3, /missing/],
    ["the head back", whole, headOf(whole.slice(0, 3)), 4, /after the head/],
    ["the head away", whole, null, 1, /after the head/],
    ["the head's hash", whole, { version: 4, hash: "0".repeat(64) }, 4, /head's hash/],
    ["a part by one that was sealed anew", resealed, head, 4, /head's hash/],
    [
      "a part by one that is linked elsewhere",
      [...whole.slice(0, 3), ...resealed.slice(3)],
      head,
      4,
      /not linked/,
    ],
  ])("notices who changes %s", (_what, entries, end, at, problem) => {
    expect(verifyChain(entries, end)).toEqual({ ok: false, at, problem: expect.stringMatching(problem) });
  });
});
