/**
 * The gateway's side of the scanning threads: each looks through one text at a time, within its time. A text that takes
 * longer ends its thread, and the next one gets a new thread.
 */
import { existsSync } from "node:fs";
import { SluicegateError } from "../errors/index.ts";
import { FairPlaces, inTurnOf, NOBODY, startThread, type Thread, type TurnOwner } from "../threads/index.ts";
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

/** Texts of one label holder. */
const MAX_WAITING = 4096;
const tooMany = (): Error => new Error("Too many texts wait.");

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
  const places = new FairPlaces({ places: THREADS, ofHolder: 1, maxWaiting: MAX_WAITING, tooMany });
  const threads = new Set<ScanThread>();
  const idle: ScanThread[] = [];
  let isClosed = false;

  const lookThrough = async (request: ScanRequest): Promise<readonly Hit[] | null> => {
    if (isClosed) return null;
    const thread = idle.pop() ?? startThread<ScanRequest, ScanReply>(program);
    threads.add(thread);
    const reply = await thread.ask(request, milliseconds);
    if (thread.isOver) threads.delete(thread);
    else idle.push(thread);
    return reply !== null && "hits" in reply ? reply.hits : null;
  };

  return {
    scan: (request, owner = NOBODY) => {
      const { length } = request.text;
      return inTurnOf(owner, () => places.run(() => lookThrough(request), { length })).catch(() => null);
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}
