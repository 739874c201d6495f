import { describe, expect, it } from "vitest";
import { hindranceOf } from "./answer-state.ts";
import { approvalWith } from "./approval.test-kit.ts";
import { mergeLists } from "./approval-queue.ts";
import { newsWords, outcomeWords } from "./outcome-words.ts";

const ENDED_AT = "2026-11-22T10:00:00Z";
const words = (
  status: "approved" | "denied" | "expired" | "cancelled",
  by: string | null,
  via: string | null,
) => {
  const { done, by: who, way } = outcomeWords({ status, answered_by: by, via, ended_at: ENDED_AT });
  return `${done}${who ?? ""}${way}`;
};

describe("how an approval ended", () => {
  it.each([
    ["approved", "operator", "console", "Approved by operator, in the console"],
    ["denied", "operator", "terminal", "Denied by operator, in a terminal"],
    ["approved", "ada", "client", "Approved by ada, in the agent's own client"],
    ["denied", "operator", null, "Denied by operator"],
    ["expired", null, null, "Expired, since nobody answered in time"],
  ] as const)("%s by %s by way of %s is told in words", (status, by, via, told) => {
    expect(words(status, by, via)).toBe(told);
  });
});

describe("what a screen reader is told", () => {
  const named = (tool: string) => approvalWith({ tool, principal: "ada" });

  it("is who waits for what", () => {
    expect(newsWords({ asked: [named("slack_post")], ended: [] })).toBe(
      "slack_post waits for an answer, for ada.",
    );
  });

  it("is short where many came at once", () => {
    const asked = ["a", "b", "c", "d", "e"].map(named);
    expect(newsWords({ asked, ended: [] })).toBe("a, b, c and 2 more wait for an answer.");
  });

  it("has no character that can't be heard", () => {
    expect(newsWords({ asked: [named("pay\u202Epal")], ended: [] })).not.toContain("\u202E");
  });

  it("is how a call ended, before what is new", () => {
    const outcome = { status: "denied", answered_by: "grace", via: "console", ended_at: ENDED_AT } as const;
    const [slot] = mergeLists([], { waiting: [named("first")], ended: [], now: 0 });
    if (slot === undefined) throw new Error("It has a card.");
    expect(newsWords({ asked: [named("second")], ended: [{ ...slot, outcome }] })).toBe(
      "first: Denied by grace, in the console. second waits for an answer, for ada.",
    );
  });
});

describe("what keeps from an answer", () => {
  const free = { isLost: false, isGone: false, state: { kind: "idle" }, missing: [] } as const;

  it("is nothing on a card that is all on the page", () => {
    expect(hindranceOf(free)).toEqual({ words: "", isForAll: false });
  });

  it("is for a yes alone what wasn't opened yet", () => {
    const folded = hindranceOf({ ...free, missing: [{ name: "body" }, { name: "cc" }] });
    expect(folded).toEqual({ words: "Open body and 1 more first: a yes is for all of it.", isForAll: false });
  });

  it("is for every answer a connection that is lost, or an answer of which nothing is known", () => {
    expect(hindranceOf({ ...free, isLost: true })).toMatchObject({
      isForAll: true,
      words: "Connection lost: this can't be answered now.",
    });
    expect(hindranceOf({ ...free, state: { kind: "unknown" } })).toMatchObject({ isForAll: true });
  });
});
