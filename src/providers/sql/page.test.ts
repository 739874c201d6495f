import { describe, expect, it } from "vitest";
import { MAX_CELL_LENGTH, toCell, toPage } from "./page.ts";

const cell = (value: unknown) => toCell(value).cell;

describe("a cell", () => {
  it("is JSON whatever the driver gave (X11-sqlite)", () => {
    expect([1, 1n, 1.5, "a", null, true].map(cell)).toEqual([1, 1, 1.5, "a", null, true]);
    expect([2n ** 53n, -(2n ** 60n)].map(cell)).toEqual(["9007199254740992", "-1152921504606846976"]);
    expect([Number.NaN, -Infinity, { a: [1] }].map(cell)).toEqual(["NaN", "-Infinity", '{"a":[1]}']);
    expect(cell(new Date(0))).toBe("1970-01-01T00:00:00.000Z");
    expect(cell(new Uint8Array([1, 255]))).toEqual({ bytes: 2, preview_hex: "01ff" });
  });

  it("is cut where it is long, at a character's end (X11-sqlite)", () => {
    expect(toCell("x".repeat(MAX_CELL_LENGTH)).cutFrom).toBeNull();
    const made = toCell("é".repeat(MAX_CELL_LENGTH));
    expect(made.cutFrom).toBe(2 * MAX_CELL_LENGTH);
    expect(made.cell).toBe("é".repeat(MAX_CELL_LENGTH / 2));
    expect(cell(new Uint8Array(100_000))).toEqual({ bytes: 100_000, preview_hex: "00".repeat(64) });
  });
});

describe("a page", () => {
  const rows = Array.from({ length: 5 }, (_, index) => [index, "x".repeat(100)]);
  const page = (offset: number, limit: number, bytes = 10_000) => {
    const { rows: found, more } = toPage(["n", "x"], rows, { offset, limit, bytes });
    return [found.map(([n]) => n), more];
  };

  it("has the rows that were asked for, and says whether there are more (X11-sqlite)", () => {
    expect(page(0, 2)).toEqual([[0, 1], true]);
    expect(page(3, 2)).toEqual([[3, 4], false]);
    expect(page(5, 2)).toEqual([[], false]);
  });

  it("ends where its values or its bytes would be too many for any result, whatever the limits say (X11-sqlite)", () => {
    const all = { offset: 0, limit: 100_000, bytes: 64 * 1024 * 1024 };
    const seven = Array.from({ length: 12_000 }, (_, index) => [index, 1, 2, 3, 4, 5, 6]);
    const many = toPage(["a", "b", "c", "d", "e", "f", "g"], seven, all);
    expect([many.rows.length, many.more]).toEqual([11_250, true]);
    expect(toPage(["a"], Array(50_000).fill([1]), all).rows.length).toBe(45_000);
    const large = toPage(["a"], Array(1000).fill(["x".repeat(8000)]), all);
    expect([large.rows.length, large.more]).toEqual([392, true]);
  });

  it("ends where its bytes do, and has at least one row (X11-sqlite)", () => {
    expect(page(0, 5, 250)).toEqual([[0, 1], true]);
    expect(page(4, 5, 1)).toEqual([[4], false]);
    expect(page(0, 5, 1)).toEqual([[0], true]);
  });

  it("is no longer for a row with many long cells, or for long names (X11-sqlite)", () => {
    const wide = Array.from({ length: 500 }, () => "\u0001".repeat(MAX_CELL_LENGTH));
    const names = wide.map((_, index) => `c${index}`);
    const made = toPage(names, [wide, wide], { offset: 0, limit: 9, bytes: 100_000 });
    expect(made.rows.length).toBe(1);
    expect(made.cut.length).toBe(500);
    expect(JSON.stringify(made.rows).length).toBeLessThan(1_000_000);
    const long = names.map((name) => name.repeat(100));
    expect(() => toPage(long, [wide], { offset: 0, limit: 9, bytes: 100_000 })).toThrow("can't be given");
  });

  it("says which cells it cut (X11-sqlite)", () => {
    const long = "x".repeat(MAX_CELL_LENGTH + 1);
    const { cut } = toPage(
      ["n", "x"],
      [
        [1, "a"],
        [2, long],
      ],
      { offset: 0, limit: 9, bytes: 100_000 },
    );
    expect(cut).toEqual([{ row: 1, column: "x", bytes: MAX_CELL_LENGTH + 1 }]);
  });
});
