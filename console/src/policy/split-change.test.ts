import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitChange } from "./split-change.ts";

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
