/**
 * The order of runs: one at a time per session, in the order in which they came; different sessions at the same time.
 * The port, and the implementation for a single process.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { listNames } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";

/** A run's turn. No other run of the session starts until it has ended or was lost. */
export interface RunTurn {
  /** Grows with each turn of a session, so that late writes of an earlier turn can be recognised. */
  readonly fence: number;
  /** Aborted once another run has the turn, for example because a lease wasn't renewed in time. */
  readonly lost: AbortSignal;
  end(): Promise<void>;
}

/** Assigns turns. For several processes it needs shared leases in their store, each with a fence. */
export interface RunOrder {
  /** Resolves when the session is free. Rejects with the signal's reason if the caller leaves before. */
  enter(session: string, signal?: AbortSignal): Promise<RunTurn>;
}

/** The order of the runs of one process. */
export function createRunOrder(): RunOrder {
  const last = new Map<string, { readonly over: Promise<unknown>; readonly fence: number }>();
  const never = new AbortController().signal;
  return {
    enter: async (session, signal) => {
      const before = last.get(session);
      const { promise, resolve } = Promise.withResolvers<void>();
      const over = Promise.all([before?.over, promise]);
      const place = { over, fence: (before?.fence ?? 0) + 1 };
      last.set(session, place);
      over.then(() => {
        if (last.get(session) === place) last.delete(session);
      });
      try {
        await unlessAborted(before?.over, signal);
      } catch (cause) {
        resolve();
        throw cause;
      }
      return { fence: place.fence, lost: never, end: async () => resolve() };
    },
  };
}

async function unlessAborted(ready: Promise<unknown> | undefined, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (ready === undefined || signal === undefined) {
    await ready;
    return;
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([ready, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

interface Inside {
  readonly order: RunOrder;
  readonly session: string;
  readonly outer: Inside | undefined;
  isOver: boolean;
}

/** A run that waits for its session's turn, and the run whose tool started it. */
interface Wait {
  readonly order: RunOrder;
  readonly session: string;
  readonly outer: Inside | undefined;
}

const inside = new AsyncLocalStorage<Inside>();
/** The runs of this process that have a turn, and those that wait for one. */
const running = new Set<Inside>();
const waiting = new Set<Wait>();

/**
 * Runs in the session's turn. A run that the run's own tools start in the session is part of it, and doesn't wait.
 * @throws SluicegateError `invalid-request` if the session's present run waits for this one, so that both would wait
 *   forever. A deadlock through another process isn't detected.
 */
export async function runInOrder<Result>(
  order: RunOrder,
  session: string,
  signal: AbortSignal | undefined,
  run: (lost: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  const outer = inside.getStore();
  if (runsAround(outer).some((one) => one.session === session)) return run(null);
  const turn = await waitForTurn({ order, session, outer }, signal);
  const place: Inside = { order, session, outer, isOver: false };
  running.add(place);
  try {
    return await inside.run(place, () => run(turn.lost));
  } finally {
    place.isOver = true;
    running.delete(place);
    await turn.end();
  }
}

async function waitForTurn(wait: Wait, signal: AbortSignal | undefined): Promise<RunTurn> {
  const circle = findCircle(wait);
  if (circle !== null) throw circleError(circle);
  waiting.add(wait);
  try {
    return await wait.order.enter(wait.session, signal);
  } finally {
    waiting.delete(wait);
  }
}

/** The runs that contain this one, its own session's first. */
function runsAround(place: Inside | undefined): readonly Inside[] {
  const found: Inside[] = [];
  for (let one = place; one !== undefined; one = one.outer) if (!one.isOver) found.push(one);
  return found;
}

/** The sessions that would wait for each other, each for the next one; null if there is no deadlock. */
function findCircle(wait: Wait): readonly string[] | null {
  const own = runsAround(wait.outer);
  const [innermost] = own;
  if (innermost === undefined) return null;
  const seen = new Set<Inside>();
  const follow = ({ order, session }: Wait, path: readonly string[]): readonly string[] | null => {
    const holder = [...running].find((one) => one.order === order && one.session === session);
    if (holder === undefined || seen.has(holder)) return null;
    if (own.includes(holder)) return path;
    seen.add(holder);
    for (const next of waiting) {
      if (!runsAround(next.outer).includes(holder)) continue;
      const found = follow(next, [...path, next.session]);
      if (found !== null) return found;
    }
    return null;
  };
  return follow(wait, [innermost.session, wait.session]);
}

const circleError = (sessions: readonly string[]): SluicegateError =>
  new SluicegateError("invalid-request", "The run can't start: it would wait for itself.", {
    why: `Runs of the sessions ${listNames([...new Set(sessions)])} wait for each other: the tools of each start a run of the next.`,
    fix: "Give one of the tools a session of its own, such as a fork, or start its run after the other has ended.",
    details: { sessions },
  });
