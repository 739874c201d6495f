import { describe, expect, it } from "vitest";
import { followRows, holdOrder, type Ordered } from "./use-rows.ts";

/** Sessions by name, each with the second in which something last happened in it. */
const rowsOf = (...given: readonly (readonly [id: string, second: number])[]): Ordered[] =>
  given.map(([session_id, second]) => ({ session_id, last_at: `2026-11-22T08:00:0${second}.000Z` }));
const idsOf = ({ rows }: { readonly rows: readonly Ordered[] }): string =>
  rows.map(({ session_id }) => session_id).join("");

describe("followRows", () => {
  const held = holdOrder(rowsOf(["a", 3], ["b", 2], ["c", 1]));

  it("keeps the order, shows what stands in the rows now, and counts those that would stand elsewhere", () => {
    const next = followRows(held, rowsOf(["c", 5], ["a", 3], ["b", 2]));
    expect(idsOf(next)).toBe("abc");
    expect(next.rows[2]?.last_at).toContain("00:05");
    expect(next.changed).toBe(1);
  });

  it("lets a new session wait, and counts it", () => {
    const next = followRows(held, rowsOf(["n", 6], ["a", 3], ["b", 2], ["c", 1]));
    expect(idsOf(next)).toBe("abc");
    expect(next.changed).toBe(1);
  });

  it("keeps a row that others have pushed out of what is loaded", () => {
    const next = followRows(held, rowsOf(["n", 6], ["a", 3], ["b", 2]));
    expect(idsOf(next)).toBe("abc");
    expect(next.changed).toBe(1);
  });

  it("adds the next page at the end, which is no change", () => {
    const next = followRows(held, rowsOf(["a", 3], ["b", 2], ["c", 1], ["d", 0], ["e", 0]));
    expect(idsOf(next)).toBe("abcde");
    expect(next.changed).toBe(0);
  });

  it("goes on from what it has added", () => {
    const longer = followRows(held, rowsOf(["a", 3], ["b", 2], ["c", 1], ["d", 0]));
    const next = followRows(longer, rowsOf(["d", 9], ["a", 3], ["b", 2], ["c", 1]));
    expect(idsOf(next)).toBe("abcd");
    expect(next.changed).toBe(1);
  });

  it("is the same object where nothing differs, so that nothing is drawn again", () => {
    expect(followRows(held, held.rows)).toBe(held);
    const changed = followRows(held, rowsOf(["n", 6], ["a", 3], ["b", 2]));
    expect(followRows(changed, [...rowsOf(["n", 6]), ...changed.rows.slice(0, 2)])).toBe(changed);
  });

  it("takes the live order where nothing was held yet", () => {
    expect(idsOf(followRows(holdOrder([]), rowsOf(["b", 2], ["a", 1])))).toBe("ba");
  });
});
