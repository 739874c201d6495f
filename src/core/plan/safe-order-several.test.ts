import { describe, expect, it } from "vitest";
import type { OrderCall, OrderProblem } from "./safe-order.ts";
import { safeOrder } from "./safe-order.ts";

/**
 * Sources: 0 is internal, 1 is untrusted. Clearances: 0 takes untrusted but nothing internal, 1 takes internal
 * but nothing untrusted, 2 takes both.
 */
const VIOLATES = [
  [true, false, false],
  [false, true, false],
];

const call = (parts: Partial<OrderCall> = {}): OrderCall => ({
  source: null,
  sink: null,
  after: [],
  ...parts,
});
const internal = call({ source: 0 });
const untrusted = call({ source: 1 });
const either = call({ sink: [0, 1] });
const note = call();

const problem = (calls: readonly OrderCall[], dead = [false, false, false]): OrderProblem => ({
  calls,
  violates: VIOLATES,
  dead,
});

describe("an order where a sink has several clearances", () => {
  it.each<[string, readonly OrderCall[], readonly number[] | null]>([
    ["no calls are in order", [], []],
    ["what is safe stays as it is", [internal, either, untrusted], [0, 1, 2]],
    ["one kind of source may go first, not both", [untrusted, internal, either], [0, 2, 1]],
    [
      "the second source waits for every such sink",
      [internal, untrusted, either, note, either],
      [0, 2, 3, 4, 1],
    ],
    [
      "the source that leaves the rest an order is taken",
      [internal, untrusted, either, call({ sink: [0] })],
      [1, 2, 3, 0],
    ],
    [
      "a third clearance that takes both needs no order",
      [internal, untrusted, call({ sink: [0, 2] })],
      [0, 1, 2],
    ],
    ["a sink that may receive nothing has none", [call({ sink: [] })], null],
    [
      "two sinks that need different sources shut have none after both",
      [internal, untrusted, call({ sink: [0, 1], after: [0, 1] })],
      null,
    ],
    [
      "a source with a sink that it leaves open",
      [call({ source: 0, sink: [0, 1] }), either, untrusted],
      [0, 1, 2],
    ],
    [
      "two that are source and sink",
      [call({ source: 0, sink: [0, 1] }), call({ source: 1, sink: [0, 1] })],
      [0, 1],
    ],
    [
      "three that are source and sink, where the last shuts the rest out",
      [call({ source: 0, sink: [0, 1] }), call({ source: 1, sink: [0, 1] }), either],
      [0, 2, 1],
    ],
  ])("is found or not: %s (C5, X2-lattice, law-6)", (_, calls, expected) => {
    expect(safeOrder(problem(calls))).toEqual(expected);
  });

  it.each<[string, readonly OrderCall[], readonly number[] | null]>([
    ["a sink after both kinds has none", [internal, untrusted, call({ sink: [0, 1], after: [0, 1] })], null],
    [
      "a sink after one kind drags itself before the other",
      [untrusted, internal, call({ sink: [0, 1], after: [1] })],
      [1, 2, 0],
    ],
    ["a call that waits for itself has none", [call({ after: [0] }), either], null],
    ["an edge that stands twice is one", [call({ sink: [0, 1], after: [1, 1] }), untrusted], [1, 0]],
    ["a waiting call lets others pass", [call({ after: [3] }), either, note, internal], [1, 2, 3, 0]],
  ])("respects what must come first: %s (C5, law-6)", (_, calls, expected) => {
    expect(safeOrder(problem(calls))).toEqual(expected);
  });

  it.each<[string, readonly boolean[], readonly OrderCall[], readonly number[] | null]>([
    ["a source that shuts nothing more goes at once", [true, false, false], [internal, either], [0, 1]],
    ["a source that shuts the other clearance waits", [true, false, false], [untrusted, either], [1, 0]],
    ["a sink with both shut has none", [true, true, false], [either], null],
    ["a sink with one shut and one open is fine", [false, true, false], [either, untrusted], [0, 1]],
  ])("starts from what the session holds: %s (C5)", (_, dead, calls, expected) => {
    expect(safeOrder(problem(calls, [...dead]))).toEqual(expected);
  });

  it("tries a source again as soon as what it would leave stuck has run (C5)", () => {
    const calls = [untrusted, untrusted, internal, either, untrusted, either, internal];
    expect(safeOrder(problem(calls))).toEqual([0, 1, 3, 4, 5, 2, 6]);
  });

  it("leaves the problem as it was", () => {
    const given = problem([internal, untrusted, either]);
    const copy = structuredClone(given);
    safeOrder(given);
    expect(given).toEqual(copy);
  });
});
