import { describe, expect, it } from "vitest";
import type { OrderCall, OrderProblem } from "./safe-order.ts";
import { blockingCalls, safeOrder } from "./safe-order.ts";

const VIOLATES = [
  [true, false],
  [false, true],
];

const call = (parts: Partial<OrderCall> = {}): OrderCall => ({
  source: null,
  sink: null,
  after: [],
  ...parts,
});
const problem = (calls: readonly OrderCall[], dead: readonly boolean[] = [false, false]): OrderProblem => ({
  calls,
  violates: VIOLATES,
  dead,
});

/** Plays an order by the rule itself: a sink needs one clearance that nothing before it violates. */
function isSafe({ calls, violates, dead }: OrderProblem, order: readonly number[]): boolean {
  const shut = [...dead];
  const done = new Set<number>();
  for (const at of order) {
    const { source, sink, after } = calls[at] ?? call();
    if (after.some((before) => !done.has(before) && calls[before] !== undefined)) return false;
    if (sink?.every((clearance) => shut[clearance])) return false;
    done.add(at);
    for (const [clearance, violated] of (violates[source ?? -1] ?? []).entries())
      shut[clearance] ||= violated;
  }
  return true;
}

const ORDERS: readonly (readonly number[])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

const KINDS = [null, 0, 1].flatMap((source) =>
  [null, [0], [1], [0, 1]].map((sink): Omit<OrderCall, "after"> => ({ source, sink })),
);

/** For each pair of three calls: no edge, one way, the other way. */
const EDGES = [0, 1, 2].flatMap((a) => [0, 1, 2].flatMap((b) => [0, 1, 2].map((c) => [a, b, c])));

function edgesOf(at: number, [a, b, c]: readonly number[]): number[] {
  const pairs: readonly (readonly [number | undefined, number, number])[] = [
    [a, 0, 1],
    [b, 0, 2],
    [c, 1, 2],
  ];
  return pairs.flatMap(([way, left, right]) =>
    way === 1 && at === right ? [left] : way === 2 && at === left ? [right] : [],
  );
}

/** Every problem of three calls over two sources and two clearances, with every set of edges between pairs. */
function* everyProblem(dead: readonly boolean[]): Generator<OrderProblem> {
  for (const first of KINDS) {
    for (const second of KINDS) {
      for (const third of KINDS) {
        for (const edges of EDGES) {
          const calls = [first, second, third].map((kind, at) => ({ ...kind, after: edgesOf(at, edges) }));
          yield problem(calls, dead);
        }
      }
    }
  }
}

/** The problem of some calls alone, the others left in as calls that do nothing. */
const without = (given: OrderProblem, dropped: readonly number[]): OrderProblem => ({
  ...given,
  calls: given.calls.map((one, at) =>
    dropped.includes(at)
      ? call()
      : { ...one, after: one.after.filter((before) => !dropped.includes(before)) },
  ),
});

const anySafe = (given: OrderProblem): boolean => ORDERS.some((order) => isSafe(given, order));

describe("of all plans of three calls", () => {
  it.each([
    ["a clean session", [false, false]],
    ["a session that has one clearance shut", [true, false]],
  ])("each has the first safe order there is, in %s (C5, law-6)", (_, dead) => {
    const wrong: OrderProblem[] = [];
    for (const given of everyProblem(dead)) {
      const first = ORDERS.find((order) => isSafe(given, order)) ?? null;
      if (safeOrder(given)?.join() !== first?.join()) wrong.push(given);
    }
    expect(wrong).toEqual([]);
  });

  it("each without a safe order has one without the calls in the way, and none with any of them back (C5)", () => {
    const wrong: OrderProblem[] = [];
    for (const given of everyProblem([false, false])) {
      const inTheWay = blockingCalls(given);
      const minimal = inTheWay.every(
        (back) =>
          !anySafe(
            without(
              given,
              inTheWay.filter((other) => other !== back),
            ),
          ),
      );
      if (!minimal || !anySafe(without(given, inTheWay))) wrong.push(given);
    }
    expect(wrong).toEqual([]);
  });
});

it("finds no order for a sink that may receive nothing, though nothing else is in its way (C5)", () => {
  expect(safeOrder(problem([call(), call({ sink: [] })]))).toBeNull();
});

describe("the calls in the way", () => {
  it.each<[string, readonly OrderCall[], readonly boolean[], readonly number[]]>([
    ["none of no plan", [], [false, false], []],
    ["none where an order is safe", [call({ source: 0 }), call({ sink: [0] })], [false, false], []],
    ["a sink that is shut from the start", [call(), call({ sink: [0] })], [true, false], [1]],
    [
      "the later of two that shut each other out",
      [call({ source: 0, sink: [1] }), call({ source: 1, sink: [0] })],
      [false, false],
      [1],
    ],
    ["a call that waits for itself", [call({ after: [0] }), call()], [false, false], [0]],
    [
      "the last of a ring",
      [call({ after: [2] }), call({ after: [0] }), call({ after: [1] })],
      [false, false],
      [2],
    ],
    [
      "every sink that may receive nothing",
      [call({ sink: [] }), call(), call({ sink: [] })],
      [false, false],
      [0, 2],
    ],
    ["the sink, not what waits for it", [call({ sink: [0] }), call({ after: [0] })], [true, false], [0]],
  ])("are %s (C5)", (_, calls, dead, expected) => {
    expect(blockingCalls(problem(calls, dead))).toEqual(expected);
  });
});
