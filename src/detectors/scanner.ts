/**
 * The gateway's side of the scanning thread: one text at a time, each with its time. A text that takes longer ends the
 * thread, and the next one gets a new thread.
 */
import { Worker } from "node:worker_threads";
import type { Hit } from "./pattern.ts";
import type { ScanReply, ScanRequest } from "./scan-worker.ts";

export interface Scanner {
  /** What is found in a text; null where that can't be said: it took too long, it failed, or too many wait. */
  scan(request: ScanRequest): Promise<readonly Hit[] | null>;
  /** Ends the thread; what waits gets null. */
  close(): Promise<void>;
}

export interface ScannerOptions {
  /** For one text. */
  readonly milliseconds: number;
  /** The thread's program; by default our own. */
  readonly program?: URL;
}

/** Texts that wait, in number and in characters. */
const MOST_WAITING = 64;
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** A thread that isn't ready by then won't be. */
const START_MS = 15_000;
const HEAP_MB = 256;

interface Job {
  readonly request: ScanRequest;
  settle(hits: readonly Hit[] | null): void;
}

// The compiled package has it beside this file too, in its own bundle as well.
const PROGRAM = new URL(`./scan-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

export function createScanner({ milliseconds, program = PROGRAM }: ScannerOptions): Scanner {
  const waiting: Job[] = [];
  let characters = 0;
  let thread: Thread | null = null;
  let isBusy = false;
  let isClosed = false;

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      characters -= job.request.text.length;
      thread ??= startThread(program);
      const hits = isClosed ? null : await thread.ask(job.request, milliseconds);
      if (thread?.isOver) thread = null;
      job.settle(hits);
    }
    isBusy = false;
  };

  return {
    scan: (request) => {
      const isFull = waiting.length >= MOST_WAITING || characters + request.text.length > MOST_CHARACTERS;
      if (isClosed || isFull) return Promise.resolve(null);
      characters += request.text.length;
      return new Promise((settle) => {
        waiting.push({ request, settle });
        void work();
      });
    },
    close: async () => {
      isClosed = true;
      await thread?.end();
    },
  };
}

interface Thread {
  readonly isOver: boolean;
  /** Never rejects. */
  ask(request: ScanRequest, milliseconds: number): Promise<readonly Hit[] | null>;
  end(): Promise<void>;
}

function startThread(program: URL): Thread {
  const worker = new Worker(program, {
    // What it looks through is nobody's to see: it gets nothing of this process, and writes nothing into it.
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
    hear({ failed: true });
  };
  worker.on("message", hear);
  worker.on("error", die);
  worker.on("exit", die);

  /** The next message; null where none comes in time, and then the thread is ended. */
  const next = (milliseconds: number): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const late = setTimeout(() => {
      isOver = true;
      void worker.terminate();
      resolve(null);
    }, milliseconds);
    listener = resolve;
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
        const reply = (await next(milliseconds)) as ScanReply | null;
        return reply !== null && "hits" in reply ? reply.hits : null;
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
