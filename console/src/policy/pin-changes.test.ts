import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortPins, splitChange, type ToolReview } from "./pin-changes.ts";

const review = (name: string, status: ToolReview["status"], parts: Partial<ToolReview> = {}): ToolReview => ({
  tool: `mcp__mail__${name}`,
  server: "mail",
  name,
  status,
  hash: null,
  offered_hash: null,
  difference: [],
  more_differences: 0,
  problem: null,
  doubt: null,
  ...parts,
});

describe("definitions", () => {
  it("that somebody should read come first, the changed ones before the doubted", () => {
    const { waiting, idle, pinned } = sortPins([
      review("fine", "pinned"),
      review("gone", "missing"),
      review("doubted", "pinned", { doubt: "It writes." }),
      review("new", "unclassified"),
      review("changed", "changed"),
    ]);
    expect(waiting.map(({ name }) => name)).toEqual(["changed", "doubted"]);
    expect(idle.map(({ name }) => name)).toEqual(["new", "gone"]);
    expect(pinned.map(({ name }) => name)).toEqual(["fine"]);
  });

  it("that are missing wait for a look as well where something is wrong with them", () => {
    expect(sortPins([review("gone", "missing", { problem: "Lost." })]).waiting).toHaveLength(1);
  });
});

describe("a change of a text", () => {
  it("is told apart from what stayed", () => {
    expect(splitChange("Sends mail.", "Sends all mail.")).toEqual({
      head: "Sends ",
      before: "",
      after: "all ",
      tail: "mail.",
    });
  });

  it("cuts no character in two", () => {
    expect(splitChange("a😀", "a😁")).toEqual({ head: "a", before: "😀", after: "😁", tail: "" });
  });

  it("gives both texts back", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "😀") });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const change = splitChange(before, after);
        expect(change.head + change.before + change.tail).toBe(before);
        expect(change.head + change.after + change.tail).toBe(after);
      }),
    );
  });
});
