import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOut } from "./geometry.ts";

const SIZE = { width: 400, height: 160, margin: 80 };

describe("the gauge's geometry", () => {
  it("puts a gate under water exactly where the session's level is above its clearance", () => {
    const levels = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(levels, fc.nat(12), fc.nat(11), (count, level, height) => {
        fc.pre(level <= count && height < count);
        const { surface, gates } = layOut(SIZE, count, level, [{ height }]);
        expect((gates[0]?.y ?? 0) > surface).toBe(level > height);
      }),
    );
  });

  it("keeps marks, water and gates inside the channel, whatever the level", () => {
    const { surface, marks, gates } = layOut(SIZE, 4, 4, [{ height: 0 }, { height: 3 }]);
    for (const y of [surface, ...marks, ...gates.map((gate) => gate.y)]) {
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(SIZE.height);
    }
    for (const { x } of gates) expect(x).toBeGreaterThan(SIZE.margin);
  });

  it("puts the marks lowest first, and the water on the mark of its level", () => {
    const { surface, marks } = layOut(SIZE, 4, 2, []);
    expect(marks).toEqual([...marks].sort((left, right) => right - left));
    expect(surface).toBe(marks[2]);
  });
});
