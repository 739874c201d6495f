/**
 * Group commit: all writes that are asked for in one turn of the event loop are made in one transaction, so that
 * many sessions share one wait for the disk. It knows nothing of what is written.
 */

/** A transaction of the engine. Each part may throw. */
export interface Transaction {
  begin(): void;
  commit(): void;
  /** Undoes what was begun, if anything still is. Must not throw. */
  rollBack(): void;
  /** The error that callers see for what the engine threw. */
  toError(cause: unknown): Error;
}

export interface GroupCommit {
  /**
   * Runs `work` in the next transaction, and resolves with what it returned once that is committed; then calls
   * `after` with it. Rejects, as every other write of that transaction does, where the transaction fails.
   * What is refused without harm to the others is returned by `work`, not thrown.
   */
  submit<T>(work: () => T, after?: (value: T) => void): Promise<T>;
  /** Writes what waits, now. */
  flush(): void;
}

interface Waiting {
  /** Does the work, and returns what is to be done once it is committed. */
  run(): () => void;
  fail(error: Error): void;
}

export function createGroupCommit(transaction: Transaction): GroupCommit {
  let waiting: Waiting[] = [];
  const flush = () => {
    const group = waiting;
    waiting = [];
    if (group.length > 0) {
      commitGroup(transaction, group);
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
      waiting.push({ run, fail: reject });
      if (waiting.length === 1) {
        setImmediate(flush);
      }
      return promise;
    },
    flush,
  };
}

function commitGroup(transaction: Transaction, group: readonly Waiting[]): void {
  let settlements: (() => void)[];
  try {
    transaction.begin();
    settlements = group.map((write) => write.run());
    transaction.commit();
  } catch (cause) {
    transaction.rollBack();
    for (const write of group) {
      write.fail(transaction.toError(cause));
    }
    return;
  }
  // INVARIANT: only what is durable is told.
  for (const settle of settlements) {
    settle();
  }
}
