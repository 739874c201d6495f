import { describe, expect, it } from "vitest";
import { changeFilters, hasFilters, toQuery } from "./list-filters.ts";

describe("the list's filters", () => {
  it("leave closed sessions out unless they are asked for", () => {
    expect(toQuery({ role: "clerk" })).toEqual({ role: "clerk", closed: false });
    expect(toQuery({ role: "clerk", closed: true })).toEqual({ role: "clerk" });
  });

  it("stand in the address only where they are set", () => {
    expect(changeFilters({ principal: "ada", refused: true }, { principal: "", refused: false })).toEqual({});
    expect(changeFilters({ level: "secret" }, { waiting: true })).toEqual({ level: "secret", waiting: true });
  });

  it("are none where the address says that they are off", () => {
    expect(hasFilters({ closed: false })).toBe(false);
    expect(hasFilters({ closed: true })).toBe(true);
  });
});
