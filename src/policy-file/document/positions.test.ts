import { describe, expect, test } from "vitest";
import { createPositions } from "./read-yaml.ts";

describe("a position", () => {
  const positionOf = createPositions("ab\n\ncd\r\ne");

  test.each([
    [0, 1, 1],
    [1, 1, 2],
    [2, 1, 3],
    [3, 2, 1],
    [4, 3, 1],
    [6, 3, 3],
    [8, 4, 1],
    [9, 4, 2],
  ])("of offset %i is line %i, column %i", (offset, line, column) => {
    expect(positionOf(offset)).toEqual({ line, column });
  });

  test("in an empty text is its start", () => {
    expect(createPositions("")(0)).toEqual({ line: 1, column: 1 });
  });
});
