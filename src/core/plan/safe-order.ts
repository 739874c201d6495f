/**
 * Safe orders of calls: plain combinatorics over sources, clearances and `after` edges. Knows no tools and no
 * sessions.
 *
 * Labels come as classes: `violates[source][clearance]` says whether a source may not flow to a clearance. A
 * join flows to a clearance exactly when each of its parts does, so "the label of everything before" is the set
 * of clearances that something before violates. A safe order exists exactly when the calls can be placed from the
 * end, each one tolerating all that are left before it.
 */
import { Meter } from "./meter.ts";

export interface OrderCall {
  /** The class of its source; null brings nothing in. */
  readonly source: number | null;
  /** The classes of its clearances, any one of which is enough; null runs at any label. */
  readonly sink: readonly number[] | null;
  /** Indices of the calls that must come before it. */
  readonly after: readonly number[];
}

export interface OrderProblem {
  readonly calls: readonly OrderCall[];
  /** Rows by source class: which clearance classes it may not flow to. */
  readonly violates: readonly (readonly boolean[])[];
  /** By clearance class: whether the starting label may not flow to it. */
  readonly dead: readonly boolean[];
}

const NONE: readonly never[] = Object.freeze([]);
const ANY: OrderCall = Object.freeze({ source: null, sink: null, after: NONE });

/**
 * The safe order that takes, at each step, the earliest call after which the rest still has a safe order; as
 * indices. Null if no order is safe. Takes quadratic time in common plans; `meter` throws if the search takes
 * longer than it may.
 */
export function safeOrder(problem: OrderProblem, meter = new Meter()): readonly number[] | null {
  if (findStuck(problem, problem.calls.keys(), problem.dead, meter).size > 0) return null;
  const search = new OrderSearch(problem, meter);
  while (search.left.size > 0) {
    const next = search.findNext();
    if (next === undefined) return null;
    search.place(next);
  }
  return search.order;
}

/**
 * One minimal set of calls without which the rest has a safe order, as indices in order. `after` edges to a call
 * that is left out fall away with it. The least such set is hard to find (feedback vertex set); this one can't
 * be made smaller by taking any call back.
 */
export function blockingCalls(problem: OrderProblem, meter = new Meter()): readonly number[] {
  const stuckAmong = (calls: Iterable<number>) => findStuck(problem, calls, problem.dead, meter);
  // INVARIANT: what isn't stuck can always be placed after the rest, so only stuck calls need to be tried.
  const tried = [...stuckAmong(problem.calls.keys())].sort((left, right) => left - right);
  const kept: number[] = [];
  const dropped: number[] = [];
  // Try several calls at once, twice as many after each success: if all of them can be kept, so can each.
  for (let at = 0, count = 1; at < tried.length; ) {
    const more = tried.slice(at, at + count);
    if (stuckAmong([...kept, ...more]).size === 0) {
      kept.push(...more);
      at += more.length;
      count *= 2;
    } else if (count > 1) {
      count = Math.floor(count / 2);
    } else {
      dropped.push(...more);
      at += 1;
    }
  }
  return dropped;
}

/** Builds an order from its beginning. */
class OrderSearch {
  readonly order: number[] = [];
  readonly left: Set<number>;
  readonly #problem: OrderProblem;
  readonly #meter: Meter;
  #dead: readonly boolean[];
  /** By source class: calls that would be stuck if a call of the class, none of them, went now. */
  readonly #stuckAfter: (ReadonlySet<number> | undefined)[];

  constructor(problem: OrderProblem, meter: Meter) {
    this.#problem = problem;
    this.#meter = meter;
    this.#dead = problem.dead;
    this.#stuckAfter = problem.violates.map(() => undefined);
    this.left = new Set(problem.calls.keys());
  }

  /** The earliest call that may go now. */
  findNext(): number | undefined {
    let passed = 0;
    for (const call of this.left) {
      passed += 1;
      const { source, after } = this.#problem.calls[call] ?? ANY;
      const stuck = source === null ? undefined : this.#stuckAfter[source];
      if (stuck !== undefined && !stuck.has(call)) continue;
      if (after.length > 0 && after.some((before) => before < 0 || this.left.has(before))) continue;
      if (source !== null && !this.#leavesSafeOrder(call, source)) continue;
      this.#meter.charge(passed);
      return call;
    }
    return undefined;
  }

  place(call: number): void {
    this.order.push(call);
    this.left.delete(call);
    const { source } = this.#problem.calls[call] ?? ANY;
    if (source !== null) this.#dead = this.#deadAfter(source);
    // INVARIANT: what is stuck stays stuck when others go, or when more is blocked.
    for (const [key, stuck] of this.#stuckAfter.entries())
      if (stuck?.has(call)) this.#stuckAfter[key] = undefined;
  }

  #leavesSafeOrder(call: number, source: number): boolean {
    const dead = this.#deadAfter(source);
    if (dead === this.#dead) return true;
    const stuck =
      this.#findShut(call, dead) ?? findStuck(this.#problem, this.#without(call), dead, this.#meter);
    if (stuck.size > 0) this.#stuckAfter[source] = stuck;
    return stuck.size === 0;
  }

  /** A call that could go nowhere once these clearances are dead: cheaper to find than all that are stuck. */
  #findShut(besides: number, dead: readonly boolean[]): ReadonlySet<number> | null {
    this.#meter.charge(this.left.size);
    for (const call of this.left) {
      const sink = this.#problem.calls[call]?.sink ?? null;
      if (call !== besides && sink?.every((clearance) => dead[clearance])) return new Set([call]);
    }
    return null;
  }

  *#without(call: number): Iterable<number> {
    for (const other of this.left) if (other !== call) yield other;
  }

  /** The clearances that are dead once a call of this source has run; the same list where nothing changes. */
  #deadAfter(source: number): readonly boolean[] {
    const violated = this.#problem.violates[source] ?? NONE;
    this.#meter.charge(violated.length / 8);
    const changes = violated.some((is, clearance) => is && !this.#dead[clearance]);
    return changes ? this.#dead.map((is, clearance) => is || violated[clearance] === true) : this.#dead;
  }
}

/**
 * The calls of a set that can't be placed from its end; none exactly when the set has a safe order. They are the
 * largest part of the set in which each call has another one behind it that needs it first, or that blocks it.
 */
function findStuck(
  { calls, violates }: OrderProblem,
  among: Iterable<number>,
  dead: readonly boolean[],
  meter: Meter,
): ReadonlySet<number> {
  const left = new Set(among);
  /** By call: how many edges lead to it from calls that are left; by clearance: how many of them violate it. */
  const followers = new Int32Array(calls.length);
  const violators = new Int32Array(dead.length);
  const count = (call: number, by: 1 | -1): void => {
    const { source, after } = calls[call] ?? ANY;
    const violated = source === null ? NONE : (violates[source] ?? NONE);
    meter.charge(1 + after.length + violated.length / 8);
    for (const before of after) followers[before] = (followers[before] ?? 0) + by;
    for (let clearance = 0; clearance < violated.length; clearance += 1) {
      if (violated[clearance]) violators[clearance] = (violators[clearance] ?? 0) + by;
    }
  };
  const tolerates = (call: number): boolean => {
    const { source, sink } = calls[call] ?? ANY;
    if (sink === null) return true;
    const own = source === null ? NONE : (violates[source] ?? NONE);
    return sink.some((clearance) => !dead[clearance] && violators[clearance] === (own[clearance] ? 1 : 0));
  };
  for (const call of left) count(call, 1);
  // To and fro, so that a chain in either direction takes one round.
  for (
    let before = -1, round = [...left];
    left.size > 0 && left.size !== before;
    round = [...left].reverse()
  ) {
    before = left.size;
    for (const call of round) {
      meter.charge(1);
      if (!left.has(call) || followers[call] !== 0 || !tolerates(call)) continue;
      left.delete(call);
      count(call, -1);
    }
  }
  return left;
}
