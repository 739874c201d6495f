/** Repeats a job whenever something has changed: one round at a time, and again after a failure. */

export interface Rounds {
  /** Resolves after a round that began after this call, successful or not. */
  next(): Promise<void>;
  /** Starts no more rounds; resolves when the last one is over. */
  close(): Promise<void>;
}

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;

/** `onFault` is called for a failed round; another one follows, later each time. */
export function createRounds(job: () => Promise<void>, onFault: (cause: unknown) => void): Rounds {
  let running: Promise<void> | null = null;
  let following: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_RETRY_MS;
  let isClosed = false;
  const round = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      await job();
      wait = FIRST_RETRY_MS;
    } catch (cause) {
      onFault(cause);
      if (isClosed) return;
      timer = setTimeout(() => void next(), wait).unref();
      wait = Math.min(wait * 2, LAST_RETRY_MS);
    }
  };
  const next = (): Promise<void> => {
    if (isClosed) return running ?? Promise.resolve();
    if (running === null) {
      running = round().finally(() => {
        running = null;
      });
      return running;
    }
    following ??= running.then(() => {
      following = null;
      return next();
    });
    return following;
  };
  return {
    next,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
