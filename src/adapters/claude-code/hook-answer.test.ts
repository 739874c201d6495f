import { describe, expect, it } from "vitest";
import { answerFailure } from "./hook-answer.ts";

const TEXT = "what the model must not have";

/** As a parser gives it: one that follows no stack of its own has no bound. */
const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}"${TEXT}"${"]".repeat(levels)}`);

describe("the answer in place of a result that the model must not have", () => {
  it("has the result's shape without its texts", () => {
    const response = { type: "text", file: { content: TEXT, lines: [1, TEXT] } };
    const answer = answerFailure({ name: "PostToolUse", response }, new Error());
    expect(answer.hookSpecificOutput).toEqual({
      hookEventName: "PostToolUse",
      updatedToolOutput: {
        type: "text",
        file: { content: "[withheld by Sluicegate]", lines: [1, "[withheld by Sluicegate]"] },
      },
    });
  });

  it.each([99, 100, 200_000])("is given however deep the result is: %i levels (law-8)", (levels) => {
    const answer = answerFailure({ name: "PostToolUse", response: { list: deep(levels) } }, new Error());
    const told = JSON.stringify(answer);
    expect(answer.continue).toBe(false);
    expect(told).toContain("[withheld by Sluicegate]");
    expect(told).not.toContain(TEXT);
  });
});
