import { expect, it } from "vitest";
import { nextTurnOf, TURN_MS, TurnQueue } from "./shared-turns.ts";

const busy = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

it("lets label holders alternate, whoever came first (D5-queue)", async () => {
  const order: string[] = [];
  const work = async (labelHolder: string): Promise<void> => {
    await nextTurnOf({ labelHolder, principal: null });
    order.push(labelHolder);
  };
  await Promise.all([...Array.from({ length: 50 }, () => work("flood")), work("one"), work("other")]);
  expect(order.slice(0, 3).toSorted()).toEqual(["flood", "one", "other"]);
  expect(order).toHaveLength(52);
});

it("runs no more in one turn than fits into it (D5-queue)", async () => {
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  const watch = (): void => {
    inTurn = 0;
    if (!isOver) setImmediate(watch);
  };
  watch();
  const work = async (): Promise<void> => {
    await nextTurnOf({ labelHolder: "flood", principal: null });
    inTurn += 1;
    most = Math.max(most, inTurn);
    busy(TURN_MS / 2);
  };
  await Promise.all(Array.from({ length: 100 }, work));
  isOver = true;
  // Three at most begin within a turn, and two turns may meet between two looks.
  expect(most).toBeLessThanOrEqual(6);
});

it("has room for so much of one label holder, and for another's", async () => {
  const queue = new TurnQueue({ maxWaiting: 2, turnsBetween: 3 });
  const flood = { labelHolder: "flood", principal: null };
  const first = [queue.next(flood), queue.next(flood)];
  expect(queue.next(flood)).toBeNull();
  expect(queue.next({ labelHolder: "one", principal: null })).not.toBeNull();
  await Promise.all(first);
  expect(queue.next(flood)).not.toBeNull();
});

it("lets principals alternate, however many sessions each has (D5-queue)", async () => {
  const queue = new TurnQueue({ maxWaiting: 2 });
  const order: string[] = [];
  const work = async (labelHolder: string, principal: string): Promise<void> => {
    await queue.next({ labelHolder, principal });
    order.push(labelHolder);
  };
  const many = Array.from({ length: 40 }, (_, at) => work(`session ${at % 20}`, "ada"));
  await Promise.all([...many, work("another", "bob")]);
  expect(order.slice(0, 4)).toEqual(["session 0", "another", "session 1", "session 2"]);
  expect(order).toHaveLength(41);
});

it("leaves turns to others between two pieces, and waits for no more of them when they are long", async () => {
  const queue = new TurnQueue({ turnsBetween: 8 });
  const owner = { labelHolder: "one", principal: null };
  const turnsUntil = async (turnMs: number): Promise<number> => {
    let turns = 0;
    let isOver = false;
    const look = (): void => {
      turns += 1;
      busy(turnMs);
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await queue.next(owner);
    isOver = true;
    return turns;
  };
  // A machine that stands still for a moment makes a turn long.
  const short = [await turnsUntil(0), await turnsUntil(0), await turnsUntil(0)];
  expect(Math.max(...short)).toBeGreaterThanOrEqual(7);
  expect(await turnsUntil(40)).toBeLessThanOrEqual(3);
});
