import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCalls, writeCalls } from "./calls-text.ts";

describe("a plan in the address", () => {
  it("is names with commas between them", () => {
    expect(writeCalls(["search_email", "web_search"])).toBe("search_email,web_search");
    expect(readCalls("search_email,web_search")).toEqual(["search_email", "web_search"]);
  });

  it("comes back as it was, whatever the names hold", () => {
    const names = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom(..."a,%2C5\\ \u202E") }));
    fc.assert(
      fc.property(names, (calls) => {
        expect(readCalls(writeCalls(calls))).toEqual(calls);
      }),
    );
  });

  it("reads what was written by hand: empty parts and single percent signs", () => {
    expect(readCalls(",a,,100%,b,")).toEqual(["a", "100%", "b"]);
    expect(readCalls("")).toEqual([]);
  });
});
