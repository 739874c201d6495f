/**
 * The gateway's side of the scanning threads: each looks through one text at a time, within its time. A text that takes
 * longer ends its thread, and the next one gets a new thread.
 */
import { existsSync } from "node:fs";
import { SluicegateError } from "../errors/index.ts";
import {
  FairQueue,
  NOBODY,
  type QueuedItem,
  startThread,
  type Thread,
  type TurnOwner,
} from "../threads/index.ts";
import type { Hit } from "./pattern.ts";
import type { ScanRequest } from "./scan-text.ts";
import type { ScanReply } from "./scan-worker.ts";

export interface Scanner {
  /**
   * What is found in a text; null if that can't be said: it took too long, it failed, or too many of its label
   * holder wait.
   */
  scan(request: ScanRequest, owner?: TurnOwner): Promise<readonly Hit[] | null>;
  /** Ends the threads; what waits gets null. */
  close(): Promise<void>;
}

interface ScannerOptions {
  /** For one text. */
  readonly milliseconds: number;
  /** The thread's program; by default our own. */
  readonly program?: URL;
}

/** The second one is started once two label holders have texts at a time: none of them gets both. */
const THREADS = 2;

type ScanThread = Thread<ScanRequest, ScanReply>;

interface Job extends QueuedItem {
  readonly request: ScanRequest;
  settle(hits: readonly Hit[] | null): void;
}

/** The compiled package has it beside this file too, in its own bundle as well; somebody else's bundle has not. */
function findProgram(): URL | null {
  // A bundle of CommonJS has no address.
  const here: string | undefined = import.meta.url;
  return here ? new URL(`./scan-worker${here.endsWith(".ts") ? ".ts" : ".js"}`, here) : null;
}

const missingProgram = (): SluicegateError =>
  new SluicegateError("invalid-request", "The detectors can't be created.", {
    why: "The program of their threads, `scan-worker.js`, isn't beside their code. A bundler leaves it out.",
    fix: "Keep `sluicegate` out of the bundle, such as by `--external:sluicegate` with esbuild, and install it beside it.",
  });

/** @throws SluicegateError `invalid-request` where the thread's program is missing: no result could be inspected. */
export function createScanner({ milliseconds, program: given }: ScannerOptions): Scanner {
  const program = given ?? findProgram();
  if (program === null || !existsSync(program)) throw missingProgram();
  const queue = new FairQueue<Job>();
  /** The label holders whose texts are looked through now. */
  const served = new Set<string>();
  const threads = new Set<ScanThread>();
  const idle: ScanThread[] = [];
  let isClosed = false;

  const run = async (job: Job): Promise<void> => {
    const thread = idle.pop() ?? startThread<ScanRequest, ScanReply>(program);
    threads.add(thread);
    const reply = await thread.ask(job.request, milliseconds);
    if (thread.isOver) threads.delete(thread);
    else idle.push(thread);
    job.settle(reply !== null && "hits" in reply ? reply.hits : null);
  };

  const work = (): void => {
    while (served.size < THREADS) {
      const job = queue.take({ holder: (labelHolder) => !isClosed && served.has(labelHolder) });
      if (job === undefined) return;
      if (isClosed) {
        job.settle(null);
        continue;
      }
      const { labelHolder } = job.owner;
      served.add(labelHolder);
      void run(job).finally(() => {
        served.delete(labelHolder);
        work();
      });
    }
  };

  return {
    scan: (request, owner = NOBODY) => {
      if (isClosed) return Promise.resolve(null);
      return new Promise((settle) => {
        const { length } = request.text;
        if (!queue.add({ request, owner, length, settle, drop: () => settle(null) })) settle(null);
        work();
      });
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}
