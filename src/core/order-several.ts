/**
 * Orders where a sink may have several clearances: forward, at each step the earliest call that leaves the rest a
 * safe order. Calls with one source class shut the same, so what they would leave stuck is worked out once per
 * class and kept up to date.
 */
import { createEarliestQueue, type EarliestQueue } from "./earliest-queue.ts";
import { Meter } from "./meter.ts";
import { bump, type OrderProblem } from "./order-problem.ts";
import { type IndexedProblem, indexProblem, NOTHING, StuckCalls } from "./placing.ts";

/** The safe order that takes at each step the earliest call it can; null where no order is safe. */
export function orderSeveral(problem: OrderProblem, meter = new Meter()): readonly number[] | null {
  const indexed = indexProblem(problem, meter);
  if (new StuckCalls(indexed, problem.calls.keys(), problem.dead).size > 0) return null;
  const placed = new Placed(indexed);
  const groups = new Map<number | null, SourceGroup>();
  const makeReady = (call: number): void => {
    const { source } = problem.calls[call] ?? NOTHING;
    const group = groups.get(source) ?? new SourceGroup(indexed, source, placed);
    groups.set(source, group);
    group.ready.push(call);
  };
  const waits = problem.calls.map(({ after }) => after.length);
  const followers = followersOf(problem);
  for (const call of problem.calls.keys()) if (waits[call] === 0) makeReady(call);
  const order: number[] = [];
  while (placed.left.size > 0) {
    meter.charge(groups.size);
    const next = earliestOf(groups.values());
    // INVARIANT: the rest has a safe order, and its first call can go.
    if (next === undefined) return null;
    order.push(next);
    const shutMore = placed.add(next);
    for (const group of groups.values()) group.leave(next, shutMore);
    for (const follower of followers[next] ?? []) {
      bump(waits, follower, -1);
      if (waits[follower] === 0) makeReady(follower);
    }
  }
  return order;
}

function earliestOf(groups: Iterable<SourceGroup>): number | undefined {
  let earliest: number | undefined;
  for (const group of groups) {
    const call = group.earliest();
    if (call !== undefined && (earliest === undefined || call < earliest)) earliest = call;
  }
  return earliest;
}

/** By call: the calls that wait for it, once per edge. */
function followersOf({ calls }: OrderProblem): readonly (readonly number[])[] {
  const followers = calls.map((): number[] => []);
  for (const [call, { after }] of calls.entries()) {
    for (const before of after) followers[before]?.push(call);
  }
  return followers;
}

/** How far the order has come: which calls are left, and which clearances are shut. */
class Placed {
  readonly left: Set<number>;
  dead: readonly boolean[];
  readonly #problem: IndexedProblem;

  constructor(problem: IndexedProblem) {
    this.#problem = problem;
    this.left = new Set(problem.calls.keys());
    this.dead = problem.dead;
  }

  /** Whether calls of this source would shut a clearance that is open. */
  shutsMore(source: number): boolean {
    return this.#problem.violated[source]?.some((clearance) => this.dead[clearance] === false) ?? false;
  }

  /** The clearances that are shut once a call of this source has run. */
  deadAfter(source: number): readonly boolean[] {
    return this.dead.map((is, clearance) => is || this.#problem.violates[source]?.[clearance] === true);
  }

  /** Places a call; answers whether that shut a clearance. */
  add(call: number): boolean {
    this.left.delete(call);
    const { source } = this.#problem.calls[call] ?? NOTHING;
    if (source === null || !this.shutsMore(source)) return false;
    this.dead = this.deadAfter(source);
    return true;
  }
}

/** The calls with one source class that wait for nobody, and whether one of them may go now. */
class SourceGroup {
  readonly ready: EarliestQueue = createEarliestQueue();
  readonly #problem: IndexedProblem;
  readonly #source: number | null;
  readonly #placed: Placed;
  /** What would be stuck if a call of this class went now; at least that, where more was shut since. */
  #stuck: StuckCalls | null = null;
  #exact = false;
  #shutsMore: boolean;

  constructor(problem: IndexedProblem, source: number | null, placed: Placed) {
    this.#problem = problem;
    this.#source = source;
    this.#placed = placed;
    this.#shutsMore = source !== null && placed.shutsMore(source);
  }

  /** The earliest of its calls that leaves the rest a safe order. */
  earliest(): number | undefined {
    let first = this.ready.peek();
    while (first !== undefined && !this.#placed.left.has(first)) {
      this.ready.pop();
      first = this.ready.peek();
    }
    if (first === undefined || this.#source === null || !this.#shutsMore) return first;
    const stuck = this.#stuckAfter(this.#source);
    if (stuck.size === 0) return first;
    // INVARIANT: a call of this class that is ready frees none of the others by going: it waits for none of them,
    // and what it shuts is shut by then. So it may go exactly where nothing but itself is stuck.
    const [only] = stuck;
    return stuck.size === 1 && only !== undefined && this.#isReady(only) ? only : undefined;
  }

  /** A call of any class was placed. */
  leave(call: number, shutMore: boolean): void {
    this.#stuck?.leave(call);
    if (!shutMore) return;
    this.#exact = false;
    this.#shutsMore &&= this.#source !== null && this.#placed.shutsMore(this.#source);
  }

  #stuckAfter(source: number): StuckCalls {
    // What is stuck stays stuck when more is shut: only a set that no longer blocks needs to be worked out again.
    if (this.#stuck && (this.#exact || this.#stuck.size > 1)) return this.#stuck;
    this.#exact = true;
    this.#stuck = new StuckCalls(this.#problem, this.#placed.left, this.#placed.deadAfter(source));
    return this.#stuck;
  }

  #isReady(call: number): boolean {
    const { source, after } = this.#problem.calls[call] ?? NOTHING;
    return source === this.#source && !after.some((before) => this.#placed.left.has(before));
  }
}
