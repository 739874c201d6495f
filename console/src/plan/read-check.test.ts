import { describe, expect, it } from "vitest";
import { countFromOne, orderToTake, readChecks, verdictOf } from "./read-check.ts";
import { arrange } from "./steps.ts";

const INTERNAL = { level: "internal", categories: [], trust: "untrusted" };
const ANSWER = {
  valid: false,
  violations: [
    {
      at_step: 1,
      tool: "web_search",
      code: "flow-blocked",
      reason: "`web_search` is blocked after `search_email` (step 0) loads internal data",
      suggestion: "move `web_search` before `search_email`",
    },
  ],
  safe_ordering: ["web_search", "search_email"],
  approvals: [{ at_step: 0, tool: "search_email", reason: "The policy asks." }],
  questions: 0,
  in_the_way: [],
  ways_out: [],
  steps: [
    {
      at_step: 0,
      tool: "search_email",
      effect: "ask" as const,
      raises: INTERNAL,
      label: INTERNAL,
      shut: ["web_search"],
      depends_on_arguments: true,
    },
    {
      at_step: 1,
      tool: "web_search",
      effect: "deny" as const,
      raises: null,
      label: INTERNAL,
      shut: [],
      depends_on_arguments: false,
    },
  ],
};
const steps = arrange([], ["search_email", "web_search"]);

describe("the check of a plan", () => {
  it("is told step by step, by the step's identity", () => {
    const [mail, web] = steps.map(({ id }) => readChecks(steps, ANSWER).get(id));
    expect(mail).toEqual({
      effect: "ask",
      raisesTo: INTERNAL,
      isWorst: true,
      shut: ["web_search"],
      reasons: ["The policy asks."],
      suggestions: [],
    });
    expect(web?.raisesTo).toBeNull();
    expect(web?.reasons[0]).toContain("after `search_email` (step 1) loads");
    expect(web?.suggestions).toEqual(["move `web_search` before `search_email`"]);
  });

  it("says nothing of steps that it doesn't know", () => {
    expect(readChecks(arrange([], ["a", "b", "c"]), ANSWER).size).toBe(2);
  });

  it("counts steps from one, as the page does, and leaves names alone", () => {
    expect(countFromOne("after `a` (step 0) and `b` (step 9)")).toBe("after `a` (step 1) and `b` (step 10)");
    expect(countFromOne("`x (step 3) y` is blocked")).toBe("`x (step 3) y` is blocked");
  });

  it("is one word in all", () => {
    expect(verdictOf(ANSWER)).toBe("Not safe");
    expect(verdictOf({ ...ANSWER, valid: true, violations: [] })).toBe("Safe");
    expect(verdictOf({ ...ANSWER, safe_ordering: null })).toBe("No safe order");
    expect(verdictOf({ ...ANSWER, safe_ordering: "undetermined" })).toBe("Not safe");
    expect(orderToTake([], { safe_ordering: "undetermined" })).toBeNull();
  });

  it("has an order to take where that is another, of these very steps", () => {
    expect(orderToTake(steps, ANSWER)).toEqual(["web_search", "search_email"]);
    expect(orderToTake(arrange([], ["web_search", "search_email"]), ANSWER)).toBeNull();
    expect(orderToTake(steps, { safe_ordering: null })).toBeNull();
    expect(orderToTake(steps, { safe_ordering: ["web_search", "web_search"] })).toBeNull();
  });

  it("says a way out once, where the reason ends with it", () => {
    const reason = "There is no tool `x` in this session. Use a tool of the session's manifest.";
    const violation = {
      at_step: 0,
      tool: "x",
      code: "unknown-tool",
      reason,
      suggestion: "use a tool of the session's manifest",
    };
    const [told] = readChecks(steps, { ...ANSWER, violations: [violation] }).values();
    expect(told?.suggestions).toEqual([]);
  });
});
