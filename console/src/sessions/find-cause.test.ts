import { describe, expect, it } from "vitest";
import { findCauses, findOrigins } from "./find-cause.ts";
import { callOf, callsOf, PUBLIC } from "./timeline.test-kit.ts";

const reasonOf = (...caused_by: readonly (readonly [step: number | null, dataset: string])[]) => ({
  code: "flow-blocked",
  message: "It is blocked.",
  caused_by: caused_by.map(([step, dataset]) => ({
    step,
    tool: step === null ? null : "search_email",
    dataset,
  })),
});

describe("findCauses", () => {
  const read = callOf(2, { step: 0, raises: { ...PUBLIC, level: "internal" }, dataset: "office" });

  it("leads from a block to the call that brought the data in, with the level it raised to", () => {
    const [found] = findCauses([reasonOf([0, "office"])], [callOf(1, { step: 7 }), read]);
    expect(found).toMatchObject({ address: { kind: "seq", seq: 2 }, level: "internal" });
  });

  it("leads to a call by its step where that isn't loaded", () => {
    const [found] = findCauses([reasonOf([0, "office"])], callsOf(40, 50));
    expect(found).toMatchObject({ address: { kind: "step", step: 0 }, level: null });
  });

  it("leads nowhere where the host brought the data in", () => {
    expect(findCauses([reasonOf([null, "hr"])], [read])).toEqual([
      { cause: { step: null, tool: null, dataset: "hr" }, address: null, level: null },
    ]);
  });

  it("names each cause once, however many reasons it stands behind", () => {
    const reasons = [reasonOf([0, "office"], [null, "hr"]), reasonOf([0, "office"])];
    expect(findCauses(reasons, [read]).map(({ cause }) => cause.dataset)).toEqual(["office", "hr"]);
  });
});

describe("findOrigins", () => {
  const seen = (argument: string, call: number) => ({
    code: "not-endorsed",
    message: "It isn't the user's word.",
    caused_by: [],
    argument,
    first_seen: { call, tool: "read_inbox", trust: "untrusted" },
  });

  it("leads from a value that the user didn't say to the call that it first came with, each once (X5)", () => {
    const reasons = [seen("to", 2), seen("to", 2), seen("id", 1), { ...seen("cc", 1), first_seen: null }];
    expect(findOrigins(reasons, [callOf(5, { step: 1 })])).toEqual([
      { argument: "to", call: 2, tool: "read_inbox", trust: "untrusted", address: { kind: "seq", seq: 5 } },
      { argument: "id", call: 1, tool: "read_inbox", trust: "untrusted", address: { kind: "step", step: 0 } },
    ]);
  });
});
