import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dropPlace } from "./step-items.ts";

/** Boxes one under the other. */
function stack(heights: readonly number[]) {
  let top = 0;
  return heights.map((height) => {
    const box = { top, height };
    top += height;
    return box;
  });
}

describe("where a dragged step would stand", () => {
  const boxes = stack([40, 40, 40]);

  it.each([
    ["where it is", 0, 0, 0],
    ["where it is, moved a little", 0, 19, 0],
    ["below the next, once its lower edge passes the middle", 0, 21, 1],
    ["at the end", 0, 61, 2],
    ["at the end, far below", 0, 900, 2],
    ["above the one before, once its upper edge passes the middle", 2, 59, 1],
    ["at the beginning, far above", 2, -900, 0],
  ])("is %s", (_, dragged, top, place) => {
    expect(dropPlace(boxes, dragged, top)).toBe(place);
  });

  it("stays once it has moved, whatever the heights: nothing jumps to and fro under the pointer", () => {
    const heights = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(heights, fc.nat(7), fc.integer({ min: -400, max: 2000 }), (all, at, top) => {
        const dragged = at % all.length;
        const place = dropPlace(stack(all), dragged, top);
        const moved = all.toSpliced(dragged, 1).toSpliced(place, 0, all[dragged] ?? 0);
        expect(dropPlace(stack(moved), place, top)).toBe(place);
      }),
    );
  });
});
