/**
 * Group commit: all writes that are asked for in one turn of the event loop are made in one transaction, so that
 * many sessions share one wait for the disk. If another program holds the lock, the transaction is made
 * again after a pause, together with what came meanwhile. It knows nothing of what is written.
 */
import { isBusy, pauseForLock } from "./busy.ts";

/** A transaction of the engine. Each part may throw. */
export interface Transaction {
  begin(): void;
  commit(): void;
  /** Undoes what was begun, if anything still is. Must not throw. */
  rollBack(): void;
  /** The error that callers see for what the engine threw. */
  toError(cause: unknown): Error;
}

interface GroupCommit {
  /**
   * Runs `work` in the next transaction, and resolves with what it returned once that is committed; then calls
   * `after` with it. Rejects, as every other write of that transaction does, where the transaction fails.
   * What is refused without harm to the others is returned by `work`, not thrown. It may run several times: what
   * it did before was undone.
   */
  submit<T>(work: () => T, after?: (value: T) => void): Promise<T>;
  /** Writes what waits, now, unless it waits for another program's lock. */
  flush(): void;
  /** Writes what waits, and resolves when nothing does. */
  drain(): Promise<void>;
}

interface Waiting {
  /** Until when it may wait for a lock, by `performance.now`. */
  readonly until: number;
  /** Does the work, and returns what is to be done once it is committed. */
  run(): () => void;
  fail(error: Error): void;
}

/** Groups of writes for one engine; each write waits for another program's lock for `patienceMs` at most. */
export function createGroupCommit(transaction: Transaction, patienceMs: number): GroupCommit {
  let waiting: Waiting[] = [];
  let pause: Promise<void> | null = null;
  const flush = () => {
    const group = waiting;
    if (pause !== null || group.length === 0) {
      return;
    }
    waiting = [];
    const held = commitGroup(transaction, group);
    if (held.length > 0) {
      waiting = [...held, ...waiting];
      pause = pauseForLock().then(() => {
        pause = null;
        flush();
      });
    }
  };
  return {
    submit<T>(work: () => T, after?: (value: T) => void): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const run = () => {
        const value = work();
        return () => {
          resolve(value);
          after?.(value);
        };
      };
      waiting.push({ until: performance.now() + patienceMs, run, fail: reject });
      if (waiting.length === 1) {
        setImmediate(flush);
      }
      return promise;
    },
    flush,
    drain: async () => {
      flush();
      while (pause !== null) {
        await pause;
      }
    },
  };
}

/** Commits a group, or fails it. Returns the writes that a lock was in the way of and that may still wait. */
function commitGroup(transaction: Transaction, group: readonly Waiting[]): readonly Waiting[] {
  let settlements: (() => void)[];
  try {
    transaction.begin();
    settlements = group.map((write) => write.run());
    transaction.commit();
  } catch (cause) {
    transaction.rollBack();
    const now = performance.now();
    const mayWait = ({ until }: Waiting): boolean => isBusy(cause) && now < until;
    for (const write of group) {
      if (!mayWait(write)) write.fail(transaction.toError(cause));
    }
    return group.filter(mayWait);
  }
  // INVARIANT: watchers are notified only of durable entries.
  for (const settle of settlements) {
    settle();
  }
  return [];
}
