/** Placing calls from the end: which calls of a set can't be, and how that changes while calls leave the set. */
import type { Meter } from "./meter.ts";
import { bump, type OrderCall, type OrderProblem, violates } from "./order-problem.ts";

/** A problem with what is asked of it again and again looked up once. */
export interface IndexedProblem extends OrderProblem {
  /** By source class: the clearance classes that it may not flow to. */
  readonly violated: readonly (readonly number[])[];
  /** By clearance class: the calls that have it among theirs. */
  readonly holders: readonly (readonly number[])[];
  /** Counts what the search costs. */
  readonly meter: Meter;
}

export function indexProblem(problem: OrderProblem, meter: Meter): IndexedProblem {
  const holders = problem.dead.map((): number[] => []);
  for (const [call, { sink }] of problem.calls.entries()) {
    for (const clearance of sink ?? NONE) holders[clearance]?.push(call);
  }
  const violated = problem.violates.map((row) => row.flatMap((is, clearance) => (is ? clearance : NONE)));
  return { ...problem, violated, holders, meter };
}

const NONE: readonly never[] = Object.freeze([]);

export const NOTHING: OrderCall = Object.freeze({ source: null, sink: null, after: NONE });

/**
 * The calls of a set that can't be placed from its end; none exactly when the set has a safe order. They are the
 * largest part of the set in which each call has another one behind it that needs it first, or that shuts it.
 *
 * Calls of one source violate the same clearances, so they are counted as one until the last of them is placed.
 */
export class StuckCalls {
  readonly #problem: IndexedProblem;
  readonly #dead: readonly boolean[];
  readonly #left: Set<number>;
  /** By call: how many edges lead to it from calls that are left. */
  readonly #open: Int32Array;
  /** By source: how many of its calls are left; and the exclusive or of these, which is the last one when one is left. */
  readonly #ofSource: Int32Array;
  readonly #folded: Int32Array;
  /** By clearance: how many sources that are left violate it. */
  readonly #violators: Int32Array;

  constructor(problem: IndexedProblem, among: Iterable<number>, dead: readonly boolean[]) {
    this.#problem = problem;
    this.#dead = dead;
    this.#left = new Set(among);
    this.#open = new Int32Array(problem.calls.length);
    this.#ofSource = new Int32Array(problem.violated.length);
    this.#folded = new Int32Array(problem.violated.length);
    this.#violators = new Int32Array(dead.length);
    problem.meter.charge(this.#left.size + problem.calls.length / 8);
    for (const call of this.#left) this.#count(call, 1);
    for (const [source, violated] of problem.violated.entries()) {
      if (this.#ofSource[source] === 0) continue;
      problem.meter.charge(violated.length);
      for (const clearance of violated) bump(this.#violators, clearance, 1);
    }
    this.#place([...this.#left]);
  }

  get size(): number {
    return this.#left.size;
  }

  [Symbol.iterator](): IterableIterator<number> {
    return this.#left.values();
  }

  /**
   * Takes a call out of the set. What is left is exact: the largest such part of a smaller set lies within that
   * of the larger one.
   */
  leave(call: number): void {
    if (!this.#left.delete(call)) return;
    const freed: number[] = [];
    this.#drop(call, freed);
    this.#place(freed);
  }

  /** Counts its edges, and itself among the calls of its source. */
  #count(call: number, by: number): void {
    const { source, after } = this.#problem.calls[call] ?? NOTHING;
    this.#problem.meter.charge(1 + after.length);
    for (const before of after) bump(this.#open, before, by);
    if (source === null) return;
    bump(this.#ofSource, source, by);
    this.#folded[source] = (this.#folded[source] ?? 0) ^ call;
  }

  /** Places all that can be, beginning with these. */
  #place(work: number[]): void {
    for (let call = work.pop(); call !== undefined; call = work.pop()) {
      if (!this.#left.has(call) || (this.#open[call] ?? 0) > 0 || !this.#tolerates(call)) continue;
      this.#left.delete(call);
      this.#drop(call, work);
    }
  }

  /** Undoes what a call that is no longer left stood in the way of; adds the calls that this may free. */
  #drop(call: number, freed: number[]): void {
    this.#count(call, -1);
    const { source, after } = this.#problem.calls[call] ?? NOTHING;
    for (const before of after) freed.push(before);
    if (source === null) return;
    const left = this.#ofSource[source] ?? 0;
    // What only the last call of a source violates may be free for that call: nobody waits for oneself.
    if (left === 1) freed.push(this.#folded[source] ?? 0);
    if (left > 0) return;
    const violated = this.#problem.violated[source] ?? NONE;
    this.#problem.meter.charge(violated.length);
    for (const clearance of violated) {
      bump(this.#violators, clearance, -1);
      if ((this.#violators[clearance] ?? 0) > 1) continue;
      for (const holder of this.#problem.holders[clearance] ?? NONE) freed.push(holder);
    }
  }

  /** Whether a call could run after all the others that are left. */
  #tolerates(call: number): boolean {
    const { source, sink } = this.#problem.calls[call] ?? NOTHING;
    this.#problem.meter.charge(1);
    if (sink === null) return true;
    const isLast = source !== null && this.#ofSource[source] === 1;
    for (const clearance of sink) {
      const own = isLast && violates(this.#problem, call, clearance) ? 1 : 0;
      if (this.#dead[clearance] === false && this.#violators[clearance] === own) return true;
    }
    this.#problem.meter.charge(sink.length);
    return false;
  }
}
