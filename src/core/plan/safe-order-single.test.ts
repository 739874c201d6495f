import { describe, expect, it } from "vitest";
import type { OrderCall, OrderProblem } from "./safe-order.ts";
import { safeOrder } from "./safe-order.ts";

/** Sources: 0 may not flow to clearance 0; 1 may flow to neither. Clearances: 0 is low, 1 is high. */
const VIOLATES = [
  [true, false],
  [true, true],
];

const call = (parts: Partial<OrderCall> = {}): OrderCall => ({
  source: null,
  sink: null,
  after: [],
  ...parts,
});
const read = call({ source: 0 });
const readSecret = call({ source: 1 });
const post = call({ sink: [0] });
const postHigh = call({ sink: [1] });
const note = call();

const problem = (calls: readonly OrderCall[], dead = [false, false]): OrderProblem => ({
  calls,
  violates: VIOLATES,
  dead,
});

const order = (...calls: readonly OrderCall[]) => safeOrder(problem(calls));

describe("an order where each sink has one clearance", () => {
  it.each<[string, readonly OrderCall[], readonly number[] | null]>([
    ["no calls are in order", [], []],
    ["what is safe stays as it is", [post, note, read, postHigh], [0, 1, 2, 3]],
    ["a sink goes before its source", [read, post], [1, 0]],
    ["nothing moves that needn't", [note, read, note, post, note], [0, 2, 3, 1, 4]],
    ["all sinks go before their source", [read, post, note, post], [1, 2, 3, 0]],
    ["a source waits for the sinks that it shuts, not for others", [read, postHigh, post], [1, 2, 0]],
    ["a higher source waits for both", [readSecret, postHigh, post, read], [1, 2, 0, 3]],
    [
      "a source that shuts its own sink goes last of its kind",
      [call({ source: 0, sink: [0] }), post],
      [1, 0],
    ],
    ["a source that shuts its own sink is fine alone", [call({ source: 0, sink: [0] }), read], [0, 1]],
    [
      "two that shut each other's sink have none",
      [call({ source: 0, sink: [0] }), call({ source: 0, sink: [0] })],
      null,
    ],
    [
      "a source may come back to its own sink",
      [call({ source: 0, sink: [1] }), call({ source: 0, sink: [1] })],
      [0, 1],
    ],
    [
      "a ring of three has none",
      [call({ source: 1, sink: [0] }), call({ source: 0, sink: [1] }), read],
      null,
    ],
  ])("is found or not: %s (C5, law-6)", (_, calls, expected) => {
    expect(order(...calls)).toEqual(expected);
  });

  it.each<[string, readonly OrderCall[], readonly number[] | null]>([
    ["an edge is kept where nothing else matters", [call({ after: [1] }), note], [1, 0]],
    [
      "a source that something waits for drags the sink before it",
      [call({ after: [1] }), read, post],
      [2, 1, 0],
    ],
    ["a sink that waits for its source can't be placed", [read, call({ sink: [0], after: [0] })], null],
    ["a call that waits for itself can't be placed", [call({ after: [0] })], null],
    ["an edge that stands twice is one", [call({ after: [1, 1] }), note], [1, 0]],
    ["a chain is followed from its end", [call({ after: [1] }), call({ after: [2] }), note], [2, 1, 0]],
    [
      "a source and its own sink, waiting for a third",
      [call({ source: 0, sink: [0], after: [1] }), read, post],
      null,
    ],
    ["a call waits for several", [call({ after: [1, 2] }), note, note], [1, 2, 0]],
  ])("respects what must come first: %s (C5, law-6)", (_, calls, expected) => {
    expect(order(...calls)).toEqual(expected);
  });

  it.each<[string, readonly OrderCall[], readonly number[] | null]>([
    ["there is none with a sink that is shut already", [note, post], null],
    ["one with other sinks is found", [readSecret, postHigh], [1, 0]],
    ["what shuts it once more changes nothing", [read, postHigh], [0, 1]],
  ])("starts from what the session holds: %s (C5)", (_, calls, expected) => {
    expect(safeOrder(problem(calls, [true, false]))).toEqual(expected);
  });

  it("takes the earliest that is ready at each step, in a long plan too (C5)", () => {
    const calls = Array.from({ length: 500 }, (_, index) =>
      index % 5 === 0 ? read : index % 5 === 3 ? post : note,
    );
    const reads = calls.flatMap((one, index) => (one === read ? [index] : []));
    const lastPost = calls.lastIndexOf(post);
    const others = calls.flatMap((one, index) => (one === read ? [] : [index]));
    const before = others.filter((index) => index <= lastPost);
    const rest = [...reads, ...others.filter((index) => index > lastPost)].sort(
      (left, right) => left - right,
    );
    expect(safeOrder(problem(calls))).toEqual([...before, ...rest]);
  });

  it("turns a long chain around", () => {
    const calls = Array.from({ length: 300 }, (_, index) => call({ after: index < 299 ? [index + 1] : [] }));
    expect(safeOrder(problem(calls))).toEqual(calls.map((_, index) => 299 - index));
  });
});
