import { expect, it } from "vitest";
import { togetherWords } from "./answer-state.ts";

it.each([
  [["answered", "answered"], "2 of 2 calls approved."],
  [["answered", "over"], "1 of 2 calls approved. 1 was over before."],
  [["unknown"], "0 of 2 calls approved. 2 wait still."],
  [["answered", "refused"], "1 of 2 calls approved. 1 waits still."],
] as const)("says of answers that were sent together what became of %o (X19)", (replies, words) => {
  expect(togetherWords("approve", 2, replies)).toBe(words);
});
