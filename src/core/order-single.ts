/**
 * Orders where each sink has one clearance: the topological orders of "the sink comes first". Not call by call,
 * which would be quadratic, but with one counter per clearance.
 */
import { createEarliestQueue } from "./earliest-queue.ts";
import { Meter } from "./meter.ts";
import { bump, forViolated, type OrderProblem, violates } from "./order-problem.ts";

/** The safe order that takes the earliest ready call at each step; null where no order is safe. */
export function orderSingle(problem: OrderProblem, meter = new Meter()): readonly number[] | null {
  const clearanceOf = (index: number): number => problem.calls[index]?.sink?.[0] ?? -1;
  if (problem.calls.some((_, index) => problem.dead[clearanceOf(index)])) return null;
  // Each call waits for each clearance at most, and is released from it once.
  meter.charge(problem.calls.length * problem.dead.length);
  const sinks = countSinks(problem, clearanceOf);
  const waits = findWaits(problem, clearanceOf, sinks.left);
  const ready = createEarliestQueue();
  const release = (index: number): void => {
    bump(waits.count, index, -1);
    if (waits.count[index] === 0) ready.push(index);
  };
  const placeSink = (index: number, clearance: number): void => {
    const { left, last } = sinks.place(index, clearance);
    // INVARIANT: a call sets no edge to itself, so the last sink left waits for nobody there.
    if (left === 1 && violates(problem, last, clearance)) release(last);
    const waiters = left === 0 ? (waits.waiters[clearance] ?? []) : [];
    for (const waiter of waiters) if (clearanceOf(waiter) !== clearance) release(waiter);
  };
  for (const index of problem.calls.keys()) if (waits.count[index] === 0) ready.push(index);
  const order: number[] = [];
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    order.push(index);
    for (const follower of waits.followers[index] ?? []) release(follower);
    const clearance = clearanceOf(index);
    if (clearance >= 0) placeSink(index, clearance);
  }
  return order.length === problem.calls.length ? order : null;
}

interface Sinks {
  /** Sinks not yet placed, by clearance. */
  readonly left: readonly number[];
  /** Places one; answers how many are left, and which one where one is. */
  place(index: number, clearance: number): { readonly left: number; readonly last: number };
}

function countSinks(problem: OrderProblem, clearanceOf: (index: number) => number): Sinks {
  const left = problem.dead.map(() => 0);
  /** The exclusive or of the unplaced sinks' indices: the index of the last one when one is left. */
  const folded = problem.dead.map(() => 0);
  const change = (index: number, clearance: number, by: number): void => {
    bump(left, clearance, by);
    folded[clearance] = (folded[clearance] ?? 0) ^ index;
  };
  for (const index of problem.calls.keys()) {
    const clearance = clearanceOf(index);
    if (clearance >= 0) change(index, clearance, 1);
  }
  return {
    left,
    place: (index, clearance) => {
      change(index, clearance, -1);
      return { left: left[clearance] ?? 0, last: folded[clearance] ?? 0 };
    },
  };
}

interface Waits {
  /** By call: how many edges and clearances it still waits for. */
  readonly count: number[];
  /** By call: the calls that wait for it by an `after` edge, once per edge. */
  readonly followers: readonly (readonly number[])[];
  /** By clearance: the calls that wait until its sinks are placed. */
  readonly waiters: readonly (readonly number[])[];
}

function findWaits(
  problem: OrderProblem,
  clearanceOf: (index: number) => number,
  sinks: readonly number[],
): Waits {
  const count = problem.calls.map((call) => call.after.length);
  const followers = problem.calls.map((): number[] => []);
  const waiters = problem.dead.map((): number[] => []);
  for (const [index, call] of problem.calls.entries()) {
    for (const before of call.after) followers[before]?.push(index);
    forViolated(problem, index, (clearance) => {
      const others = (sinks[clearance] ?? 0) - (clearanceOf(index) === clearance ? 1 : 0);
      if (others === 0) return;
      bump(count, index, 1);
      waiters[clearance]?.push(index);
    });
  }
  return { count, followers, waiters };
}
