/**
 * A thread that answers one request at a time within a time limit. One that takes longer is ended with its thread. Its
 * program posts a message when it is ready, and one reply to each message after that.
 */
import { Worker } from "node:worker_threads";

export interface Thread<Request, Reply> {
  /** Whether it has ended, or is being ended: it answers nothing any more. */
  readonly isOver: boolean;
  /** The reply; null if none came in time or the thread has ended. Never rejects. */
  ask(request: Request, milliseconds: number): Promise<Reply | null>;
  end(): Promise<void>;
}

/** A thread that isn't ready by then won't be. */
const START_MS = 15_000;
const HEAP_MB = 256;

export function startThread<Request, Reply>(program: URL): Thread<Request, Reply> {
  const worker = new Worker(program, {
    // What it reads is nobody's to see: it gets nothing of this process, and writes nothing into it.
    env: {},
    execArgv: [],
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let isOver = false;
  let listener: ((message: unknown) => void) | null = null;
  const hear = (message: unknown): void => listener?.(message);
  const die = (): void => {
    isOver = true;
    hear(null);
  };
  worker.on("message", hear);
  worker.on("error", die);
  worker.on("exit", die);

  /** The next message; null if none comes in time, and then the thread is ended. */
  const next = (milliseconds: number): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    let isAnswered = false;
    const giveUp = (): void => {
      if (isAnswered) return;
      isOver = true;
      void worker.terminate();
      resolve(null);
    };
    // THREAT: others choose how busy this process is. An answer that came meanwhile is taken before the time counts.
    const late = setTimeout(() => setImmediate(giveUp), milliseconds);
    listener = (message) => {
      isAnswered = true;
      resolve(message);
    };
    return promise.finally(() => {
      clearTimeout(late);
      listener = null;
    });
  };

  const ready = next(START_MS);
  return {
    get isOver() {
      return isOver;
    },
    ask: async (request, milliseconds) => {
      worker.ref();
      try {
        await ready;
        if (isOver) return null;
        worker.postMessage(request);
        // Nobody writes to this port but our own program.
        return (await next(milliseconds)) as Reply | null;
      } finally {
        // An idle thread keeps nobody from ending.
        worker.unref();
      }
    },
    end: async () => {
      isOver = true;
      await worker.terminate();
    },
  };
}
