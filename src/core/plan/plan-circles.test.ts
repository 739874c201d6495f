import { describe, expect, it } from "vitest";
import { findCircles } from "./plan-circles.ts";

describe("the circles among `after` edges", () => {
  it.each([
    ["none in no plan", [], []],
    ["none among steps that wait for nobody", [[], [], []], []],
    ["none in a chain", [[], [0], [1]], []],
    ["none where two ways meet again", [[], [0], [0], [1, 2]], []],
    ["a step that waits for itself", [[], [1]], [[1]]],
    ["two steps that wait for each other", [[1], [0]], [[0, 1]]],
    ["the steps of a ring, in their order", [[2], [0], [1]], [[0, 1, 2]]],
    [
      "two that have nothing to do with each other",
      [[1], [0], [], [4], [3]],
      [
        [0, 1],
        [3, 4],
      ],
    ],
    ["two that share a step, as one", [[1], [0, 2], [1]], [[0, 1, 2]]],
    ["no step that only waits for one", [[1], [0], [0], [2]], [[0, 1]]],
    ["no step that one waits for", [[], [0, 2], [1]], [[1, 2]]],
    [
      "one after another, apart though one waits for the other",
      [[1], [0], [3, 0], [2]],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [
      "one in which an edge stands twice",
      [
        [1, 1],
        [0, 0],
      ],
      [[0, 1]],
    ],
    ["none through an id that nobody has", [[-1], [-1, 0]], []],
    ["one beside an id that nobody has", [[-1, 1], [0]], [[0, 1]]],
  ])("are found: %s (C5)", (_, edges, circles) => {
    expect(findCircles(edges)).toEqual(circles);
  });
});

describe("a thousand steps", () => {
  it("that each come after all before them are searched edge by edge, not pair by pair", () => {
    let read = 0;
    const steps = Array.from({ length: 1000 }, (_, step) => {
      const edges = Array.from({ length: step }, (__, before) => before);
      return new Proxy(edges, {
        get: (target, key) => {
          if (typeof key === "string" && /^\d+$/.test(key)) read += 1;
          return Reflect.get(target, key);
        },
      });
    });
    expect(findCircles(steps)).toEqual([]);
    expect(read).toBeLessThan(1_100_000);
  });
});
