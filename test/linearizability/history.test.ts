import { describe, expect, it } from "vitest";
import { type Asked, findOrder, type Operation } from "./history.ts";

const op = (asked: Asked, answer: Operation["answer"], begun: number, ended = begun + 1): Operation => ({
  asked,
  answer,
  begun,
  ended: answer === null ? Number.POSITIVE_INFINITY : ended,
});
const READ: Asked = { kind: "read" };
const SEND: Asked = { kind: "send" };
const PAY: Asked = { kind: "pay", amount: 1 };
const YES: Asked = { kind: "approve", approval: "a", amounts: [1] };

describe("an order of operations", () => {
  it.each<[string, readonly Operation[]]>([
    ["a send before the raise", [op(SEND, "allow", 0), op(READ, "allow", 2), op(SEND, "deny", 4)]],
    [
      "a send that overlaps the raise, either way",
      [op(READ, "allow", 0, 9), op(SEND, "allow", 1), op(SEND, "deny", 3)],
    ],
    ["a raise whose answer was lost", [op(READ, null, 0), op(SEND, "deny", 2)]],
    ["a raise that was lost itself", [op(READ, null, 0), op(SEND, "allow", 2)]],
    [
      "a yes that is used once",
      [op(PAY, "ask", 0), op(YES, "done", 2), op(PAY, "allow", 4), op(PAY, "ask", 6)],
    ],
    ["the same yes again", [op(YES, "done", 0), op(PAY, "allow", 2), op(YES, "done", 4), op(PAY, "ask", 6)]],
    ["a yes that is refused as given before", [op(YES, "done", 0), op(YES, "refused", 2)]],
    ["a yes that is refused, after one whose answer was lost", [op(YES, null, 0), op(YES, "refused", 2)]],
    ["a yes whose answer was lost", [op(PAY, "ask", 0), op(YES, null, 2), op(PAY, "allow", 4)]],
    ["a use whose answer was lost", [op(YES, "done", 0), op(PAY, null, 2), op(PAY, "ask", 4)]],
    [
      "a plan's yes",
      [op({ kind: "approve", approval: "plan", amounts: [1, 2] }, "done", 0), op(PAY, "allow", 2)],
    ],
  ])("is found for %s (X16)", (_, operations) => {
    expect(findOrder(operations)).not.toBeNull();
  });

  it.each<[string, readonly Operation[]]>([
    ["a send after the raise", [op(READ, "allow", 0), op(SEND, "allow", 2)]],
    ["a raise that is forgotten", [op(READ, "allow", 0, 9), op(SEND, "deny", 1), op(SEND, "allow", 3)]],
    ["a refusal without a raise", [op(SEND, "deny", 0)]],
    ["a yes that is used twice", [op(YES, "done", 0), op(PAY, "allow", 2, 9), op(PAY, "allow", 2, 9)]],
    ["a call before its yes", [op(PAY, "allow", 0), op(YES, "done", 2)]],
    ["a yes that is lost", [op(YES, "done", 0), op(PAY, "ask", 2)]],
    ["a yes that is refused and was never given", [op(YES, "refused", 0)]],
    ["a call that is refused", [op(SEND, "refused", 0)]],
    ["a yes whose answer was lost, used twice", [op(YES, null, 0), op(PAY, "allow", 2), op(PAY, "allow", 4)]],
  ])("isn't found for %s (X16)", (_, operations) => {
    expect(findOrder(operations)).toBeNull();
  });
});
