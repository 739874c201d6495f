/**
 * The gateway's side of the runner: a small process that starts programs, so that copying the gateway's memory map
 * doesn't block the event loop. It starts at first use, again after it died, and doesn't keep the program alive.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { SluicegateError } from "../../../errors/index.ts";
import { currentOwner } from "../../../threads/index.ts";
import {
  type AbortHead,
  createFrameReader,
  type EndHead,
  type Lane,
  type RunHead,
  toFrame,
} from "./runner-frames.ts";

/** A program to run. It gets nothing of the gateway's environment except what is given here. */
export interface ProgramCall {
  /** Its absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; left out, there is none. */
  readonly input?: Uint8Array;
  /** After this time it is killed, with its process group. */
  readonly timeoutMs: number;
  /** Limit of each output; a program that prints more is killed. */
  readonly maxBytes: number;
  /** Separate queues: questions (the default), searches, commands. */
  readonly lane?: Lane;
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
  readonly truncated: boolean;
}

export interface Runner {
  /** The runner's process id while it runs, otherwise null. */
  readonly pid: number | null;
  /**
   * Runs a program to its end. What it left running in its process group is killed.
   * @throws SluicegateError `upstream-failed` if it couldn't be started, or the runner died; the signal's reason.
   */
  run(call: ProgramCall): Promise<ProgramEnd>;
  /** Starts the runner, so that the first call doesn't wait for it. */
  warm(): void;
  /** Ends the runner and everything that it runs. A later `run` starts it again. */
  close(): void;
}

interface Pending {
  readonly timer: NodeJS.Timeout;
  resolve(end: ProgramEnd): void;
  reject(error: unknown): void;
}

/** How long beyond a program's limit until the runner counts as stuck: for its queue, and for closing. */
const GRACE_MS = 35_000;

/** A separate runner; usually use `sharedRunner`. */
export function startRunner(): Runner {
  let current: RunnerProcess | null = null;
  const process = (): RunnerProcess => {
    if (current === null || current.isOver) current = startProcess();
    return current;
  };
  return {
    get pid() {
      return current === null || current.isOver ? null : (current.child.pid ?? null);
    },
    run: (call) => runIn(process(), call),
    warm: () => {
      process();
    },
    close: () => {
      current?.end();
      current = null;
    },
  };
}

let shared: Runner | null = null;

/** The shared runner of this process. */
export function sharedRunner(): Runner {
  shared ??= startRunner();
  return shared;
}

interface RunnerProcess {
  readonly child: ChildProcess;
  readonly pending: Map<number, Pending>;
  readonly isOver: boolean;
  nextId(): number;
  /** Keeps the program alive only while something is pending. */
  hold(): void;
  end(): void;
}

function startProcess(): RunnerProcess {
  // In the compiled package it is beside this file, too.
  const file = new URL(`./runner-process${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
  const flags = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=1"];
  const child = spawn(process.execPath, [...flags, fileURLToPath(file)], {
    cwd: "/",
    env: { ELECTRON_RUN_AS_NODE: "1" },
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const pending = new Map<number, Pending>();
  let isOver = false;
  let lastId = 0;
  const over = (): void => {
    isOver = true;
    for (const { timer, reject } of pending.values()) {
      clearTimeout(timer);
      reject(programFailed("The process that runs programs has ended."));
    }
    pending.clear();
  };
  const hold = (): void => {
    for (const stream of [child.stdin, child.stdout])
      if (stream instanceof Socket) stream[pending.size > 0 ? "ref" : "unref"]();
  };
  child.on("error", over);
  child.on("exit", over);
  child.stdin?.on("error", over);
  child.stdout?.on(
    "data",
    createFrameReader((head, body) => {
      settle(pending, head as EndHead, body);
      hold();
    }),
  );
  child.unref();
  hold();
  return {
    child,
    pending,
    hold,
    get isOver() {
      return isOver;
    },
    nextId: () => {
      lastId += 1;
      return lastId;
    },
    end: () => {
      child.kill("SIGKILL");
      over();
      hold();
    },
  };
}

function settle(pending: Map<number, Pending>, end: EndHead, body: Buffer): void {
  const call = pending.get(end.id);
  if (call === undefined) return;
  pending.delete(end.id);
  clearTimeout(call.timer);
  if (end.failure !== null) {
    call.reject(programFailed(`The program can't be started (\`${end.failure}\`).`));
    return;
  }
  const { code, signal, timedOut, truncated, outBytes } = end;
  const [stdout, stderr] = [body.subarray(0, outBytes), body.subarray(outBytes)];
  call.resolve({ code, signal, timedOut, truncated, stdout, stderr });
}

function runIn(runner: RunnerProcess, { input, signal, lane = "question", ...call }: ProgramCall) {
  const id = runner.nextId();
  const owner = currentOwner();
  const head: RunHead = { ...call, id, lane, owner, hasInput: input !== undefined };
  return new Promise<ProgramEnd>((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => {
      const told: AbortHead = { abort: id };
      runner.child.stdin?.write(toFrame(told));
      const call = runner.pending.get(id);
      if (call === undefined) return;
      runner.pending.delete(id);
      clearTimeout(call.timer);
      call.reject(signal?.reason);
      runner.hold();
    };
    const done =
      <Value>(settled: (value: Value) => void) =>
      (value: Value): void => {
        signal?.removeEventListener("abort", abort);
        settled(value);
      };
    // Commands may wait for any time, so only the runner's own limit applies to them.
    const timer = setTimeout(runner.end, lane !== "command" ? call.timeoutMs + GRACE_MS : 2 ** 31 - 1);
    signal?.addEventListener("abort", abort, { once: true });
    runner.pending.set(id, { timer, resolve: done(resolve), reject: done(reject) });
    runner.hold();
    runner.child.stdin?.write(toFrame(head, input));
  });
}

const programFailed = (what: string): SluicegateError =>
  new SluicegateError("upstream-failed", what, {
    why: "A program that the workspace needs was not run to its end.",
    fix: "Try again, and see that the program is installed and can be run.",
  });
