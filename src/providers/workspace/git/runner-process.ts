/**
 * A small process that starts programs for the gateway, because starting one copies the parent's memory map, and the
 * gateway's is large. It decides nothing. It ends, with everything that it started, when its input ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { FairPlaces, inTurnOf } from "../../../threads/index.ts";
import { createFrameReader, type EndHead, type Lane, type RunHead, toFrame } from "./runner-frames.ts";

/** Programs of one label holder that wait. */
const MAX_WAITING = 4096;
/** How long a question or a search may wait. */
const MAX_WAIT_MS = 30_000;
/** How long outputs may stay open after a program and its group were ended. */
const CLOSING_MS = 500;

interface Job {
  readonly head: RunHead;
  readonly input: Buffer;
  /** Aborted where it isn't to be started any more. */
  readonly leaving: AbortController;
  child: ChildProcess | null;
}

const jobs = new Map<number, Job>();
const lanes: Readonly<Record<Lane, FairPlaces>> = {
  question: placesFor(8),
  search: placesFor(4),
  command: placesFor(8),
};

process.stdin.on("data", createFrameReader(take));
process.stdin.on("end", endAll);
process.stdin.on("error", endAll);
process.stdout.on("error", endAll);
// A signal to the gateway's whole group is handled by the gateway.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

/** So many programs run at once. Those of one party take all places but one, and those of one label holder all but two. */
function placesFor(places: number): FairPlaces {
  const shares = { places, ofParty: places - 1, ofHolder: places - 2 };
  return new FairPlaces({ ...shares, maxWaiting: MAX_WAITING, tooMany: () => new Error("Too many wait.") });
}

function take(head: unknown, input: Buffer): void {
  const given = head as RunHead | { abort: number };
  if ("abort" in given) {
    abort(given.abort);
    return;
  }
  const { id, lane, owner } = given;
  // A part of what came would keep all of it in memory.
  const job: Job = { head: given, input: Buffer.from(input), leaving: new AbortController(), child: null };
  jobs.set(id, job);
  const { signal } = job.leaving;
  inTurnOf(owner, () => lanes[lane].run(() => start(job), { signal, length: input.length })).catch(() =>
    answer(job, NOT_STARTED, [], []),
  );
  if (lane !== "command") setTimeout(() => job.leaving.abort(), MAX_WAIT_MS).unref();
}

function abort(id: number): void {
  const job = jobs.get(id);
  job?.leaving.abort();
  if (job?.child) endGroup(job.child);
}

/** Resolves once it has ended. */
function start(job: Job): Promise<void> {
  const { promise, resolve: ended } = Promise.withResolvers<void>();
  const { file, args, cwd, env, timeoutMs, maxBytes, hasInput } = job.head;
  let child: ChildProcess;
  try {
    // A separate process group, so that all of it can be ended.
    const stdio = [hasInput ? "pipe" : "ignore", "pipe", "pipe"] as const;
    child = spawn(file, args, { cwd, env, stdio: [...stdio], detached: true, windowsHide: true });
  } catch (error) {
    answer(job, failed(error), [], []);
    return Promise.resolve();
  }
  job.child = child;
  let timedOut = false;
  let truncated = false;
  const overflow = (): void => {
    truncated = true;
    endGroup(child);
  };
  const out = collect(child.stdout, maxBytes, overflow);
  const err = collect(child.stderr, maxBytes, overflow);
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, timeoutMs);
  let isOver = false;
  const finish = (end: Ending): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    answer(job, end, out, err);
    ended();
  };
  child.on("error", (error) => finish(failed(error)));
  child.on("exit", (code, signal) => {
    // Remaining processes of its group would keep its outputs open.
    endGroup(child);
    const close = (): void => finish({ code, signal, timedOut, truncated, failure: null });
    child.on("close", close);
    setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      close();
    }, CLOSING_MS).unref();
  });
  child.stdin?.on("error", () => {});
  child.stdin?.end(job.input);
  return promise;
}

type Ending = Omit<EndHead, "id" | "outBytes">;

const NOT_STARTED: Ending = {
  code: null,
  signal: "SIGKILL",
  timedOut: true,
  truncated: false,
  failure: null,
};

const failed = (error: unknown): Ending => ({
  code: null,
  signal: null,
  timedOut: false,
  truncated: false,
  failure: String((error as NodeJS.ErrnoException).code ?? "unknown"),
});

/** Collects a stream, up to a limit. */
function collect(stream: NodeJS.ReadableStream | null, maxBytes: number, overflow: () => void): Buffer[] {
  const kept: Buffer[] = [];
  let held = 0;
  stream?.on("data", (chunk: Buffer) => {
    const room = maxBytes - held;
    if (room > 0) kept.push(chunk.subarray(0, room));
    held += Math.min(chunk.length, Math.max(room, 0));
    if (chunk.length > room) overflow();
  });
  stream?.on("error", () => {});
  return kept;
}

function answer(job: Job, end: Ending, out: readonly Buffer[], err: readonly Buffer[]): void {
  if (!jobs.delete(job.head.id)) return;
  const outBytes = out.reduce((sum, { length }) => sum + length, 0);
  process.stdout.write(toFrame({ id: job.head.id, outBytes, ...end }, Buffer.concat([...out, ...err])));
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
    child.kill("SIGKILL");
  }
}

function endAll(): void {
  for (const { child } of jobs.values()) if (child !== null) endGroup(child);
  process.exit();
}
