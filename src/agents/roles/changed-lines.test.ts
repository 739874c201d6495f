import { expect, it } from "vitest";
import { changedLines } from "./fixer-agent.ts";

it.each<[string, string, string, ReturnType<typeof changedLines>]>([
  ["nothing", "a\nb\n", "a\nb\n", null],
  ["a line in the middle", "a\nb\nc\n", "a\nx\ny\nc\n", { from: 2, removed: 1, added: 2 }],
  ["a line at the end", "a\n", "a\nb\n", { from: 2, removed: 0, added: 1 }],
  ["a line among equal ones", "a\na\na\n", "a\na\n", { from: 3, removed: 1, added: 0 }],
  ["the end of the last line", "a\nb", "a\nb\n", { from: 2, removed: 1, added: 1 }],
  ["all of it", "a\n", "", { from: 1, removed: 1, added: 0 }],
  ["two lines, with what lies between", "a\nb\nc\n", "x\nb\ny\n", { from: 1, removed: 3, added: 3 }],
])("tells the stretch in which two texts differ: %s (E4)", (_, before, after, lines) => {
  expect(changedLines(before, after)).toEqual(lines);
});
