/**
 * The calls of a session that were admitted and haven't ended. Immutable; a copy shares all but one part with what
 * it was made from, so that a session with many open calls pays no more for the next one.
 */

/** Where a call stands in its session, and what it calls. */
export interface RunningCall {
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

export class RunningCalls implements Iterable<readonly [string, RunningCall]> {
  static readonly NONE: RunningCalls = new RunningCalls([], 0);
  readonly size: number;
  /** Oldest first, none empty. */
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[], size: number) {
    this.#parts = parts;
    this.size = size;
    Object.freeze(this);
  }

  get(call: string): RunningCall | undefined {
    return this.#parts.find((part) => part.has(call))?.get(call);
  }

  has(call: string): boolean {
    return this.#parts.some((part) => part.has(call));
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
    const parts = [...(isFull ? others.#parts : others.#parts.slice(0, -1)), grown];
    const added = new RunningCalls(parts, others.size + 1);
    const [oldest] = added;
    return oldest && added.size > MAX_RUNNING ? added.without(oldest[0]) : added;
  }

  /** Without this call. */
  without(call: string): RunningCalls {
    const at = this.#parts.findIndex((part) => part.has(call));
    const left = new Map(this.#parts[at]);
    if (!left.delete(call)) return this;
    const parts = left.size === 0 ? this.#parts.toSpliced(at, 1) : this.#parts.with(at, left);
    return new RunningCalls(parts, this.size - 1);
  }
}
