import { describe, expect, it } from "vitest";
import { collectInShares } from "./loop-share.ts";

const spend = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

describe("a long loop", () => {
  it("gives everybody else a turn in between, and keeps the order of what it finds", async () => {
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const items = Array.from({ length: 60 }, (_, at) => at);
    const found = await collectInShares(items, (item) => {
      spend(2);
      return item % 2 === 0 ? item : undefined;
    });
    isOver = true;
    expect(found).toEqual(items.filter((item) => item % 2 === 0));
    expect(turns).toBeGreaterThan(4);
  });
});
