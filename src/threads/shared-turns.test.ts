import { expect, it } from "vitest";
import { nextTurnOf, TurnQueue } from "./shared-turns.ts";

const busy = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

it("lets label holders alternate, whoever came first (D5-queue)", async () => {
  const order: string[] = [];
  const work = async (labelHolder: string): Promise<void> => {
    await nextTurnOf(labelHolder);
    order.push(labelHolder);
  };
  await Promise.all([...Array.from({ length: 50 }, () => work("flood")), work("one"), work("other")]);
  expect(order.slice(0, 3).toSorted()).toEqual(["flood", "one", "other"]);
  expect(order).toHaveLength(52);
});

it("gives each piece of work a turn of its own (D5-queue)", async () => {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const watch = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (!isOver) setImmediate(watch);
  };
  watch();
  const work = async (): Promise<void> => {
    await nextTurnOf("flood");
    busy(5);
  };
  await Promise.all(Array.from({ length: 100 }, work));
  isOver = true;
  expect(longest).toBeLessThan(100);
});

it("has room for so much of one label holder, and for another's", async () => {
  const queue = new TurnQueue({ maxWaiting: 2, turnsBetween: 3 });
  const first = [queue.next("flood"), queue.next("flood")];
  expect(queue.next("flood")).toBeNull();
  expect(queue.next("one")).not.toBeNull();
  await Promise.all(first);
  expect(queue.next("flood")).not.toBeNull();
});
