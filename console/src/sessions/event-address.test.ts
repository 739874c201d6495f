import { describe, expect, it } from "vitest";
import { findEvent, fromHash, isEarlier, toHash } from "./event-address.ts";
import { callOf, callsOf } from "./timeline.test-kit.ts";

describe("an event's address", () => {
  it.each([
    { kind: "seq", seq: 12 },
    { kind: "step", step: 0 },
    { kind: "call", call: "call_a b/#%" },
  ] as const)("reads back as it was written: $kind", (address) => {
    expect(fromHash(toHash(address))).toEqual(address);
    expect(fromHash(`#${toHash(address)}`)).toEqual(address);
  });

  it("counts calls as people do", () => {
    expect(toHash({ kind: "step", step: 0 })).toBe("call-1");
  });

  it.each([
    "",
    "content",
    "seq-",
    "seq-x",
    "seq-1e3",
    `seq-${"9".repeat(20)}`,
  ])("is none where it says something else: %j", (hash) => {
    expect(fromHash(hash)).toBeNull();
  });

  it("is found by each of its kinds", () => {
    const events = [callOf(4, { step: 1, call_id: "call_x" })];
    for (const hash of ["seq-4", "call-2", "id-call_x"]) {
      const address = fromHash(hash);
      expect(address && findEvent(events, address)?.seq).toBe(4);
    }
    expect(findEvent(events, { kind: "seq", seq: 5 })).toBeNull();
  });
});

describe("isEarlier", () => {
  const events = callsOf(10, 20);

  it("says whether loading earlier events may bring it", () => {
    expect(isEarlier(events, { kind: "seq", seq: 9 })).toBe(true);
    expect(isEarlier(events, { kind: "seq", seq: 11 })).toBe(false);
    expect(isEarlier(events, { kind: "seq", seq: 99 })).toBe(false);
    expect(isEarlier(events, { kind: "step", step: 8 })).toBe(true);
    expect(isEarlier(events, { kind: "step", step: 30 })).toBe(false);
    expect(isEarlier(events, { kind: "call", call: "unknown" })).toBe(true);
  });
});
