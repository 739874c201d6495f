/** The calls of a session that its state keeps: those that run, and those that were refused. */

/** Where a call stands in its session, and what it calls. */
interface RunningCall {
  /** Counted from 0. */
  readonly step: number;
  /** The tool's identity. */
  readonly tool: string;
  /** The keyed digest of its arguments. */
  readonly arguments: string;
  /** The process that runs it; left out if its host does. */
  readonly runner?: string;
}

type Part = ReadonlyMap<string, RunningCall>;

/** Calls that are remembered as running; a host that never reports doesn't make the state grow. */
const MAX_RUNNING = 1024;
const PART = 8;

/**
 * The calls of a session that were admitted and haven't ended. Immutable; a copy shares all but one part with what
 * it was made from, so that a session with many open calls pays no more for the next one.
 */
export class RunningCalls implements Iterable<readonly [string, RunningCall]> {
  static readonly NONE: RunningCalls = new RunningCalls([], new Map());
  /** Oldest first, none empty. */
  readonly #parts: readonly Part[];
  /** The number of calls by the process that runs them; empty for those that a host runs. */
  readonly #counts: ReadonlyMap<string, number>;

  private constructor(parts: readonly Part[], counts: ReadonlyMap<string, number>) {
    this.#parts = parts;
    this.#counts = counts;
    Object.freeze(this);
  }

  get size(): number {
    let size = 0;
    for (const count of this.#counts.values()) size += count;
    return size;
  }

  get(call: string): RunningCall | undefined {
    return this.#parts[this.#partOf(call)]?.get(call);
  }

  has(call: string): boolean {
    return this.#partOf(call) >= 0;
  }

  /** How many of the calls this process runs. */
  countOf(runner: string): number {
    return this.#counts.get(runner) ?? 0;
  }

  /** The calls, oldest first. */
  *[Symbol.iterator](): Generator<readonly [string, RunningCall]> {
    for (const part of this.#parts) yield* part;
  }

  /** With one call more; the oldest one goes where there are too many. */
  with(call: string, running: RunningCall): RunningCalls {
    const others = this.without(call);
    const last = others.#parts.at(-1);
    const isFull = last === undefined || last.size === PART;
    const grown: Part = new Map(isFull ? [] : last).set(call, running);
    const parts = isFull ? [...others.#parts, grown] : others.#parts.with(-1, grown);
    const added = new RunningCalls(parts, others.#counted(running, 1));
    const oldest = added.size > MAX_RUNNING ? parts[0]?.keys().next().value : undefined;
    return oldest === undefined ? added : added.without(oldest);
  }

  /** Without this call. */
  without(call: string): RunningCalls {
    const at = this.#partOf(call);
    const part = this.#parts[at];
    const running = part?.get(call);
    if (part === undefined || running === undefined) return this;
    const left = new Map(part);
    left.delete(call);
    const parts = left.size === 0 ? this.#parts.toSpliced(at, 1) : this.#parts.with(at, left);
    return new RunningCalls(parts, this.#counted(running, -1));
  }

  #partOf(call: string): number {
    return this.#parts.findIndex((part) => part.has(call));
  }

  #counted({ runner = "" }: RunningCall, by: 1 | -1): ReadonlyMap<string, number> {
    const counts = new Map(this.#counts);
    const count = this.countOf(runner) + by;
    if (count === 0) counts.delete(runner);
    else counts.set(runner, count);
    return counts;
  }
}

interface RefusedCall {
  readonly call: string;
  readonly tool: string;
}

/** The refused calls of a session that its agent may appeal, and those that it has. */
export interface Refusals {
  /** The newest, without those that were appealed. */
  readonly open: readonly RefusedCall[];
  /** The calls that were appealed, oldest first. */
  readonly appealed: readonly string[];
}

/** THREAT: an agent chooses how often it is refused. */
const MAX_OPEN = 16;

export const NO_REFUSALS: Refusals = Object.freeze({
  open: Object.freeze([]),
  appealed: Object.freeze([]),
});

export const addRefused = ({ open, appealed }: Refusals, { call, tool }: RefusedCall): Refusals => ({
  open: [...open.slice(1 - MAX_OPEN), { call, tool }],
  appealed,
});

export const addAppeal = ({ open, appealed }: Refusals, { call }: Pick<RefusedCall, "call">): Refusals => ({
  open: open.filter((one) => one.call !== call),
  appealed: [...appealed, call],
});
