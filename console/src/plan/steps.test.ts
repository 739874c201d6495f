import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrange, hasOrder, moveStep, namesOf, placeOf, readCalls, writeCalls } from "./steps.ts";

const steps = arrange([], ["mail", "web", "mail", "pr"]);
const ids = (list: typeof steps) => list.map(({ id }) => id);

describe("steps", () => {
  it("have an identity each, also those of one tool", () => {
    expect(namesOf(steps)).toEqual(["mail", "web", "mail", "pr"]);
    expect(new Set(ids(steps)).size).toBe(4);
  });

  it("keep it in another order: the first of a tool takes its first place", () => {
    const [first, web, second, pr] = ids(steps);
    expect(ids(arrange(steps, ["web", "mail", "mail", "pr"]))).toEqual([web, first, second, pr]);
    expect(ids(arrange(steps, ["pr", "mail", "web", "mail"]))).toEqual([pr, first, web, second]);
  });

  it("are new where no step of that name is left, and gone where nobody names them", () => {
    const more = arrange(steps, ["mail", "mail", "mail"]);
    expect(ids(more).slice(0, 2)).toEqual([steps[0]?.id, steps[2]?.id]);
    expect(ids(steps)).not.toContain(more[2]?.id);
  });

  it("move to a place, and not beyond the ends", () => {
    const web = steps[1]?.id ?? 0;
    expect(namesOf(moveStep(steps, web, 0))).toEqual(["web", "mail", "mail", "pr"]);
    expect(namesOf(moveStep(steps, web, 3))).toEqual(["mail", "mail", "pr", "web"]);
    expect(namesOf(moveStep(steps, web, 99))).toEqual(["mail", "mail", "pr", "web"]);
    expect(moveStep(steps, web, 1)).toBe(steps);
    expect(moveStep(steps, 99, 0)).toBe(steps);
  });

  it("know their place and their order", () => {
    expect(placeOf(steps, steps[2]?.id ?? 0)).toBe(2);
    expect(placeOf(steps, 99)).toBe(-1);
    expect(hasOrder(steps, ["mail", "web", "mail", "pr"])).toBe(true);
    expect(hasOrder(steps, ["mail", "web", "mail"])).toBe(false);
  });
});

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
